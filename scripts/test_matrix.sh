#!/usr/bin/env bash
# Runs the tests as on other machines: with other vector instructions, on one CPU, with the
# system's allocator, and as an unprivileged user in a folder with spaces in its name.
#
#   scripts/test_matrix.sh [VARIANT...]     (default: all, in this order)
#
#   default avx2   libtorch's kernels for processors without AVX-512 or without any AVX:
#                  the packages that compute; not memory, whose byte counts do not depend
#                  on kernels
#   onecpu         GOMAXPROCS=1: one goroutine at a time in native code; without the
#                  packages that only read files of the tree
#   system         GOTORCH_CPU_ALLOCATOR=system
#   busy           all packages, next to four processes that are always busy
#   elsewhere      a copy of the tree, installed, built and tested by the user nobody: the
#                  packages that read files by path or start programs, and their
#                  dependencies. ELSEWHERE names other packages; all packages would repeat
#                  the whole suite for tests that do not depend on paths
#
# Each test program is built once for all variants, and without vet, which is a separate
# step. Called by `make test MODE=matrix`, which sets the environment. TORCH is the version of
# libtorch.
set -uo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

variants=("$@")
[ $# -gt 0 ] || variants=(default avx2 onecpu system busy elsewhere)
export tmp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=()
summary=()

# Builds, below $tmp, the tests of those packages of MODULE that match a PATTERN.
build() { # MODULE PATTERN...
	local module=$1 dir
	shift
	while read -r dir; do
		dir=${dir#"$PWD"/}
		mkdir -p "$tmp/$dir"
		(cd "$module" && go test -c -vet=off -o "$tmp/$dir/run.test" "$OLDPWD/$dir") || return 1
	done < <(go -C "$module" list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' "$@")
}

# Runs all test programs below the folders, each in the folder of its package. It runs as
# many at the same time as `go test` would.
run() { # VARIANT ENVIRONMENT FOLDER...
	local name=$1 setting=$2 start=$SECONDS verdict=ok
	shift 2
	echo "--- $name: $setting"
	(cd "$tmp" && find "$@" -name run.test -print0 2>/dev/null | sort -z) |
		xargs -0 -r -n 1 -P "$(nproc)" bash -c 'run_one "$@"' _ "$setting" || verdict=FAILED
	note "$name" "$verdict" $((SECONDS - start))
}

# Runs one test program. Prints its output in one piece, and only if it failed.
run_one() { # ENVIRONMENT PROGRAM
	local dir log
	dir=$(dirname "$2")
	log=$(mktemp -p "$tmp")
	(cd "$dir" && env "$1" "$tmp/$2" -test.timeout=1h) >"$log" 2>&1 || {
		printf 'FAIL %s\n%s\n' "$dir" "$(<"$log")"
		return 1
	}
	rm "$log"
}
export -f run_one

note() { # VARIANT VERDICT SECONDS
	[ "$2" = ok ] || failed+=("$1")
	summary+=("$(printf '%-12s %-6s %4d s' "$@")")
}

# Tests a copy of the tree as the user nobody. The copy does not contain files that git
# ignores. Dependencies are vendored and libtorch is copied, because that user may not be
# able to read the originals.
elsewhere() {
	local start=$SECONDS verdict=ok root
	local tree="$tmp/a path with spaces/gotorch" user=()
	root=$(scripts/install_libtorch.sh --version "${TORCH:-2.11.0}" --print-root) || return 1
	echo "--- elsewhere: $tree"
	chmod 755 "$tmp"
	mkdir -p "$tree" "$tmp/a home"
	git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C "$tree"
	(cd "$tree" && go mod vendor) || verdict=FAILED
	# In wheels the CUDA runtime is next to the folder torch. Create hard links if the files
	# are on the same disk.
	mkdir "$tmp/libtorch"
	local from=("$root")
	[ ! -d "$root/../nvidia" ] || from+=("$root/../nvidia")
	cp -rl "${from[@]}" "$tmp/libtorch/" 2>/dev/null || cp -r "${from[@]}" "$tmp/libtorch/" || verdict=FAILED
	if [ "$(id -u)" = 0 ]; then
		chown -R nobody "$tree" "$tmp/a home"
		user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
	fi
	(cd "$tree" && env -i "${user[@]}" env PATH="$PATH" HOME="$tmp/a home" \
		LIBTORCH="$tmp/libtorch/$(basename "$root")" make test TORCH="${TORCH:-2.11.0}" \
		PKG="${ELSEWHERE:-./torchtest ./nn/... ./cgotorch ./internal/...}") || verdict=FAILED
	note elsewhere "$verdict" $((SECONDS - start))
}

# busy runs all tests that were built, while other processes keep the machine busy.
busy() {
	local others=()
	for _ in 1 2 3 4; do
		while :; do :; done &
		others+=($!)
	done
	run busy -- .
	kill "${others[@]}"
}

numbers=(cgotorch torch torchtest nn optim examples)
start=$SECONDS
case "${variants[*]}" in
elsewhere) ;;
*)
	build . ./... && build examples ./... || exit 1
	summary+=("$(printf '%-12s %-6s %4d s' build ok $((SECONDS - start)))")
	;;
esac
for v in "${variants[@]}"; do
	case $v in
	default | avx2) run "$v" ATEN_CPU_CAPABILITY="$v" "${numbers[@]}" ;;
	onecpu) run "$v" GOMAXPROCS=1 "${numbers[@]}" memory internal/native ;;
	system) run "$v" GOTORCH_CPU_ALLOCATOR=system cgotorch torch nn optim memory ;;
	busy) busy ;;
	elsewhere) elsewhere || note elsewhere FAILED 0 ;;
	*)
		echo "test_matrix: no variant $v" >&2
		exit 2
		;;
	esac
done
printf '%s\n' "${summary[@]}"
if [ ${#failed[@]} -gt 0 ]; then
	echo "FAIL: ${failed[*]}"
	exit 1
fi
