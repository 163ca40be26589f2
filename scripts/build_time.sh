#!/usr/bin/env bash
# Measures how long the first build of the shim takes: ./cgotorch/... with an empty build
# cache and two compilers at a time. Go's standard library is compiled before the
# measurement. Prints "bench shim_s=SECONDS cpu_s=SECONDS". Needs the environment that
# `install_libtorch.sh --print-env` prints.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

GOCACHE=$(mktemp -d)
export GOCACHE
trap 'rm -rf "$GOCACHE"' EXIT
mapfile -t standard < <(go list -deps -f '{{if .Standard}}{{.ImportPath}}{{end}}' ./cgotorch/...)
go build "${standard[@]}"
TIMEFORMAT='bench shim_s=%R cpu_s=%U'
{ time go build -p 2 ./cgotorch/... 2>&3; } 3>&2 2>&1
