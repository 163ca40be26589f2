# Functions that work the same with GNU, busybox and macOS tools. Scripts source this file,
# also with bash 3.2.
# shellcheck shell=bash

system=$(uname -s)

# Prints PATH as an absolute path without "..", and without symbolic links in the part that
# exists.
absolute() { # PATH
	local dir=$1 part rest='' up=0
	case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
	while [ ! -d "$dir" ] || [ $up -gt 0 ]; do
		part=$(basename "$dir") dir=$(dirname "$dir")
		case $part in
		.) ;;
		..) up=$((up + 1)) ;;
		*) if [ $up -gt 0 ]; then up=$((up - 1)); else rest=/$part$rest; fi ;;
		esac
		[ "$dir" != / ] || up=0
	done
	dir=$(cd -P "$dir" && pwd)
	dir=${dir%/}$rest
	printf '%s\n' "${dir:-/}"
}

# Prints "SIZE PATH" for each file below the current folder.
sizes() {
	local stat=(stat -c '%s %n')
	[ "$system" != Darwin ] || stat=(stat -f '%z %N')
	find . -type f -exec "${stat[@]}" {} + | sed 's| \./| |'
}

# check_sums compares files with lines of the form "SHA256 PATH", and prints the
# differences.
check_sums() {
	if command -v sha256sum >/dev/null; then sha256sum -c -; else shasum -a 256 -c -; fi 2>/dev/null | grep -v ': OK$'
}

# Locks file 9 until it is closed. With -n it fails instead of waiting. The lock belongs to
# the open file, so it stays when the program that took it ends.
lock() { # [-n]
	if command -v flock >/dev/null; then
		flock ${1+"$1"} 9
	else
		perl -e 'use Fcntl ":flock"; open(my $f, ">&=", 9) or die "file 9: $!\n";
			exit !flock($f, LOCK_EX | (@ARGV ? LOCK_NB : 0))' -- ${1+"$1"}
	fi
}
