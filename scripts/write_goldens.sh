#!/usr/bin/env bash
# The tests of nn, nn/functional and optim have tables. For each new row of a table, this
# script computes the expected results in Python and writes them to testdata. Also writes
# the constructors that internal/conformance calls. `make generate MODE=goldens` calls it
# and sets the environment. Python is that of build/venv or GOTORCH_PYTHON.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

GOTORCH_PYTHON=${GOTORCH_PYTHON:-$(bench/setup_python.sh)}
export GOTORCH_PYTHON
mkdir -p build
export GOTORCH_COUNTING=$PWD/build/libcounting.so
# The library is loaded into Python, so it must be compiled with the headers of Python's torch.
torch=$("$GOTORCH_PYTHON" -c '
import importlib.util
print(importlib.util.find_spec("torch").submodule_search_locations[0])')
"${CXX:-g++}" -O2 -std=c++17 -shared -fPIC -I"$torch/include" -o "$GOTORCH_COUNTING" \
	bench/cpp/counting_allocator.cpp -L"$torch/lib" -lc10
GOTORCH_WRITE_GOLDENS=1 go test -vet=off -count=1 -run '^(TestMembers|TestOwn.*)$' \
	./nn ./nn/functional ./optim ./internal/conformance
