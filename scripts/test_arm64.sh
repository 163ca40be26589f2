#!/usr/bin/env bash
# Cross-compiles the tests for linux/arm64 and runs them on an emulated processor.
#
#   scripts/test_arm64.sh [GO TEST ARGUMENT...] PACKAGE...
#   scripts/test_arm64.sh --smoke      only machine-dependent tests, as make nightly does
#   scripts/test_arm64.sh --prepare    only install what is missing
#
#   QEMU_CPU   the processor. The default has 256-bit vectors (SVE), for which libtorch has
#              kernels; neoverse-n1 has none
#
# The cross compiler and QEMU are installed if they are missing, which needs root and
# Debian's apt-get. If they cannot be installed, a message says what to install. The exit
# status is 3 if something cannot be installed because Debian's mirror or Python's index
# does not answer. Compiling is as fast as for this machine. The tests take about ten times
# as long.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "test_arm64: $*" >&2; }
die() {
	say "$@"
	exit 1
}
no_network() {
	say "$*: without a network to it nothing is tested"
	exit 3
}

# --- tools ------------------------------------------------------------------

[ "$(uname -s)-$(uname -m)" != Linux-aarch64 ] || die "this is a linux/arm64 machine: use make test"

packages=()
command -v aarch64-linux-gnu-g++ >/dev/null || packages+=(g++-aarch64-linux-gnu)
command -v qemu-aarch64 >/dev/null || packages+=(qemu-user)
if [ ${#packages[@]} -gt 0 ]; then
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
		die "missing, and only root on Debian or Ubuntu can have them installed here: ${packages[*]}"
	apt-get -qq -o APT::Update::Error-Mode=any update ||
		no_network "Debian's mirror does not answer, for ${packages[*]}"
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null ||
		die "apt-get could not install ${packages[*]}"
fi

install=(scripts/install_libtorch.sh --version "${TORCH:-2.11.0}" --machine aarch64)
if ! "${install[@]}"; then
	python3 -I -m pip --disable-pip-version-check index versions torch >/dev/null 2>&1 ||
		no_network "Python's index does not answer, for torch's wheel"
	exit 1
fi
[ "${1:-}" != --prepare ] || exit 0

# --- the tests --------------------------------------------------------------

environment=$("${install[@]}" --print-env)
eval "$environment"

processor=max,sve-default-vector-length=32
# Where the emulator finds the C library of the cross compiler. The variables are exported,
# because some tests start their own program again, which is emulated too.
export QEMU_LD_PREFIX=${QEMU_LD_PREFIX:-/usr/aarch64-linux-gnu} QEMU_CPU=${QEMU_CPU:-$processor}
export GOTORCH_TEST_EXEC=qemu-aarch64
test=(go test -p 1 -vet=off -timeout 60m -exec qemu-aarch64)

if [ "${1:-}" != --smoke ]; then
	args=()
	for a in "$@"; do # ./... leaves out bench, because times mean nothing under emulation
		if [ "$a" = ./... ]; then
			args+=(./cgotorch/... ./internal/... ./torch/... ./nn/... ./optim/... ./memory/... ./torchtest/...)
		else
			args+=("$a")
		fi
	done
	"${test[@]}" "${args[@]}"
	exit
fi

# Skip tests that call every method or a million operators, compile Go code, or wait.
rc=0
skip='Comments|Million|OptionsThat|OptionFamilies|KindsOf|GradientsDoNot|TypedAndBoxed|TablesCompile|PortingRuns'
skip+='|BlocksRun$|WhatFails|PythonPrints|Reports$|Deaths|KnownOp|Tiny|TrackerRecords|CUDALikePython|ToolReads'
"${test[@]}" -skip "^Test($skip)" ./internal/... ./cgotorch/... ./torch ./torch/aten ./memory || rc=1
# On a processor without SVE, libtorch must not call kernels for SVE.
QEMU_CPU=neoverse-n1 "${test[@]}" -run 'LikePython$|Goldens$|Recorded|Guard' ./torch ./torch/aten ./cgotorch/aten ||
	rc=1
exit $rc
