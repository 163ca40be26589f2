#!/usr/bin/env bash
# Builds the CUDA tests and, if there is a GPU, runs them on it. The test programs in
# build/gpu do not need Go. To run them on another machine with the same libtorch, copy them
# there with the folders memory/testdata and torch/cuda. Run each program in the folder of
# its package, with LIBTORCH/lib in LD_LIBRARY_PATH and GOTORCH_NEED_CUDA=1.
set -euo pipefail

unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/build/gpu
mkdir -p "$out"
for pkg in memory torch/backends torch/cuda torch/data torch/distributed torch/profiler; do
	go test -c -o "$out/${pkg//\//_}.test" "./$pkg"
done
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
	echo "test_gpu: there is no GPU here; the tests are built in $out" >&2
	exit 0
fi
for pkg in memory torch/backends torch/cuda torch/data torch/distributed torch/profiler; do
	# shellcheck disable=SC2086
	(cd "$pkg" && GOTORCH_NEED_CUDA=1 "$out/${pkg//\//_}.test" -test.run 'CUDA|NoSuch|Goroutines' ${ARGS:-})
done
