#!/usr/bin/env bash
# Compares the peak of native memory of all modules of nn with Python's for the same
# module and input. Prints the worst ratio as "bench inference=RATIO training=RATIO",
# once for a forward pass without gradients, and once for a forward and backward pass.
# nn/testdata/make_members.py has recorded Python's peaks, which are byte counts and the
# same on every machine. Needs the environment that `install_libtorch.sh --print-env`
# prints.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

worst='.* modules; worst inference ([0-9.]+) \(.*\), training ([0-9.]+) \(.*\)$'
go test ./nn -run '^TestPeaks$' -count=1 -v |
	sed -nE "s/$worst/bench inference=\1 training=\2/p" |
	grep .
