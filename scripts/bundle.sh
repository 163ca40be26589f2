#!/usr/bin/env bash
# Copies a program and the shared libraries that it needs to a folder. The folder can be
# copied to other machines.
#
#   scripts/bundle.sh [--libc] PROGRAM DIR
#
# The script creates bin/PROGRAM and lib/ in DIR. The program finds its libraries in lib/,
# and not where they were when it was built. It uses the C library of the system on which it
# runs. With --libc the C library is copied too, the loader is at its absolute path below
# DIR, and there is a folder tmp. Then DIR can be the root of an otherwise empty container.
#
# The script needs patchelf, strip and ldd, so it must run on the same kind of machine as
# the program.
set -euo pipefail
shopt -s extglob

die() {
	echo "bundle: $*" >&2
	exit 1
}

libc=''
if [ "${1:-}" = --libc ]; then
	libc=1
	shift
fi
[ $# = 2 ] || die "usage: scripts/bundle.sh [--libc] PROGRAM DIR"
program=$1 dir=$2
[ -f "$program" ] || die "$program: no such file"
command -v patchelf >/dev/null || die "patchelf is missing (Debian: package patchelf)"

needed=$(ldd "$program") || die "$program is not a dynamically linked program for this machine"
missing=$(sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' <<<"$needed" | xargs)
[ -z "$missing" ] || die "$program needs $missing, not found"

mkdir -p "$dir/bin" "$dir/lib"
install -m 755 "$program" "$dir/bin/"
# shellcheck disable=SC2016 # a variable of the loader
patchelf --set-rpath '$ORIGIN/../lib' "$dir/bin/$(basename "$program")"
while read -r name path; do
	case $name in
	lib@(c|m|dl|rt|pthread|util|resolv).so.*) [ -n "$libc" ] || continue ;;
	esac
	install -m 644 "$path" "$dir/lib/$name"
done < <(sed -n 's/^[[:space:]]*\([^ /]*\) => \(\/[^ ]*\) (.*/\1 \2/p' <<<"$needed")
# The symbols of libtorch's functions are a fifth of its size, and only debuggers need them.
strip --strip-unneeded "$dir"/lib/libtorch_*.so
if [ -n "$libc" ]; then
	loader=$(patchelf --print-interpreter "$program")
	install -D -m 755 "$loader" "$dir$loader"
	mkdir -p "$dir/tmp"
	chmod 1777 "$dir/tmp"
fi
