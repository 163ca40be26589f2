#!/usr/bin/env bash
# Runs `go test` with gotestsum, which prints a line with the time of each package and all
# failures at the end, and records how long each test took.
#
#   scripts/timed_test.sh ARGUMENT...   the tests of the current module
#   scripts/timed_test.sh --slowest N   the N slowest tests of the modules that it has run
#
# `make test GOTEST=scripts/timed_test.sh` runs it for each module.
set -euo pipefail

unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=$root/build/tools/gotestsum
kept=$root/build/test-times
mkdir -p "$kept"
[ -x "$tool" ] || CGO_ENABLED=0 GOFLAGS='' go -C "$root/tools" build -o "$tool" gotest.tools/gotestsum

if [ "${1:-}" = --slowest ]; then
	cat "$kept"/*.json | "$tool" tool slowest --threshold 0s --num "$2"
	exit
fi
module=$(go list -m)
exec "$tool" --format pkgname --hide-summary skipped --jsonfile "$kept/${module//\//-}.json" -- "$@"
