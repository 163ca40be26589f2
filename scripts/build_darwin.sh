#!/usr/bin/env bash
# Cross-compiles every package for macOS on Apple silicon, and links the examples. Nothing
# is run, because that needs a Mac. The programs would not run on a Mac either: zig links
# its own C++ library into them, in addition to the system's, which libtorch loads.
#
#   scripts/build_darwin.sh              all modules; programs in build/darwin/bin
#   scripts/build_darwin.sh --prepare    only install the compiler and libtorch
#
# The compiler is zig's, from Python's package index. zig has macOS's C library, and
# internal/cmd/darwin writes stubs for the other libraries that Go links. If ccache is
# installed, a second run compiles little. The exit status is 3 if Python's index does not
# answer.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

zig=0.17.1
least=14.0 # the oldest macOS that libtorch 2.15.0 supports
torch=${TORCH:-2.11.0}
out=$PWD/build/darwin

say() { echo "build_darwin: $*" >&2; }
no_network() {
	python3 -I -m pip --disable-pip-version-check index versions "$1" >/dev/null 2>&1 && exit 1
	say "Python's index does not answer, for $1: without it nothing is built"
	exit 3
}

# --- tools ------------------------------------------------------------------

[ -x "$out/venv/bin/python" ] || python3 -I -m venv "$out/venv"
"$out/venv/bin/pip" install --quiet --disable-pip-version-check "ziglang==$zig" || no_network ziglang
program=$("$out/venv/bin/python" -I -c \
	'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
GOOS='' GOARCH='' CGO_ENABLED=0 go run ./internal/cmd/darwin stubs "$(go env GOROOT)" "$out/stubs"

wrap() { # wrap NAME COMMAND writes a program NAME that runs zig COMMAND, with ccache if it is installed.
	cat >"$out/$1-alone" <<EOF
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR=$(printf %q "$out/cache")
# With -### Go asks which commands the compiler would run. zig runs them instead of printing
# them, so let it write its output to this folder.
case " \$* " in *' -### '*) cd $(printf %q "$out") ;; esac
exec $(printf %q "$program") $2 -target aarch64-macos.$least \\
	-F$(printf %q "$out/stubs") -L$(printf %q "$out/stubs") "\$@"
EOF
	cat >"$out/$1" <<EOF
#!/bin/sh
command -v ccache >/dev/null || exec $(printf %q "$out/$1-alone") "\$@"
export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK='string:zig $zig macos $least'
exec ccache $(printf %q "$out/$1-alone") "\$@"
EOF
	chmod +x "$out/$1-alone" "$out/$1"
}
wrap clang cc
wrap clang++ c++

install=(scripts/install_libtorch.sh --version "$torch" --machine darwin-arm64)
"${install[@]}" || no_network torch
[ "${1:-}" != --prepare ] || exit 0

# --- packages ---------------------------------------------------------------

# -w omits debug information, for which Go would need a tool that only macOS has.
root=$("${install[@]}" --print-root)
environment=$(unset CC_FOR_darwin_arm64 CXX_FOR_darwin_arm64 && "${install[@]}" --print-env)
eval "$environment"
export CCACHE_SLOPPINESS=random_seed CCACHE_NOHASHDIR=1

# Lists packages that need something that only a Mac has: libjpeg, or the header
# mach/mach_vm.h, which Prometheus's client includes and zig lacks.
left_out() {
	go -C "$1" list -f '{{.ImportPath}} {{join .Deps " "}}' ./... |
		awk '/torch\/data\/codecs\/turbojpeg|client_golang\/prometheus( |$)/ { print $1 }'
}

rows=() rc=0
row() { rows+=("$(printf '%-24s %8s  %s' "$1" "$2" "$3")"); }
build() { # MODULE
	local module=$1 start=$SECONDS all without packages failed
	all=$(go -C "$module" list -f '{{if or .GoFiles .CgoFiles}}{{.ImportPath}}{{end}}' ./...)
	without=$(left_out "$module")
	packages=$(grep -vxF "${without:-none}" <<<"$all" || true)
	# shellcheck disable=SC2086 # one package per word
	if [ -n "$packages" ] && ! go -C "$module" build -ldflags=-w -o /dev/null $packages 2>"$out/errors"; then
		cat "$out/errors" >&2
		failed=$(grep -c '^# ' "$out/errors") || true
		rc=1
	fi
	row "${module/#./the library}" "$((SECONDS - start)) s" \
		"$(wc -w <<<"$packages") packages${failed:+, $failed FAILED}${without:+, left out: ${without//$'\n'/ }}"
}
build .
for module in $MODULES; do
	build "$module"
done

# --- programs ---------------------------------------------------------------

start=$SECONDS
rm -rf "${out:?}/bin"
mkdir "$out/bin"
all=$(go -C examples list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./...)
without=$(left_out examples)
programs=$(grep -vxF "${without:-none}" <<<"$all")
# shellcheck disable=SC2086 # one package per word
go -C examples build -ldflags=-w -o "$out/bin/" $programs || rc=1
row "examples, linked" "$((SECONDS - start)) s" "$(find "$out/bin" -type f | wc -l) of $(wc -w <<<"$all") programs"
unset GOOS GOARCH CC CXX
CGO_ENABLED=0 go run ./internal/cmd/darwin check "$root/lib" "$out"/bin/* || rc=1

echo
echo "for darwin/arm64 with libtorch $torch, not run:"
printf '  %s\n' "${rows[@]}"
exit $rc
