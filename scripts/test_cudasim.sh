#!/usr/bin/env bash
# Runs the CUDA tests on the simulated driver of internal/cudasim, with the
# CUDA libraries of the libtorch that the environment names (see make
# test-cudasim), and Python beside them if it has the same PyTorch.
#
#   PYTHON   an interpreter with that PyTorch: its torch.cuda makes the figures
#            to compare with; without one those of the repository count
#   ARGS     further arguments for the test programs, such as -test.v
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf 'test_cudasim: %s\n' "$*" >&2; }

lib=$(pkg-config --variable=libdir libtorch 2>/dev/null || true)
[ -n "$lib" ] || lib=$(pkg-config --libs-only-L libtorch | sed 's/^-L//; s/ .*//')
if [ ! -f "$lib/libtorch_cuda.so" ]; then
	say "skipped: no libtorch_cuda.so in $lib; make libtorch-cuda installs it"
	exit "${SKIP_STATUS:-0}"
fi
site=$(realpath "$lib/../..")

# The CUDA headers come with the libraries but for one folder, crt/, which is a
# wheel of its own.
out=$PWD/build/cudasim
mkdir -p "$out"
headers=$(find "$site/nvidia" -path '*/include/cuda_runtime_api.h' -printf '%h\n' 2>/dev/null | head -1)
[ -n "$headers" ] || { say "there is no cuda_runtime_api.h under $site/nvidia"; exit 1; }
if [ ! -f "$headers/crt/host_defines.h" ] && [ ! -f "$out/nvidia/cu13/include/crt/host_defines.h" ]; then
	"${PYTHON:-python3}" -m pip install --quiet --no-deps --target "$out" 'nvidia-cuda-crt==13.0.*'
fi
include=(-I"$headers" -I"$out/nvidia/cu13/include")
cc=(gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -fPIC -shared "${include[@]}")
"${cc[@]}" -o "$out/libcudasim.so" internal/cudasim/{device,memory,stream}.c -lpthread
"${cc[@]}" -Wl,-soname,libcuda.so.1 -o "$out/libcuda.so.1" internal/cudasim/driver.c

# sim RUN: a command on the simulated driver.
sim() {
	env LD_LIBRARY_PATH="$out${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD="$out/libcudasim.so" \
		CUDASIM_DEVICES="${CUDASIM_DEVICES:-2}" CUDASIM_REPORT="$out/report" GOTORCH_NEED_CUDA=1 "$@"
}
rm -f "$out/report"

golden=$PWD/memory/testdata/cuda.json
want=$(sed -n 's/^Version: *//p' "$(pkg-config --variable=pcfiledir libtorch)/libtorch.pc")
if [ -n "${PYTHON:-}" ] && [ "$("$PYTHON" -c 'import torch; print(torch.__version__.split("+")[0])')" = "$want" ]; then
	golden=$out/cuda.json
	CUDASIM_DEVICES=1 sim "$PYTHON" memory/testdata/cuda.py "$golden"
	say "comparing with PyTorch $want of $PYTHON"
fi

for pkg in memory torch/cuda; do
	go test -c -o "$out/${pkg//\//_}.test" "./$pkg"
	# shellcheck disable=SC2086
	(cd "$pkg" && GOTORCH_CUDA_GOLDEN=$golden sim "$out/${pkg//\//_}.test" -test.run 'CUDA|NoSuch' ${ARGS:-})
done

if [ -s "$out/report" ]; then
	say "the simulated driver found mistakes:"
	cat "$out/report" >&2
	exit 1
fi
