#!/usr/bin/env bash
# Runs the checks that take too long for each commit: other versions, other machines,
# sanitizers, fuzzing, conformance, and programs that run for hours. At the end it prints a
# table with each step's result, time and commit. It fails if a step failed.
#
#   scripts/nightly.sh              the steps that have not passed on this commit
#   scripts/nightly.sh NAME...      these steps, again
#   scripts/nightly.sh --list       list the steps
#   scripts/nightly.sh --table      print the current table
#
# The script can be interrupted at any time. The next call continues with the step that was
# running. The logs are in build/nightly. `make nightly` calls it.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

logs=$PWD/build/nightly
# shellcheck source=scripts/lib/steps.sh
. scripts/lib/steps.sh

# Variables of the make that calls this script, such as ARGS, must not affect the steps.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MODE ARGS PKG

# Make the tests more thorough than for each commit: more random cases, more killed
# processes.
export GOTORCH_TEST_THOROUGH=1

# steps prints the name, time limit and command of each step. Quick steps come first.
steps() {
	cat <<-'LIST'
		site            30m  make test MODE=site
		allocator       1h   make test MODE=alloc
		team            1h   make test MODE=team
		debug           1h   make test MODE=debug
		cudasim         2h   make test MODE=cudasim
		asan            2h   make test MODE=asan
		race            3h   make test MODE=race
		stress          1h   make test MODE=stress
		tests           3h   make test
		libtorch-2.15.0 3h   make test TORCH=2.15.0
		machines        5h   make test MODE=matrix ARGS=default\ avx2\ onecpu\ system\ busy
		elsewhere       2h   make test MODE=matrix ARGS=elsewhere
		fuzz            3h   make fuzz
		fuzz-ops        1h   make fuzz MODE=ops ARGS=-allow\ 10
		fuzz-ops-plain  1h   ATEN_CPU_CAPABILITY=default make fuzz MODE=ops ARGS=-allow\ 10
		conformance     3h   make test MODE=conformance CLOSE=10
		notebooks       1h   make notebooks ARGS=--starts\ 3
		jupyter         1h   make test MODE=jupyter
		container       3h   make test MODE=container
		darwin          3h   make build MODE=darwin
		arm64           5h   make test MODE=arm64 ARGS=--smoke
		twins           3h   make bench MODE=twins
		first-hour      3h   make generate MODE=first-hour
		soak            2h   make bench MODE=soak
	LIST
}

run() { # NAME
	local name limit command
	read -r name limit command < <(steps | awk -v name="$1" '$1 == name')
	step "$name" "$limit" bash -c "$command"
}

# passed succeeds if the last run of step NAME was on this commit and passed.
passed() { # NAME
	[[ $commit != *-dirty ]] && [ "$(grep -P "^$1\t" "$results" | tail -1 | cut -f2,4)" = "ok	$commit" ]
}

case ${1:-} in
--list)
	steps
	exit
	;;
--table)
	table
	exit
	;;
esac

for name in "$@"; do
	steps | awk '{ print $1 }' | grep -Fxq -- "$name" || {
		echo "nightly: no step $name; --list has them" >&2
		exit 2
	}
done
# shellcheck source=scripts/lib/debian.sh
. scripts/lib/debian.sh
need_packages
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(steps | awk '{ print $1 }')
for name in "${names[@]}"; do
	if [ $# = 0 ] && passed "$name"; then
		echo "=== $name passed on $commit before"
	else
		run "$name"
	fi
done

table
[ -z "$(failures "${names[@]}")" ]
