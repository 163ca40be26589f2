#!/usr/bin/env bash
# How long the first build of the shim takes: ./cgotorch/... with an empty build
# cache and two compilers at a time. Prints "bench shim_s=SECONDS cpu_s=SECONDS".
# Expects the environment that `install_libtorch.sh --print-env` prints.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
TIMEFORMAT='bench shim_s=%R cpu_s=%U'
{ time GOCACHE=$cache go build -p 2 ./cgotorch/... 2>&3; } 3>&2 2>&1
