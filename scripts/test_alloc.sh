#!/usr/bin/env bash
# Builds and runs the CPU allocator's stress test three times: without a sanitizer, with
# AddressSanitizer and with ThreadSanitizer.
#
#   scripts/test_alloc.sh [seconds] [threads]     (default: 10 seconds, 8 threads)
set -euo pipefail

seconds=${1:-10}
threads=${2:-8}
unset CDPATH
src=$(cd "$(dirname "$0")/../cgotorch/mem" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

for mode in plain address thread; do
  flags=(-O2)
  if [ "$mode" != plain ]; then
    flags=(-O1 -g "-fsanitize=$mode")
  fi
  "${CXX:-g++}" -std=c++20 -Wall -Wextra "${flags[@]}" -pthread -o "$out/stress_$mode" \
    "$src"/stress/stress.cpp "$src"/alloc_{core,heap,small,stats,view}.cpp "$src"/history.cpp
  echo "== $mode"
  "$out/stress_$mode" "$seconds" "$threads"
done
