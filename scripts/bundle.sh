#!/usr/bin/env bash
# Copies a program and the shared libraries it needs to a folder that runs on other
# machines.
#
#   scripts/bundle.sh [--libc] PROGRAM DIR
#
# DIR gets bin/PROGRAM and lib/. The program finds its libraries in ../lib relative to
# itself, and not in the home folder of its builder. The C library is the system's. With
# --libc it is copied too, with the loader at its absolute path below DIR and a folder tmp.
# DIR can then be the root of an otherwise empty container.
#
# Needs patchelf, strip and ldd, so it runs only on the kind of machine that the program is
# for.
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
# Only debuggers need the symbols of libtorch's functions, a fifth of its size.
strip --strip-unneeded "$dir"/lib/libtorch_*.so
if [ -n "$libc" ]; then
	loader=$(patchelf --print-interpreter "$program")
	install -D -m 755 "$loader" "$dir$loader"
	mkdir -p "$dir/tmp"
	chmod 1777 "$dir/tmp"
fi
