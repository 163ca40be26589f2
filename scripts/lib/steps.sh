# shellcheck shell=bash
# Runs named steps, one after another, and keeps what became of them: sourced by .ci/run and
# scripts/nightly.sh, from the top of the checkout.
#
# $results names the file, a line for each step: name, result, seconds and commit, between
# tabs. A step that fails does not keep the next from running.

# The commit that is tested. With changes that are not committed it stands for no tree.
commit=$(git -c safe.directory='*' rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
[ -z "$(git -c safe.directory='*' status --porcelain 2>/dev/null)" ] || commit+=-dirty

# step NAME LIMIT COMMAND... runs a command. One that takes longer than LIMIT has hung.
step() {
	local name=$1 limit=$2 start=$SECONDS result=ok
	shift 2
	echo "=== $name"
	timeout -k 30 "$limit" "$@" </dev/null || result=FAILED
	[ "$result" = ok ] || echo "=== $name FAILED"
	printf '%s\t%s\t%d\t%s\n' "$name" "$result" $((SECONDS - start)) "$commit" >>"$results"
}

# table prints the file's steps, the last run of each.
table() {
	awk -F '\t' '
		!($1 in line) { order[++n] = $1 }
		{ line[$1] = sprintf("%-34s %-7s %5d s  %s", $1, $2, $3, $4) }
		END { for (i = 1; i <= n; i++) print line[order[i]] }' "$results"
}

# failures prints the names of the steps whose last run failed.
failures() {
	awk -F '\t' '{ last[$1] = $2 } END { for (s in last) if (last[s] != "ok") print s }' "$results" | sort
}
