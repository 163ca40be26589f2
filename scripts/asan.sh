#!/usr/bin/env bash
# Runs the tests of the shim, and of the packages directly above it, under AddressSanitizer.
# The shim's C++ is compiled with -fsanitize=address; libtorch is not. Called by `make test
# MODE=asan`, which sets the environment. Arguments are passed to go test.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Tests that count Go's allocations are meaningless here, because the sanitizer makes more
# values escape. Tests named Goexit end a goroutine inside a hook, so C++ functions never
# return. The program survives that, but the sanitizer's record of the stack becomes wrong.
tests=(go test -asan -vet=off -count=1 -skip 'NotEscape|Allocs|Allocations|Goexit' "$@")

# The shim's tests free everything, so a leak is an error. In the packages above, a test may
# end while only Go objects refer to a tensor. The leak checker does not search Go's heap,
# so it would report that tensor. These tests count tensors and bytes themselves.
ASAN_OPTIONS="detect_leaks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}" "${tests[@]}" ./cgotorch/...
ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" "${tests[@]}" ./torch/... ./nn/parallel/...
