#!/usr/bin/env bash
# Fuzzes the readers of files and other external input: every fuzz target of every module,
# two at a time on one processor each. It prints a line per target. For a finding it prints
# the input and how to run it again.
#
#   scripts/fuzz.sh [PATTERN]       targets whose "folder Name" matches; default: all
#
# FUZZTIME (60s) applies to the packages that read tensor files, which may be untrusted.
# FUZZTIME_OTHERS (15s) applies to the rest. Inputs that reached new code stay in build/fuzz
# for the next run. Called by `make fuzz`, which sets the environment and MODULES.
set -uo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pattern=${1:-.}
long=${FUZZTIME:-60s}
short=${FUZZTIME_OTHERS:-15s}
# Folders of the targets that get FUZZTIME, including subfolders.
files='^(torch/(safetensors|serialization|numpy|checkpoint|jit|aoti|dlpack)|internal/pickle)(/|$)'

# timed_out reports whether a log has no failure except the timeout. Go's fuzzer reports a
# failure if the time ends while an input is on its way to a worker (golang/go#75804).
timed_out() { # LOG
	local said
	said=$(grep -v -e '^fuzz: elapsed' -e '^FAIL$' "$1" | sed -E 's/ \([0-9.]+s\)$//; s/^ +//')
	[ "$said" = "--- FAIL: $(basename "$1" .log)"$'\n'"context deadline exceeded" ]
}

one() { # FOLDER NAME SECONDS: fuzzes one target
	local dir=$1 name=$2 seconds=$3 start=$SECONDS top=$PWD
	local log=$top/build/fuzz/$dir/$name.log
	# A worker that hangs is killed with its target.
	local status=0
	(cd "$dir" && OMP_NUM_THREADS=1 timeout -k 10 $((${seconds%s} + 180)) "$top/build/fuzz/$dir/fuzz.test" \
		-test.run='^$' -test.fuzz="^$name\$" -test.fuzztime="$seconds" -test.fuzzminimizetime=50x -test.parallel=1 \
		-test.fuzzcachedir="$top/build/fuzz/corpus/$dir" >"$log" 2>&1) || status=$?
	if [ $status = 0 ] || timed_out "$log"; then
		printf 'ok    %-34s %-16s %4d s, %s\n' "$dir" "$name" $((SECONDS - start)) \
			"$(grep -o 'execs: [0-9]*' "$log" | tail -1)"
		return 0
	fi
	printf 'FOUND %-34s %s\n' "$dir" "$name"
	grep -v '^fuzz: elapsed' "$log" | tail -60
	local input
	input=$(grep -o "testdata/fuzz/$name/[0-9a-f]*" "$log" | head -1)
	if [ -n "$input" ] && [ -f "$dir/$input" ]; then
		echo "--- commit $dir/$input with the fix; to run it again: go -C $dir test -run '$name/${input##*/}'"
		head -c 4000 "$dir/$input"
		echo
	fi
	return 1
}
if [ "${1:-}" = --one ]; then
	shift
	one "$@"
	exit
fi

# The targets, with a test program per package. Only the package and the module's internal
# packages are instrumented. The flag -fuzz would instrument all packages, including cgo
# packages, and so recompile all C++.
main=github.com/gotorch/gotorch
mkdir -p build/fuzz
targets=()
failed=0
for module in . ${MODULES:-}; do
	while read -r dir; do
		dir=${dir#"$PWD"/}
		names=$(cat "$dir"/*_test.go | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' | while read -r name; do
			printf '%s %s\n' "$dir" "$name" | grep -E -- "$pattern"
		done)
		[ -n "$names" ] || continue
		mkdir -p "build/fuzz/$dir"
		if ! go -C "$module" test -c -gcflags="$main/internal/...=-d=libfuzzer" -gcflags="$main/$dir=-d=libfuzzer" \
			-gcflags="$main/internal/native/...=" -o "$PWD/build/fuzz/$dir/fuzz.test" "$PWD/$dir"; then
			echo "FAILED to compile $dir"
			failed=1
			continue
		fi
		while read -r dir name; do
			if [[ $dir =~ $files ]]; then targets+=("$dir $name $long"); else targets+=("$dir $name $short"); fi
		done <<<"$names"
	done < <(go -C "$module" list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...)
done
[ ${#targets[@]} -gt 0 ] || {
	echo "no target matches $pattern" >&2
	exit 1
}
# Long targets first, so that both processors finish together.
printf '%s\n' "${targets[@]}" | sort -k3,3r -k1,2 | xargs -P 2 -L 1 scripts/fuzz.sh --one || failed=1
exit $failed
