# Fills Go's build cache with gotorch's packages for install_libtorch.sh --build.
# Sourced; uses its variables.
# shellcheck shell=bash disable=SC2154

# build_fault prints why the packages cannot be built here. If they can, it prints nothing.
build_fault() {
	local tool
	for tool in go "$cxx"; do
		command -v "$tool" >/dev/null || { echo "$tool is missing"; return; }
	done
}

# first_build builds every package that a program may import. It uses the same folder and
# flags as `go run` of a program; otherwise `go run` would not find the results in the build
# cache.
first_build() {
	local source module packages total
	source=$(dirname "$here")
	eval "$(print_env)"
	module=$(GOWORK=off go -C "$source" list -m) || return
	packages=$(GOWORK=off go -C "$source" list -find ./... | grep -vE '/(internal|bench|cmd|torchtest)(/|$)') || return
	# If a module requires gotorch, run go in that module, so that -trimpath matches too.
	if [ "$(go list -m -f '{{.Dir}}' "$module" 2>/dev/null)" != "$source" ]; then
		cd "$source"
		export GOWORK=off
	fi
	# shellcheck disable=SC2086 # one package per word
	total=$(go list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' $packages | grep -c .) || true
	[ "$total" -gt 0 ] || return 0
	say "building gotorch's $total packages; Ctrl-C leaves that to the first go build"
	# shellcheck disable=SC2086
	go build -v $packages 2>&1 | show_progress "$total"
}

# Reads the output of `go build -v`, which prints a package's name when its build begins,
# and shows the progress. In a terminal it uses one line, which includes the time. All other
# lines come from the compiler and are printed.
show_progress() { # TOTAL
	local line='' last='' rc begun=0 terminal='' start=$SECONDS
	[ ! -t 2 ] || terminal=1
	while :; do
		rc=0
		IFS= read -r -t 1 line || rc=$?
		if [ $rc = 0 ]; then
			if [[ $line =~ ^[a-z][^\ :]*$ ]]; then
				begun=$((begun + 1)) last=$line
				[ -n "$terminal" ] || [ "${line#"$module"/}" = "$line" ] ||
					printf '%4d of %d  %s\n' $begun "$1" "$line" >&2
			else
				[ -z "$terminal" ] || printf '\r\033[K' >&2
				printf '%s\n' "$line" >&2
			fi
		elif [ $rc -le 128 ]; then # read failed at the end of the input, and not because of its timeout -t
			break
		fi
		[ -z "$terminal" ] ||
			printf '\r\033[K%4d of %d, %d s  %s' $begun "$1" $((SECONDS - start)) "${last#"$module"/}" >&2
	done
	[ -z "$terminal" ] || printf '\r\033[K' >&2
}
