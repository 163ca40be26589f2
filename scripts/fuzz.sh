#!/usr/bin/env bash
# Fuzzes the readers of files and other external input: every fuzz target of every module,
# two at a time on one processor each. The script prints a line per target. If a target
# fails, it prints the input and how to run the target with it again.
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
# The folders (with subfolders) whose targets run for FUZZTIME.
files='^(torch/(safetensors|serialization|numpy|checkpoint|jit|export|aoti|dlpack)|internal/pickle)(/|$)'

# timed_out LOG succeeds if the only failure in the log is that the time was over. Go's
# fuzzer reports such a failure if the time ends while it sends an input to a worker
# (golang/go#75804).
timed_out() { # LOG
	local said
	said=$(grep -v -e '^fuzz: elapsed' -e '^FAIL$' "$1" | sed -E 's/ \([0-9.]+s\)$//; s/^ +//')
	[ "$said" = "--- FAIL: $(basename "$1" .log)"$'\n'"context deadline exceeded" ]
}

one() { # one FOLDER NAME SECONDS fuzzes one target
	local dir=$1 name=$2 seconds=$3 start=$SECONDS top=$PWD
	local log=$top/build/fuzz/$dir/$name.log
	# If a worker hangs, it is killed together with its target.
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

# Find the targets, and compile a test program for each package. Only the package and the
# module's internal packages are instrumented. The flag -fuzz of go test would instrument
# all packages, even those with cgo, and so compile all C++ again.
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
# Start with the targets that run longest, so that both processors finish at about the same
# time.
printf '%s\n' "${targets[@]}" | sort -k3,3r -k1,2 | xargs -P 2 -L 1 scripts/fuzz.sh --one || failed=1
exit $failed
