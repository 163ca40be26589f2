#!/usr/bin/env bash
# Runs the tests of the shim, and of the packages right above it, under
# AddressSanitizer: the shim's C++ is compiled with -fsanitize=address, libtorch
# itself is not. Called by `make asan`, which sets the environment; arguments go
# to go test.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Tests that count Go's allocations say nothing here: the sanitizer makes more
# values escape. And a goroutine that ends inside a hook leaves C++ frames behind
# without returning from them, which the sanitizer's record of the stack, unlike
# the program, does not survive.
tests=(go test -asan -vet=off -count=1 -skip 'NotEscape|Allocs|Allocations|Goexit' "$@")

# What the shim's tests take they give back, so a leak is a fault. Tests of the
# layer above may end with tensors that only Go's heap knows, which the leak
# checker does not search; they count tensors and bytes themselves.
ASAN_OPTIONS="detect_leaks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}" "${tests[@]}" ./cgotorch/...
ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" "${tests[@]}" ./torch/... ./nn/parallel/...
