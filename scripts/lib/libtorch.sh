# Parts of install_libtorch.sh, which sources this file: the checks of a libtorch, a
# function for each source of libtorch, and the last step of an installation. The functions
# use the variables of install_libtorch.sh.
# shellcheck shell=bash disable=SC2154,SC2034

# --- checks -----------------------------------------------------------------

# header_version prints the version that the headers of a torch folder contain.
header_version() {
	local h=$1/include/torch/headeronly/version.h
	[ -f "$h" ] || h=$1/include/torch/csrc/api/include/torch/version.h
	[ -f "$h" ] || return 0
	sed -nE 's/^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ([0-9]*)$/\2/p' "$h" | paste -sd. -
}

# tree_fault prints why a torch folder (with lib/ and include/) cannot be used for a build.
# If it can, tree_fault prints nothing.
tree_fault() {
	local root=$1 want=$2 f have missing
	for f in lib/libtorch_cpu.$so lib/libc10.$so include/ATen/core/Tensor.h include/ATen/ops/add_ops.h \
		include/c10/core/Allocator.h include/torch/csrc/api/include/torch/torch.h; do
		[ -s "$root/$f" ] || { echo "$root/$f is missing"; return; }
	done
	have=$(header_version "$root")
	[ "$have" = "$want" ] || { echo "$root holds libtorch ${have:-of unknown version}, not $want"; return; }
	have=$(library_machine "$root/lib/libtorch_cpu.$so")
	[ "$have" = "$machine" ] || {
		echo "$root/lib/libtorch_cpu.$so is for ${have:-another machine}, not $machine"
		return
	}
	missing=$(missing_libraries "$root" | sort -u | paste -sd' ' -)
	[ -z "$missing" ] || echo "$root/lib/libtorch_cpu.$so needs $missing, not found"
}

# library_machine prints the processor and system for which a library was built, from the
# library's ELF or Mach-O header.
library_machine() {
	local at='-j18 -N2'
	[ "$so" = so ] || at='-j0 -N8'
	# shellcheck disable=SC2046,SC2086 # words
	set -- $(od -An $at -tu1 "$1")
	case $* in
	'62 0') echo x86_64 ;;
	'183 0') echo aarch64 ;;
	'207 250 237 254 12 0 0 1') echo darwin-arm64 ;;
	esac
}

# Prints the libraries that libtorch_cpu needs but that are missing. For this machine,
# Linux's loader looks for them. For another machine they must be in the folder of
# libtorch_cpu, except libraries of that machine's compiler. Mach-O files list the libraries
# in their header.
missing_libraries() {
	local root=$1 name
	if [ "$so" = dylib ]; then
		head -c 65536 "$root/lib/libtorch_cpu.dylib" | LC_ALL=C grep -aoE '@(rpath|loader_path)/[A-Za-z0-9_+.-]+' |
			while read -r name; do [ -e "$root/lib/${name##*/}" ] || echo "${name##*/}"; done
		return
	fi
	if [ -z "$foreign" ]; then
		ldd "$root/lib/libtorch_cpu.so" 2>&1 | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p'
		return
	fi
	command -v readelf >/dev/null || return 0
	readelf -d "$root/lib/libtorch_cpu.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' |
		while read -r name; do
			[[ $name =~ ^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux[^.]*)\.so ]] ||
				[ -n "$(first "$root/lib/$name" "$(dirname "$root")"/nvidia/*/lib/"$name")" ] ||
				echo "$name"
		done
}

# first prints the first of the paths that exists. Unlike those of compgen -G, the caller's
# patterns may contain a path with brackets, in quotes.
first() { # PATH...
	local f
	for f; do
		if [ -e "$f" ]; then
			printf '%s\n' "$f"
			return
		fi
	done
}

# manifest_fault compares the unpacked files with the list that was written when they were
# unpacked, and prints what differs.
manifest_fault() {
	local dir=$1 deep=$2 bad
	[ -f "$dir/manifest" ] || { echo "$dir/manifest is missing"; return; }
	bad=$(comm -23 <(cut -d' ' -f1,3- "$dir/manifest" | sort) \
		<(cd "$dir" && sizes | sort) | sed -n 1p)
	[ -z "$bad" ] || { echo "$dir/${bad#* } is missing or has the wrong size"; return; }
	[ "$deep" = 0 ] && return
	bad=$(cd "$dir" && cut -d' ' -f2- manifest | sed 's/ /  /' | check_sums | sed -n 1p) || true
	[ -z "$bad" ] || echo "$dir/${bad%%: *} is damaged"
}

# Creates a folder that no other user can write to, because its contents will be installed.
# Replaces a folder that others can write to.
private() { # FOLDER
	if [ -e "$1" ] || [ -L "$1" ]; then
		{ [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; } ||
			die "$1 is not a folder of yours: remove it, or give another --prefix"
		[ -n "$(find "$1/" -prune \( -perm -020 -o -perm -002 \))" ] || return 0
		say "others could write to $1: removing it"
		chmod 700 "$1" && rm -rf "$1" || die "cannot remove $1: give another --prefix"
	fi
	mkdir -m 700 "$1" || die "cannot write in $(dirname "$1"): give another --prefix"
}

need_space() { # MiB
	local free
	free=$(df -Pk "$work" | awk 'NR == 2 { print int($4 / 1024) }')
	((free >= $1)) ||
		die "not enough disk space in $(dirname "$prefix"): $1 MB needed, $free MB free;" \
			"free some or give another --prefix"
}

# pythons prints the Python interpreters to try. The best comes first.
pythons() {
	local p
	for p in ${PYTHON:+"$PYTHON"} ${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/python"} \
		${CONDA_PREFIX:+"$CONDA_PREFIX/bin/python"} python3 python; do
		p=$(command -v "$p") || continue
		case $p in /*) ;; *) p=$PWD/$p ;; esac
		"$p" -I -c 'import sys; sys.exit(sys.version_info < (3, 7))' 2>/dev/null && echo "$p"
	done
	return 0
}

# --- sources: each fills $stage and sets kind, root and source ---------------

from_libtorch() {
	root=$(absolute "$LIBTORCH")
	[ -d "$root" ] || die "LIBTORCH=$LIBTORCH is not a folder; correct it, or unset it to look elsewhere"
	why=$(tree_fault "$root" "$version")
	[ -z "$why" ] || die "LIBTORCH: $why; correct it, or unset it to look elsewhere"
	kind=libtorch source=$root
}

# from_python finds a torch package without importing it, because the import would take
# seconds and load all of CUDA's libraries. It runs Python in /, because Python searches the
# current folder first.
from_python() {
	local p where
	while read -r p; do
		where=$(cd / && "$p" -c '
import importlib.util
spec = importlib.util.find_spec("torch")
print(list(spec.submodule_search_locations)[0] if spec and spec.submodule_search_locations else "")
' 2>/dev/null) || continue
		[ -n "$where" ] || continue
		why=$(tree_fault "$where" "$version")
		if [ -z "$why" ]; then
			kind=python root=$where source=$p
			return 0
		fi
		say "$p has a torch, but $why: looking further"
	done < <(pythons)
	return 1
}

from_archive() {
	local py
	[ -f "$archive" ] || die "$archive: no such file"
	py=$(pythons | sed -n 1p)
	[ -n "$py" ] || die "unpacking needs Python 3.7 or newer (Debian: apt install python3)"
	need_space 1500
	say "unpacking $archive"
	"$py" -I "$here/lib/unpack.py" archive "$stage" "$archive" ||
		die "could not unpack $archive: expected libtorch's zip archive (cxx11 ABI, shared, with dependencies)"
	why=$(tree_fault "$stage/torch" "$version")
	[ -z "$why" ] || die "$archive: ${why//$stage\//}"
	kind=archive root=$prefix/torch source=$(absolute "$archive")
}

# find_pip finds a pip. Any version works, because the download names the Python version. -I
# prevents Python from running a file pip.py in the current folder.
find_pip() {
	local p
	while read -r p; do
		if "$p" -I -m pip --version >/dev/null 2>&1; then
			py=$p pip=("$p" -I -m pip)
			return
		fi
	done < <(pythons)
	py=$(pythons | sed -n 1p)
	for p in pip3 pip; do
		if [ -n "$py" ] && command -v "$p" >/dev/null && "$p" --version >/dev/null 2>&1; then
			pip=("$p")
			return
		fi
	done
	die "no Python with pip is on PATH (Debian: apt install python3-pip);" \
		"or point LIBTORCH at a libtorch $version, or give --archive FILE"
}

fetch() { # fetch FOLDER ARGUMENTS... runs pip download up to three times.
	local dir=$1 n quiet=()
	shift
	[ -t 2 ] || quiet=(--quiet) # pip shows its progress bar only in a terminal
	mkdir -p "$dir" "$work/tmp"
	for n in 1 2 3; do
		if TMPDIR=$work/tmp PIP_REQUIRE_VIRTUALENV=0 "${pip[@]}" download --disable-pip-version-check \
			${quiet[@]+"${quiet[@]}"} --no-input --only-binary=:all: "${platforms[@]}" --dest "$dir" "$@" >&2; then
			rm -rf "$work/tmp"
			return 0
		fi
		[ "$n" = 3 ] || say "pip failed, trying again"
	done
	rm -rf "$work/tmp"
	return 1
}

# wheel_platforms prints the platform tags of the wheels that this machine's macOS or C
# library can use. For another machine it prints the newest tags.
wheel_platforms() {
	local glibc n
	if [ "$machine" = darwin-arm64 ]; then
		n=26
		[ -n "$foreign" ] || n=$(sw_vers -productVersion | cut -d. -f1)
		platforms=()
		for ((; n >= 11; n--)); do
			platforms+=(--platform "macosx_${n}_0_arm64")
		done
		return
	fi
	glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc 2\.\([0-9]*\).*/\1/p')
	[ -n "$glibc" ] || die "PyTorch's wheels need the GNU C library, which this system lacks"
	((glibc >= 28)) || die "PyTorch's wheels need glibc 2.28 or newer; this system has 2.$glibc"
	platforms=(--platform "manylinux2014_$machine")
	for ((n = glibc; n >= 17; n--)); do
		platforms+=(--platform "manylinux_2_${n}_$machine")
	done
}

torch_wheel() { # downloads torch's wheel for any version of Python, because only the C++ parts are used
	local v
	for v in 3.12 3.13 3.11 3.14 3.10; do
		if fetch "$wheels" --no-deps --implementation cp --python-version "$v" "torch==$version"; then
			return 0
		fi
		[ "$v" = 3.10 ] || say "no wheel of torch $version for Python $v: trying another"
	done
	die "pip could not fetch torch $version: check the network and pip's settings, and that this version exists"
}

from_wheels() {
	local pip py platforms n rc pins torch
	local wheels=$work/wheels/$version variant=cpu sums=$here/lib/wheels-$version.sha256
	[ "$cuda" = 0 ] || variant=cuda
	find_pip
	wheel_platforms
	if [ "$trust_index" = 1 ]; then
		sums=''
	elif [ ! -f "$sums" ]; then
		say "gotorch does not know the SHA-256 of the wheels of torch $version: trusting pip's index"
		sums=''
	fi
	if [ "$cuda" = 1 ]; then need_space 6500; else need_space 1500; fi
	for n in 1 2; do
		torch=$(first "$wheels"/torch-*.whl)
		if [ -z "$torch" ]; then
			say "fetching torch $version (some hundred MB)"
			torch_wheel
			torch=$(first "$wheels"/torch-*.whl)
		fi
		rm -rf "$stage"
		mkdir -p "$stage"
		rc=0
		"$py" -I "$here/lib/unpack.py" wheel "$stage" "$variant" "$sums" "$torch" || rc=$?
		[ "$rc" != 0 ] || break
		[ "$rc" = 1 ] || rm -f "$torch"
		[ "$rc" = 3 ] && [ "$n" = 1 ] || die "could not unpack $torch"
		say "fetching it again"
	done
	pins=$("$py" -I "$here/lib/unpack.py" pins "$stage"/torch-*.dist-info/METADATA "$variant" "$machine")
	if [ -n "$pins" ]; then
		say "fetching what it links: ${pins//$'\n'/ }"
		# Use a second folder, so that the dependencies that pip chooses there are either
		# complete or absent.
		rm -rf "$wheels/deps"
		[ -z "$sums" ] || sed -nE 's/^[0-9a-f]+  ([^-]+)-([^-]+)-.*/\1==\2/p' "$sums" | sort -u >"$wheels/known"
		set -f # a file of the current folder must not replace a requirement with brackets
		# shellcheck disable=SC2086 # one requirement per word
		fetch "$wheels/deps" --python-version 3.12 ${sums:+--constraint "$wheels/known"} $pins ||
			die "pip could not fetch what torch $version requires: ${pins//$'\n'/ }"
		set +f
		"$py" -I "$here/lib/unpack.py" wheel "$stage" "$variant" "$sums" "$wheels"/deps/*.whl ||
			die "could not unpack the wheels in $wheels/deps"
	fi
	why=$(tree_fault "$stage/torch" "$version")
	[ -z "$why" ] || die "the wheels of torch $version do not make a whole: ${why//$stage\//}"
	kind=wheels root=$prefix/torch source=pip
}

# --- another machine --------------------------------------------------------

# cross sets the variables of a build for another machine: Go's names for the machine, and
# the compilers. The compilers are those that the user has set for Go, otherwise Debian's.
# Debian has none for macOS, so there they are those of scripts/build_darwin.sh.
cross() {
	local cc cxx
	case $machine in
	x86_64) goos=linux goarch=amd64 ;;
	aarch64) goos=linux goarch=arm64 ;;
	darwin-arm64) goos=darwin goarch=arm64 ;;
	esac
	cc=CC_FOR_${goos}_$goarch cxx=CXX_FOR_${goos}_$goarch
	if [ "$goos" = darwin ]; then
		cc=${!cc:-$(dirname "$here")/build/darwin/clang} cxx=${!cxx:-$(dirname "$here")/build/darwin/clang++}
	else
		cc=${!cc:-$machine-linux-gnu-gcc} cxx=${!cxx:-$machine-linux-gnu-g++}
	fi
	cross_cc=$cc cross_cxx=$cxx
}

print_cross_env() {
	cross
	printf 'export GOOS=%s GOARCH=%s CGO_ENABLED=1\n' "$goos" "$goarch"
	printf 'export CC=%q CXX=%q\n' "$cross_cc" "$cross_cxx"
}

# note_compiler sets cxx to the compiler that builds will use. If it is missing,
# note_compiler says so.
note_compiler() {
	local how='Debian: apt install g++'
	cxx=g++
	if [ -n "$foreign" ]; then
		cross
		cxx=$cross_cxx how="Debian: apt install g++-${machine//_/-}-linux-gnu"
		[ "$goos" != darwin ] || how=scripts/build_darwin.sh
	elif [ "$system" = Darwin ]; then
		cxx=clang++ how='xcode-select --install'
	fi
	command -v "$cxx" >/dev/null || say "note: $cxx is missing and builds need it ($how)"
}

# --- the last step ----------------------------------------------------------

# pc_path prints a path as it must be written in pkg-config files.
pc_path() { printf '%s' "$1" | sed 's/[^A-Za-z0-9_.,:/@%^+=-]/\\&/g'; }

write_pc() {
	fits "$root" 'put libtorch elsewhere'
	local base cuda_lib='' f
	base=$(dirname "$root")
	local real=$root
	[ "$kind" != wheels ] && [ "$kind" != archive ] || real=$stage/torch
	[ ! -d "$(dirname "$real")/nvidia/cu13/lib" ] || cuda_lib=" -Wl,-rpath,$(pc_path "$base/nvidia/cu13/lib")"
	mkdir -p "$stage/lib/pkgconfig" "$stage/share/gotorch"
	cat >"$stage/$pc" <<EOF
root=$(pc_path "$root")

Name: libtorch
Description: PyTorch's C++ library ($kind)
Version: $version
Cflags: -I\${root}/include -I\${root}/include/torch/csrc/api/include
Libs: -L\${root}/lib -ltorch_cpu -lc10 -Wl,-rpath,\${root}/lib$cuda_lib
EOF
	# The program that generates the operators reads these two files. libtorch's zip does
	# not contain them.
	for f in native_functions tags; do
		if [ -f "$(dirname "$real")/torchgen/packaged/ATen/native/$f.yaml" ]; then
			ln -s "$base/torchgen/packaged/ATen/native/$f.yaml" "$stage/share/gotorch/$f.yaml"
		fi
	done
	printf '%s\n' "version=$version" "kind=$kind" "root=$root" "source=$source" \
		"cuda=$cuda" "machine=$machine" "prefix=$prefix" >"$stage/$conf"
}

# Installs a copy of the replacement for pkg-config, because the file in Go's module cache
# is not executable. If an identical copy exists, it stays.
put_stand_in() { # FOLDER
	local to=$1/$stand_in text
	text=$(<"$here/lib/pkg-config")
	if [ -x "$to" ] && [ "$(<"$to")" = "$text" ]; then return; fi
	mkdir -p "$(dirname "$to")"
	printf '%s\n' "$text" >"$to.new"
	chmod 755 "$to.new"
	mv -f "$to.new" "$to"
}

put_in_place() {
	write_pc
	put_stand_in "$stage"
	local old=$work/old
	rm -rf "$old"
	if [ -e "$prefix" ]; then mv "$prefix" "$old"; fi
	mv "$stage" "$prefix"
	rm -rf "$old"
}
