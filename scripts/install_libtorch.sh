#!/usr/bin/env bash
# Finds or installs libtorch and writes the libtorch.pc that the cgo packages
# build with. Run it as often as you like: it installs only what is missing.
set -euo pipefail
unset CDPATH

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# shellcheck source=lib/portable.sh
. "$here/lib/portable.sh"

usage() {
	cat <<'EOF'
usage: scripts/install_libtorch.sh [options]

Looks for libtorch in this order and takes the first of the right version:
  1. LIBTORCH: a folder with lib/ and include/, if that variable is set
  2. the torch package of a Python: PYTHON, the active environment's, python3's
  3. the wheels of PyTorch, fetched by pip (any pip: it need not be able to
     install them); the library, the headers and two CUDA runtime files it links
Of 1 and 2 nothing is copied. --archive FILE unpacks libtorch's zip instead.

  --version V    2.11.0 (the default) or newer, e.g. 2.15.0
  --prefix DIR   where to (default: ~/.local/share/gotorch/libtorch-V, or under
                 XDG_DATA_HOME)
  --machine M    for another machine than this, x86_64, aarch64 or darwin-arm64
                 (a Mac): its wheels or archive, in a folder of its own;
                 --print-env names the compilers
  --cuda         with all the CUDA libraries (3.7 GB)
  --archive FILE the zip archive of libtorch, fetched by yourself
  --download     go straight to 3: use neither LIBTORCH nor a Python's torch
  --trust-index  take wheels of 2.11.0 and 2.15.0 whose SHA-256 gotorch does not
                 know, such as a mirror's own builds
  --force        install again even if all is in place
  --build        then build gotorch once, so that the first program builds in
                 seconds; in a terminal it does so unless --no-build is given
  --check        say whether the installation is complete; exit 1 if not
  --deep         with --check: compare every file's SHA-256 too
  --print-env    print the shell lines that builds need, for eval
  --print-root   print the folder that holds lib/ and include/
  --help         this text

Needs bash and, for the wheels or an archive, Python 3.7 or newer (with pip for
the wheels). No root, and nothing outside the prefix is written.
EOF
}

version=2.11.0 prefix='' archive='' machine='' mode=install
cuda=0 download=0 trust_index=0 force=0 deep=0 build=''

say() { printf '%s\n' "install_libtorch: $*" >&2; }
die() {
	say "$@"
	exit 1
}

# fits rejects a PATH that would break a build. PKG_CONFIG_PATH and rpaths are split at
# colons, the linker's -Wl at commas, and the files written here at line ends.
fits() { # PATH ADVICE
	case $1 in *:* | *,* | *$'\n'*)
		die "$(printf '%q' "$1") has a colon, a comma or a line break," \
			"which PKG_CONFIG_PATH or the linker cannot hold: $2"
		;;
	esac
}

while [ $# -gt 0 ]; do
	case $1 in
	--version | --prefix | --archive | --machine)
		[ $# -ge 2 ] && [ -n "$2" ] || die "$1 needs a value"
		declare "${1#--}=$2"
		shift
		;;
	--cuda) cuda=1 ;;
	--download) download=1 ;;
	--trust-index) trust_index=1 ;;
	--force) force=1 ;;
	--deep) deep=1 ;;
	--build) build=1 ;;
	--no-build) build=0 ;;
	--check) mode=check ;;
	--print-env) mode="env" ;;
	--print-root) mode="root" ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		say "unknown option $1"
		usage >&2
		exit 2
		;;
	esac
	shift
done

[[ $version =~ ^([0-9]+)\.([0-9]+)\.[0-9]+$ ]] || die "version $version: expected three numbers, as in 2.11.0"
if ((BASH_REMATCH[1] < 2 || (BASH_REMATCH[1] == 2 && BASH_REMATCH[2] < 11))); then
	die "gotorch needs libtorch 2.11.0 or newer, not $version"
fi
native=$(uname -m)
[ "$system" != Darwin ] || native=darwin-$native
[ "$native" != arm64 ] || native=aarch64
# Accept Go's names of machines too.
case ${machine:=$native} in amd64) machine=x86_64 ;; arm64) machine=aarch64 ;; esac
case $machine in
x86_64 | aarch64) so=so ;;
darwin-arm64) so=dylib ;;
*) die "no libtorch is published for $machine; for x86_64, aarch64 and darwin-arm64 there is" ;;
esac
[ "$cuda" = 0 ] || [ "$so" = so ] || die "--cuda: there is no CUDA for macOS"
foreign='' # the machine for which libtorch is installed, if it is not this machine
[ "$machine" = "$native" ] || foreign=$machine
if [ -z "$prefix" ]; then
	prefix=${XDG_DATA_HOME:-${HOME:?set HOME or give --prefix}/.local/share}/gotorch/libtorch-$version
	prefix+=${foreign:+-$foreign}
fi
fits "$prefix" 'give another --prefix'
prefix=$(absolute "$prefix")
fits "$prefix" 'give another --prefix'
conf=share/gotorch/install.conf
pc=lib/pkgconfig/libtorch.pc
stand_in=share/gotorch/pkg-config

# shellcheck source=lib/libtorch.sh
. "$here/lib/libtorch.sh"
# shellcheck source=lib/first_build.sh
. "$here/lib/first_build.sh"

# --- checks of an existing installation -------------------------------------

# planted prints why $prefix may contain files that another user put there. If the folder is
# in a world-writable folder, it must belong to root or to the caller.
planted() {
	local parent
	parent=$(dirname "$prefix")
	[ -d "$prefix" ] && [ -n "$(find "$parent/" -prune -perm -002)" ] || return 0
	if [ ! -O "$prefix" ] && [ -z "$(find "$prefix/" -prune -user root)" ]; then
		echo "everyone can write to $parent, and $prefix is another user's"
	elif [ -n "$(find "$prefix/" -prune -perm -002)" ]; then
		echo "everyone can write to $prefix"
	fi
}

# fault prints why the installation in $prefix is not usable. If it is usable, fault prints
# nothing.
fault() {
	[ -e "$prefix" ] || { echo "nothing is installed in $prefix"; return; }
	local why for
	why=$(planted)
	[ -z "$why" ] || { echo "$why"; return; }
	[ -f "$prefix/$conf" ] && [ -f "$prefix/$pc" ] || { echo "$prefix holds no complete installation"; return; }
	local kind root have_cuda at
	kind=$(setting kind) root=$(setting root) have_cuda=$(setting cuda) at=$(setting prefix)
	[ "$at" = "$prefix" ] || { echo "$prefix was moved from $at"; return; }
	# Installations by older versions do not name a machine. They are for this machine.
	for=$(setting machine)
	[ "${for:-$native}" = "$machine" ] || { echo "$prefix is for $for, not $machine"; return; }
	why=$(tree_fault "$root" "$version")
	[ -z "$why" ] || { echo "$why"; return; }
	[ "$cuda" = 0 ] || [ "$have_cuda" = 1 ] || { echo "$prefix was installed without --cuda"; return; }
	[ "$kind" = wheels ] || [ "$kind" = archive ] || return 0
	manifest_fault "$prefix" "$deep"
}

setting() { sed -n "s/^$1=//p" "$prefix/$conf"; }

# find_stand_in prints the path of the replacement for pkg-config. It is in the checkout. If
# the checkout is read-only, as in Go's module cache, the installed copy is used.
find_stand_in() {
	if [ -x "$here/lib/pkg-config" ]; then echo "$here/lib/pkg-config"; else echo "$prefix/$stand_in"; fi
}

# print_env prints the environment variables for builds. Builds depend on libtorch, but Go's
# build cache considers only the CGO_ variables, not the output of pkg-config. So
# CGO_CPPFLAGS contains a checksum of the .pc file as a marker.
print_env() {
	local mark path=$prefix/lib/pkgconfig cpp=${CGO_CPPFLAGS:-} others=:${PKG_CONFIG_PATH:-}:
	mark=-DGOTORCH_LIBTORCH=$(cksum <"$prefix/$pc" | cut -d' ' -f1)
	cpp=$(printf '%s' "$cpp" | sed 's/ *-DGOTORCH_LIBTORCH=[0-9]*//g')
	while [[ $others == *":$path:"* ]]; do
		others=${others%%":$path:"*}:${others#*":$path:"}
	done
	others=${others#:} others=${others%:}
	printf 'export PKG_CONFIG_PATH=%q\n' "$path${others:+:$others}"
	printf 'export CGO_CPPFLAGS=%q\n' "$cpp${cpp:+ }$mark"
	[ -z "$foreign" ] || print_cross_env
	if [ -z "${PKG_CONFIG:-}" ] && ! command -v pkg-config >/dev/null; then
		printf 'export PKG_CONFIG=%q\n' "$(find_stand_in)"
	fi
}

case $mode in
check)
	why=$(fault)
	[ -z "$why" ] || die "$why; run ${BASH_SOURCE[0]} to install it"
	say "libtorch $version is in $prefix ($(setting kind): $(setting root))"
	exit 0
	;;
env | root)
	why=$(planted)
	[ -z "$why" ] || die "$why: give another --prefix"
	[ -f "$prefix/$pc" ] || die "libtorch $version is not installed in $prefix; run ${BASH_SOURCE[0]}"
	if [ "$mode" = root ]; then
		setting root
		exit 0
	fi
	# An older version of this script may have installed libtorch without the marker. Or the
	# disk does not allow running programs.
	[ -n "${PKG_CONFIG:-}" ] || command -v pkg-config >/dev/null || [ -x "$(find_stand_in)" ] ||
		die "pkg-config is not on PATH and $(find_stand_in) cannot be run: run ${BASH_SOURCE[0]}, or install pkg-config"
	print_env
	exit 0
	;;
esac

# --- installing -------------------------------------------------------------

case $system in Linux | Darwin) ;; *) die "libtorch for $system is not supported; for Linux and macOS it is" ;; esac
command -v flock >/dev/null || command -v perl >/dev/null || die "flock is missing (Debian: package util-linux)"

case $prefix in
/ | "${HOME:-/}") die "refusing to install into $prefix itself: give a folder of its own" ;;
esac
if [ -e "$prefix" ] && [ ! -f "$prefix/$conf" ] && [ -n "$(ls -A "$prefix" 2>/dev/null || echo x)" ]; then
	die "$prefix exists and is not an installation of this script: give another --prefix"
fi
mkdir -p "$(dirname "$prefix")" || die "cannot create $(dirname "$prefix"): give another --prefix"
why=$(planted)
[ -z "$why" ] || die "$why: give another --prefix"
[ -z "$(find "$(dirname "$prefix")/" -prune -perm -002 ! -perm -1000)" ] ||
	say "note: everyone can replace what is in $(dirname "$prefix"), which has no sticky bit"
work=$(dirname "$prefix")/.$(basename "$prefix").work # in the same folder, so that a rename is atomic
private "$work"

exec 9>"$work/lock"
if ! lock -n; then
	say "another run is installing into $prefix: waiting for it"
	lock
fi

# current succeeds if the existing installation is the one that this call would install.
current() {
	[ "$force" = 0 ] || return 1
	why=$(fault)
	if [ -n "$why" ]; then
		[ ! -e "$prefix" ] || say "$why: installing again"
		return 1
	fi
	[ -z "$archive" ] || [ "$(setting source)" = "$(absolute "$archive")" ] || return 1
	[ "$download" = 1 ] || [ -n "$archive" ] || [ -z "${LIBTORCH:-}" ] ||
		[ "$(setting root)" = "$(absolute "$LIBTORCH")" ]
}

if current; then
	put_stand_in "$prefix" || say "cannot write to $prefix: without a pkg-config on PATH nothing will be found"
	say "libtorch $version is in $prefix ($(setting kind): $(setting root))"
else
	stage=$work/stage
	rm -rf "$stage"
	mkdir -p "$stage"
	# Downloads stay for the next run. Partly unpacked files are removed.
	trap 'rm -rf "$stage"' EXIT
	trap 'say "interrupted; run again to go on"; exit 130' INT TERM HUP

	if [ -n "$archive" ]; then
		from_archive
	elif [ "$download" = 0 ] && [ -n "${LIBTORCH:-}" ]; then
		from_libtorch
	elif [ "$download" = 0 ] && [ "$cuda" = 0 ] && [ -z "$foreign" ] && from_python; then
		:
	else
		from_wheels
	fi
	put_in_place
	rm -rf "$work/wheels"
	say "libtorch $version is in $prefix ($kind: $root)"
fi

command -v go >/dev/null || say "note: go is not on PATH; gotorch needs Go 1.26 or newer"
note_compiler

# Release the lock, because the build does not need it.
exec 9>&-
if [ -z "$build" ]; then
	build=0
	[ ! -t 1 ] || [ ! -t 2 ] || [ -n "${MAKELEVEL:-}" ] || [ -n "$foreign" ] || [ -n "$(build_fault)" ] || build=1
fi
if [ "$build" = 1 ]; then
	why=$(build_fault)
	[ -z "$why" ] || die "cannot build gotorch: $why"
	trap 'say "gotorch is not built yet: the first go build does it"; exit 130' INT TERM HUP
	(first_build) || die "gotorch did not build; docs/troubleshooting.md may have the reason"
	say "gotorch is built: a program now builds in seconds"
fi
if [ -t 1 ]; then
	echo "To build, set the environment that this prints:"
	echo "    eval \"\$(${BASH_SOURCE[0]}${foreign:+ --machine $machine} --print-env)\""
fi
