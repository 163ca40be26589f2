#!/usr/bin/env bash
# Runs the CUDA tests on the simulated driver of internal/cudasim, with the CUDA libraries
# of the libtorch that the environment selects (see make test MODE=cudasim). Compares
# results with Python's, if Python has the same version of PyTorch.
#
#   PYTHON   an interpreter with that PyTorch, whose torch.cuda computes the expected values;
#            without it the expected values in the repository are used
#   ARGS     more arguments for the test programs, such as -test.v
set -euo pipefail

unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf 'test_cudasim: %s\n' "$*" >&2; }

lib=''
for flag in $("${PKG_CONFIG:-pkg-config}" --libs libtorch); do
	case $flag in -L*) lib=${flag#-L} && break ;; esac
done
if [ ! -f "$lib/libtorch_cuda.so" ]; then
	say "skipped: no libtorch_cuda.so in $lib; make libtorch MODE=cuda installs it"
	exit 0
fi

# The simulated driver is compiled with CUDA's own headers. They are next to the libraries,
# or come from two small wheels.
out=$PWD/build/cudasim
mkdir -p "$out"
headers=("$lib"/../../nvidia/cu13/include "$lib"/../nvidia/cu13/include "$out/nvidia/cu13/include")
have() {
	local dir
	for dir in "${headers[@]}"; do [ ! -f "$dir/$1" ] || return 0; done
	return 1
}
wheels=()
have cuda_runtime_api.h || wheels+=('nvidia-cuda-runtime==13.0.*')
have crt/host_defines.h || wheels+=('nvidia-cuda-crt==13.0.*')
[ ${#wheels[@]} = 0 ] || "${PYTHON:-python3}" -m pip install --quiet --no-deps --target "$out" --upgrade "${wheels[@]}"
cc=(gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -fPIC -shared "${headers[@]/#/-I}")
"${cc[@]}" -o "$out/libcudasim.so" \
	internal/cudasim/{blas,device,ledger,capture,queue,stream,graph,memory,pool,virtual}.c -ldl -lpthread
"${cc[@]}" -Wl,-soname,libcuda.so.1 -o "$out/libcuda.so.1" internal/cudasim/driver.c
# CUPTI does not work with the simulated driver. If CUPTI's headers are available, a fake
# CUPTI is built and used for profiles.
cupti=''
if have cupti.h; then
	"${cc[@]}" -o "$out/libcuptisim.so" internal/cudasim/cupti.c -ldl -lpthread
	cupti=$out/libcuptisim.so
else
	say "profiles are tested without CUPTI: no cupti.h"
fi

# sim RUN runs a command with the simulated driver.
sim() {
	env LD_LIBRARY_PATH="$out${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		LD_PRELOAD="${CUDASIM_CUPTI:+$CUDASIM_CUPTI:}$out/libcudasim.so" \
		CUDASIM_DEVICES="${CUDASIM_DEVICES:-2}" CUDASIM_REPORT="$out/report" GOTORCH_NEED_CUDA=1 "$@"
}
rm -f "$out/report"

goldens=$PWD/memory/testdata
if [ -n "${PYTHON:-}" ] && "$PYTHON" -c 'import os, sys, torch
sys.exit(not os.path.samefile(os.path.join(os.path.dirname(torch.__file__), "lib"), sys.argv[1]))' "$lib"; then
	goldens=$out
	GOTORCH_CUDA_PYTHON=$("$PYTHON" -c 'import sys; print(sys.executable)')
	export GOTORCH_CUDA_PYTHON
	for kind in : _expandable:expandable_segments:True _async:backend:cudaMallocAsync; do
		CUDASIM_DEVICES=1 PYTORCH_CUDA_ALLOC_CONF=${kind#*:} \
			sim "$PYTHON" -W ignore memory/testdata/make_cuda.py "$out/cuda${kind%%:*}.json"
	done
	say "comparing with torch.cuda of $PYTHON"
fi

for pkg in memory torch/amp torch/backends torch/cuda torch/data torch/distributed torch/profiler; do
	go test -c -o "$out/${pkg//\//_}.test" "./$pkg"
	for conf in '' expandable_segments:True; do
		# shellcheck disable=SC2086
		(cd "$pkg" && GOTORCH_CUDA_GOLDENS=$goldens PYTORCH_CUDA_ALLOC_CONF=$conf \
			sim "$out/${pkg//\//_}.test" -test.run 'CUDA|NoSuch|Goroutines' ${ARGS:-})
	done
done

if [ -n "$cupti" ]; then
	# shellcheck disable=SC2086
	(cd torch/profiler && CUDASIM_CUPTI=$cupti sim "$out/torch_profiler.test" -test.run CUDA ${ARGS:-})
fi

if [ -s "$out/report" ]; then
	say "the simulated driver found mistakes:"
	cat "$out/report" >&2
	exit 1
fi
