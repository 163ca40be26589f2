#!/usr/bin/env bash
# Runs the sh blocks of pages, command by command, like a reader who starts at the top. Each
# page has one shell, so that its folder and variables persist.
#
#   pages.sh --list PAGE...      prints the commands without running them
#   pages.sh TABLE LOG PAGE...   runs them. A line of TABLE has the page, seconds, CPU seconds,
#                                verdict and command, separated by tabs. LOG has their output
#
# A page is FOLDER:FILE: the folder in which its shell starts, and the page's file. An HTML
# comment before a block changes how it runs:
#
#   <!-- run: not, WHY -->              do not run its commands
#   <!-- run: root -->                  changes the system: run only if ROOT=1
#   <!-- run: background, until TEXT -->  a server: run the next command once it has
#                                       printed TEXT, and interrupt it at the end of
#                                       the page
#
# Commands that match the extended regular expression WITHOUT are skipped, and all commands
# after MINUTES. The exit status is 1 if a command failed.
set -uo pipefail

# A process that starts with SIGINT ignored, such as a background process of a script,
# passes this on to its children, and a shell cannot undo it. Then this script could not
# interrupt the servers that it starts.
if (($(sed -n 's/^SigIgn:[[:space:]]*/0x/p' "/proc/$$/status") & 2)); then
	exec env --default-signal=INT "$BASH" "$0" "$@"
fi

die() {
	echo "pages: $*" >&2
	exit 2
}

# complete TEXT succeeds if a shell would run TEXT at once, and not wait for another line.
complete() { [ "${1%\\}" = "$1" ] && [ -z "$(bash -n <<<"$1" 2>&1)" ]; }

# without_comment COMMAND prints the command as the table shows it: on one line, without
# comments.
without_comment() {
	local first=${1%%$'\n'*} more=''
	[ "$first" = "$1" ] || more=' ...'
	[ "${first%\\}" = "$first" ] || {
		first=$(sed -z 's/[[:space:]]*\\\n[[:space:]]*/ /g' <<<"$1")
		first=${first%%$'\n'*} more=''
	}
	sed 's/[[:space:]][[:space:]]*# .*$//; s/[[:space:]]*$//' <<<"$first$more"
}

# read_page FILE sets the arrays marks and commands to the page's comments and commands, in
# order.
read_page() {
	local line mark='' inside='' text='' number=0
	marks=() commands=()
	while IFS= read -r line; do
		number=$((number + 1))
		if [ -n "$inside" ]; then
			if [ "$line" = '```' ]; then
				[ -z "$text" ] || die "$1:$number: a command ends with its block: $text"
				inside='' mark=''
				continue
			fi
			text+=${text:+$'\n'}$line
			complete "$text" || continue
			[[ $text =~ ^[[:space:]]*(#.*)?$ ]] || {
				marks+=("$mark")
				commands+=("$text")
			}
			text=''
		elif [[ $line =~ ^'<!-- run: '(.*)' -->'$ ]]; then
			mark=${BASH_REMATCH[1]}
			[[ $mark =~ ^(root|not, .+|background, until .+)$ ]] || die "$1:$number: unknown mark: $mark"
		elif [ "$line" = '```sh' ]; then
			inside=1
		elif [ -n "$line" ]; then
			[ -z "$mark" ] || die "$1:$number: expected a block of sh after the mark"
		fi
	done <"$1"
	[ -z "$inside" ] || die "$1: a block has no end"
}

# since START prints the seconds since START, with one decimal.
since() {
	local us=$((10#${EPOCHREALTIME/./} - 10#${1/./}))
	printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}

# worked sets tenths to the CPU time that the shell's finished commands have used, in tenths
# of a second.
worked() {
	local part user system all=0
	times >"$log.times"
	{ read -r part && read -r user system; } <"$log.times"
	for part in $user $system; do
		[[ $part =~ ^([0-9]+)m([0-9]+)\.([0-9]) ]]
		all=$((all + 600 * BASH_REMATCH[1] + 10 * BASH_REMATCH[2] + BASH_REMATCH[3]))
	done
	tenths=$all
}

# row SECONDS CPU-SECONDS VERDICT COMMAND adds a line to the table.
row() {
	printf '%s\t%s\t%s\t%s\t%s\n' "$page" "$1" "$2" "$3" "$(without_comment "$4")" >>"$table"
	printf '%-28s %8s s %8s s  %-10s %s\n' "$page" "$1" "$2" "$3" "$(without_comment "$4")" >&2
}

# background COMMAND TEXT starts a command in the background, and waits until the command's
# log contains TEXT.
background() {
	local out=$log.background start=$EPOCHREALTIME
	: >"$out"
	background=$1
	set -m
	(eval "$1") >"$out" 2>&1 </dev/null &
	servers+=($!)
	set +m
	while ! grep -qF -- "$2" "$out"; do
		if ! kill -0 "${servers[-1]}" 2>/dev/null; then
			cat "$out" >>"$log"
			return 1
		fi
		sleep 0.2
	done
	took=$(since "$start")
}

# stop interrupts the page's servers, as Ctrl-C does. They must end successfully within
# PATIENCE seconds.
stop() {
	local s rc=0 end
	for s in "${servers[@]}"; do
		kill -INT -- "-$s" 2>/dev/null
		end=$((SECONDS + ${PATIENCE:-60}))
		while kill -0 "$s" 2>/dev/null && [ $SECONDS -lt $end ]; do sleep 0.1; done
		kill -KILL -- "-$s" 2>/dev/null
		wait "$s" || ended_well || rc=1
	done
	[ ${#servers[@]} = 0 ] || cat "$log.background" >>"$log"
	servers=()
	return $rc
}

# ended_well succeeds if the interrupted command was `go run` and the program itself ended
# with status 0. After an interrupt, go 1.26.8 always ends with status 1. It prints "exit
# status" only if the program failed.
ended_well() { grep -qE '^[[:space:]]*go run ' <<<"$background" && ! grep -q '^exit status' "$log.background"; }

# run_page FOLDER runs the commands of a page. Call it in a subshell, so that the next page
# starts afresh.
run_page() {
	local i mark command start took before tenths verdict servers=() bad=0
	cd "$1" || {
		row - - FAILED "cd $(basename "$1")"
		return 1
	}
	set +uo pipefail # these options are only for this script, not for the page's commands
	for i in "${!commands[@]}"; do
		mark=${marks[i]} command=${commands[i]}
		printf '\n%s $ %s\n' "$page" "$command" >>"$log"
		if [ $SECONDS -ge $((60 * ${MINUTES:-1000})) ] ||
			{ [ -n "${WITHOUT:-}" ] && grep -qE -- "$WITHOUT" <<<"$command"; }; then
			row - - "left out" "$command"
			continue
		fi
		case $mark in
		'not, '*) row - - "not run: ${mark#not, }" "$command" && continue ;;
		root) [ "${ROOT:-}" = 1 ] || { row - - "not run: needs a system of its own" "$command" && continue; } ;;
		'background, until '*)
			if background "$command" "${mark#background, until }"; then
				row "$took" - ok "$command"
			else
				row - - FAILED "$command"
				bad=1
			fi
			continue
			;;
		esac
		worked
		before=$tenths start=$EPOCHREALTIME verdict=ok
		eval "$command" </dev/null >>"$log" 2>&1 || verdict=FAILED bad=1
		took=$(since "$start")
		worked
		row "$took" $(((tenths - before) / 10)).$(((tenths - before) % 10)) $verdict "$command"
	done
	stop || {
		row - - FAILED "# interrupting the server"
		bad=1
	}
	return $bad
}

[ "${1:-}" = --list ] || {
	table=$1 log=$2
	: >"$table" >"$log"
	shift
}
failed=0
for page in "${@:2}"; do
	folder=${page%%:*} file=${page#*:}
	read_page "$file"
	page=${file#"${PAGES:-}"}
	if [ "${1:-}" = --list ]; then
		for i in "${!commands[@]}"; do
			printf '%s\t%s\t%s\n' "$page" "${marks[i]}" "$(without_comment "${commands[i]}")"
		done
	else
		(run_page "$folder") || failed=1
	fi
done
exit $failed
