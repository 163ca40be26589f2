#!/usr/bin/env bash
# Runs random parallel regions with libgomp and with gotorch's thread team. The results must
# be equal. Then it runs them with the team under AddressSanitizer and ThreadSanitizer.
#
#   scripts/test_team.sh [seeds] [callers]     (default: 300 seeds, 8 callers)
set -euo pipefail

seeds=${1:-300}
callers=${2:-8}
unset CDPATH
src=$(cd "$(dirname "$0")/../cgotorch/team" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# All files of the team except active.cpp, which needs libtorch.
team=()
for file in "$src"/*.cpp; do
	[ "${file##*/}" = active.cpp ] || team+=("$file")
done

# build NAME FILES... -- FLAGS...
build() {
	local name=$1 files=()
	shift
	for (( ; $# > 0; )); do
		[ "$1" != -- ] || { shift && break; }
		files+=("$1")
		shift
	done
	"${CXX:-g++}" -std=c++20 -Wall -Wextra -fopenmp -pthread -rdynamic "$@" -o "$out/$name" \
		"$src/stress/stress.cpp" "${files[@]}" -Wl,--no-as-needed -ldl
}

build libgomp -- -O2
build team "${team[@]}" -- -O2
build address "${team[@]}" -- -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
build thread "${team[@]}" -- -O1 -g -fsanitize=thread

# Without randomized addresses (setarch -R), because sanitizers expect certain memory
# addresses to be free.
for mode in libgomp team address thread; do
	echo "== $mode"
	setarch -R "$out/$mode" "$seeds" "$callers" >"$out/$mode.txt"
	cmp "$out/libgomp.txt" "$out/$mode.txt"
done
