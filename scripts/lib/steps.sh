# shellcheck shell=bash
# Runs named steps one after another, and records their results. Sourced by .ci/run and
# scripts/nightly.sh, in the root of the checkout.
#
# $logs names the folder of their outputs, a file per step. Its file results.tsv has a line
# per step: name, result, seconds and commit, separated by tabs. After a failed step the next
# one still runs.
results=$logs/results.tsv
mkdir -p "$logs"
touch "$results"

# The tested commit. It ends in -dirty if there are uncommitted changes. Then no commit
# counts as tested. Changes of docs/timed-commands.md are ignored, because a step writes that
# file.
commit=$(git -c safe.directory='*' rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
[ -z "$(git -c safe.directory='*' status --porcelain -- . ':!docs/timed-commands.md' 2>/dev/null)" ] || commit+=-dirty

# log NAME prints the file of a step's output.
log() { echo "$logs/${1//[^[:alnum:].-]/-}.log"; }

# step NAME LIMIT COMMAND... runs a command. A command that takes longer than LIMIT is
# killed, because it has probably hung.
step() {
	local name=$1 limit=$2 start=$SECONDS result=ok
	shift 2
	echo "=== $name"
	# timeout creates a process group for the command, which Ctrl-C does not reach. Bash
	# makes background processes ignore SIGINT, but tests send SIGINT to the programs that
	# they start, so its default action is restored.
	timeout -k 30 "$limit" env --default-signal=INT,QUIT "$@" </dev/null > >(tee "$(log "$name")") 2>&1 &
	local group=$!
	trap 'kill -TERM -- -'"$group"'; exit 130' INT TERM HUP
	wait "$group" || result=FAILED
	trap - INT TERM HUP
	[ "$result" = ok ] || echo "=== $name FAILED; $(space)"
	printf '%s\t%s\t%d\t%s\n' "$name" "$result" $((SECONDS - start)) "$commit" >>"$results"
}

# space prints how much space is free on the disks that the steps fill.
space() {
	df -h --output=avail,target . "${TMPDIR:-/tmp}" "$HOME" |
		awk 'NR > 1 && !seen[$0]++ { printf "%s%s free on %s", sep, $1, $2; sep = ", " }'
}

# ends prints the last lines of the output of each failed step.
ends() {
	local name
	while read -r name; do
		echo "=== the end of $name"
		tail -n 15 "$(log "$name")" | cut -c1-300
	done < <(failures)
}

# table prints the result of the last run of each step.
table() {
	awk -F '\t' '
		!($1 in line) { order[++n] = $1 }
		{ line[$1] = sprintf("%-34s %-7s %5d s  %s", $1, $2, $3, $4) }
		END { for (i = 1; i <= n; i++) print line[order[i]] }' "$results"
}

# failures [NAME...] prints the names of the steps, or of those given, whose last run
# failed.
failures() {
	awk -F '\t' '{ last[$1] = $2 } END { for (s in last) if (last[s] != "ok") print s }' "$results" | sort |
		if [ $# = 0 ]; then cat; else grep -Fx -f <(printf '%s\n' "$@") || true; fi
}
