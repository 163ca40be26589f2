#!/usr/bin/env bash
# The peak of native memory over all modules of nn, beside Python's for the same module
# and input: the worst of all, of a forward pass without gradients and of one with its
# backward pass. Python's peaks are those that nn/testdata/make_peaks.py recorded, which
# count bytes and are the same on every machine. Prints "bench inference=RATIO
# training=RATIO". Expects the environment that `install_libtorch.sh --print-env` prints.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

go test ./nn -run '^TestPeaks$' -count=1 -v |
	sed -nE 's/.* modules; worst inference ([0-9.]+) \(.*\), training ([0-9.]+) \(.*\)$/bench inference=\1 training=\2/p' |
	grep .
