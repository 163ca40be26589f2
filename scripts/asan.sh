#!/usr/bin/env bash
# Runs the tests of the shim under AddressSanitizer: its C++ is compiled with
# -fsanitize=address, libtorch itself is not. Called by `make asan`, which sets
# the environment; arguments go to go test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Leaks are the business of the tests themselves, which count every tensor and
# byte: LeakSanitizer would list what libtorch keeps for the life of a process.
# A memory error still ends the run. Odr: the two shim packages share headers.
export ASAN_OPTIONS="detect_leaks=0:detect_odr_violation=0:abort_on_error=0:halt_on_error=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
# The shim's own allocator would hide use after free from the sanitizer.
export GOTORCH_CPU_ALLOCATOR=${GOTORCH_CPU_ALLOCATOR:-system}

exec go test -asan -count=1 "$@" ./cgotorch/... ./torch/...
