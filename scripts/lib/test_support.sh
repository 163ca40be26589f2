# Helpers for tests of scripts: checks, and fake wheels for pip.
# shellcheck shell=bash disable=SC2154,SC2034

begin() { echo "-- $1"; }
pass() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "   FAIL: $1"
	[ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/         /' | head -20
}

# expect STATUS PATTERN COMMAND... checks that the command ends with STATUS and prints a
# line that matches PATTERN.
expect() {
	local status=$1 pattern=$2 out got
	shift 2
	out=$("$@" 2>&1)
	got=$?
	if [ "$got" != "$status" ]; then
		fail "exit status $got, not $status: ${*#"$repo"/}" "$out"
	elif ! grep -q -e "$pattern" <<<"$out"; then
		fail "no line says '$pattern': ${*#"$repo"/}" "$out"
	else
		pass
	fi
}
same() { if [ "$1" = "$2" ]; then pass; else fail "$3" "got:  $1"$'\n'"want: $2"; fi; }
matches() { if [[ $1 == *"$2"* ]]; then pass; else fail "$3" "got:  $1"$'\n'"want: ...$2..."; fi; }
holds() {
	local d=$1 f
	shift
	for f in "$@"; do if [ -e "$d/$f" ]; then pass; else fail "$d/$f is not there"; fi; done
}
lacks() {
	local d=$1 f
	shift
	for f in "$@"; do if [ -e "$d/$f" ]; then fail "$d/$f is there"; else pass; fi; done
}

# --- fakes -------------------------------------------------------------------

real_python=$(command -v python3)
pip_calls() { grep -c . "$tmp/pip.log"; }

# Creates a small tree of files like that of the torch wheel. Its libraries are real ELF
# files, so that ldd works.
make_tree() { # FOLDER VERSION
	local d=$1 v=$2 h
	mkdir -p "$d/torch/lib" "$d/torch/nn" "$d/torchgen/packaged/ATen/native" "$d/nv/nvidia/cu13/lib" \
		"$d/nv/nvidia/cudnn/lib" "$d/torch/include/torch/headeronly"
	for h in ATen/core/Tensor.h ATen/ops/add_ops.h c10/core/Allocator.h c10/core/Device.h \
		torch/csrc/api/include/torch/torch.h; do
		mkdir -p "$d/torch/include/$(dirname "$h")"
		echo "// $h" >"$d/torch/include/$h"
	done
	version_header "$v" >"$d/torch/include/torch/headeronly/version.h"
	echo >"$d/empty.c"
	gcc -shared -o "$d/nv/nvidia/cu13/lib/libcudart.so.13" -Wl,-soname,libcudart.so.13 "$d/empty.c"
	gcc -shared -o "$d/torch/lib/libc10.so" -Wl,-soname,libc10.so "$d/empty.c"
	gcc -shared -o "$d/torch/lib/libtorch_cpu.so" -Wl,--no-as-needed "$d/empty.c" -L"$d/torch/lib" -lc10 \
		"$d/nv/nvidia/cu13/lib/libcudart.so.13" -Wl,-rpath,'$ORIGIN:$ORIGIN/../../nvidia/cu13/lib'
	for h in libtorch_cuda libtorch_python; do cp "$d/torch/lib/libc10.so" "$d/torch/lib/$h.so"; done
	cp "$d/torch/lib/libc10.so" "$d/nv/nvidia/cudnn/lib/libcudnn.so.9"
	echo "__version__ = '$v'" >"$d/torch/version.py"
	echo >"$d/torch/nn/__init__.py"
	for h in native_functions tags; do echo "[]" >"$d/torchgen/packaged/ATen/native/$h.yaml"; done
}

version_header() {
	local IFS=. v
	read -ra v <<<"$1"
	printf '#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n#define TORCH_VERSION_PATCH %s\n' "${v[@]}"
}

# Makes the package index contain wheels for another machine. The header of their library
# names that machine. That library also needs the library libneeded.so.
foreign() { # MACHINE
	local code='\076' tree=$tmp/tree-foreign
	[ "$1" = x86_64 ] || code='\267'
	cp -r "$tmp/tree-2.11.0" "$tree"
	gcc -shared -o "$tree/torch/lib/libneeded.so" -Wl,-soname,libneeded.so "$tree/empty.c"
	gcc -shared -o "$tree/torch/lib/libtorch_cpu.so" -Wl,--no-as-needed "$tree/empty.c" \
		-L"$tree/torch/lib" -lc10 -lneeded
	# shellcheck disable=SC2059 # the code is a format
	printf "$code" | dd of="$tree/torch/lib/libtorch_cpu.so" bs=1 seek=18 conv=notrunc status=none
	cp "$tmp/index/torch-2.11.0-cp312-cp312-linux.whl" "$tmp/native.whl"
	pack "$tmp/index/torch-2.11.0-cp312-cp312-linux.whl" "$tree" torch torchgen
	know_wheels
}
native() {
	mv -f "$tmp/native.whl" "$tmp/index/torch-2.11.0-cp312-cp312-linux.whl"
	know_wheels
}

# mac_wheel makes the package index contain a wheel for a Mac. Its libraries have only those
# parts that install_libtorch.sh reads.
mac_wheel() {
	local tree=$tmp/tree-mac lib=$tmp/tree-mac/torch/lib
	cp -r "$tmp/tree-2.11.0" "$tree"
	rm "$lib"/*
	{
		printf '\317\372\355\376\014\0\0\001 @rpath/libtorch_cpu.dylib\0'
		printf ' @rpath/libc10.dylib\0 @loader_path/libomp.dylib\0'
	} >"$lib/libtorch_cpu.dylib"
	cp "$lib/libtorch_cpu.dylib" "$lib/libc10.dylib"
	cp "$lib/libtorch_cpu.dylib" "$lib/libomp.dylib"
	cp "$lib/libtorch_cpu.dylib" "$lib/libtorch_python.dylib"
	cp "$tmp/index/torch-2.11.0-cp312-cp312-linux.whl" "$tmp/native.whl"
	pack "$tmp/index/torch-2.11.0-cp312-cp312-linux.whl" "$tree" torch torchgen
	know_wheels
}

# pack WHEEL ROOT PATH... writes a zip file with a RECORD, as in a wheel.
pack() {
	"$real_python" - "$@" <<'EOF'
import base64, hashlib, os, sys, zipfile
out, root, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
name = "-".join(os.path.basename(out).split("-")[:2])
info, rows = name + ".dist-info", []
metadata = """Metadata-Version: 2.1
Name: torch
Requires-Dist: sympy
Requires-Dist: cuda-toolkit[cublas,cudart,cupti]==13.0.2; platform_system == "Linux"
Requires-Dist: nvidia-cudnn-cu13==9.0; platform_system == "Linux"
Requires-Dist: pyyaml; extra == "pyyaml"
"""
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    def add(member, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        rows.append("%s,sha256=%s,%d" % (member, digest, len(data)))
        z.writestr(member, data)
    for path in paths:
        for base, _, files in os.walk(os.path.join(root, path)):
            for f in files:
                full = os.path.join(base, f)
                with open(full, "rb") as src:
                    add(os.path.relpath(full, root), src.read())
    add(info + "/METADATA", metadata.encode())
    rows = [row for row in rows if not row.startswith(os.environ.get("UNLISTED", "-"))]
    z.writestr(info + "/RECORD", "\n".join(rows) + "\n%s/RECORD,,\n" % info)
EOF
}

# know_wheels writes the checksums of the wheels in the index to the file in which
# install_libtorch.sh looks for them.
know_wheels() {
	local v
	for v in 2.11.0 2.15.0; do
		(cd "$tmp/index" && sha256sum -- torch-$v-* nvidia*) >"$checkout/scripts/lib/wheels-$v.sha256"
	done
}

make_archive() { # creates a zip like libtorch's, with libtorch/lib and so on
	mkdir -p "$tmp/zip/libtorch"
	cp -r "$tmp/tree-2.11.0/torch/lib" "$tmp/tree-2.11.0/torch/include" "$tmp/zip/libtorch/"
	cp "$tmp/tree-2.11.0/nv/nvidia/cu13/lib/libcudart.so.13" "$tmp/zip/libtorch/lib/"
	(cd "$tmp/zip" && "$real_python" -m zipfile -c "$1" libtorch)
}

# make_fakes creates a python3 that runs the real one, but has a fake pip. On request it
# also pauses in the middle of an operation, so that a test can interrupt the operation.
make_fakes() {
	local v
	mkdir -p "$tmp/bin" "$tmp/index"
	: >"$tmp/pip.log"
	for v in 2.11.0 2.15.0; do
		make_tree "$tmp/tree-$v" "$v"
		pack "$tmp/index/torch-$v-cp312-cp312-linux.whl" "$tmp/tree-$v" torch torchgen
	done
	pack "$tmp/index/nvidia_cuda-1-py3-none-any.whl" "$tmp/tree-2.11.0/nv" nvidia/cu13
	pack "$tmp/index/nvidia_cudnn-1-py3-none-any.whl" "$tmp/tree-2.11.0/nv" nvidia/cudnn
	know_wheels
	mkfifo "$tmp/reached" "$tmp/never"
	cat >"$tmp/bin/python3" <<EOF
#!/usr/bin/env bash
tmp=$tmp real=$real_python
EOF
	cat >>"$tmp/bin/python3" <<'EOF'
pause() { echo >"$tmp/reached"; read -r _ <>"$tmp/never"; }
if [ "$*" = "-I -m pip --version" ]; then
	echo "pip 23.0"
elif [ "${1:-} ${2:-} ${3:-}" = "-I -m pip" ]; then
	echo "$*" >>"$tmp/pip.log"
	while [ $# -gt 0 ]; do
		case $1 in
		--dest) dest=$2 ;;
		torch==*) torch=${1#torch==} ;;
		*cudnn*) cudnn=1 ;;
		esac
		shift
	done
	if [ -z "${torch:-}" ]; then
		cp "$tmp/index/nvidia_cuda-1-py3-none-any.whl" "$dest"
		[ -z "${cudnn:-}" ] || cp "$tmp/index/nvidia_cudnn-1-py3-none-any.whl" "$dest"
		exit 0
	fi
	wheel=$tmp/index/${fake_wheel:-torch-$torch-cp312-cp312-linux.whl}
	[ -f "$wheel" ] || { echo "ERROR: No matching distribution found for torch==$torch"; exit 1; }
	if [ "${pause:-}" = download ]; then pause; fi
	if [ "${damage:-}" = always ] || { [ "${damage:-}" = once ] && [ ! -f "$tmp/damaged" ]; }; then
		: >"$tmp/damaged"
		head -c 3000 "$wheel" >"$dest/$(basename "$wheel")"
	else
		cp "$wheel" "$dest"
	fi
elif [[ ${2:-} == *unpack.py && ${3:-} == wheel && ${pause:-} == unpack ]]; then
	mkdir -p "$4/torch/lib" # as far as it got
	echo half >"$4/torch/lib/libtorch_cpu.so"
	pause
else
	exec "$real" "$@"
fi
EOF
	cat >"$tmp/bin/df" <<'EOF'
#!/usr/bin/env bash
[ "${full:-}" = 1 ] && printf 'h\nfs 100 90 10240 90%% /\n' || exec /bin/df "$@"
EOF
	chmod +x "$tmp/bin"/*
	ln -s python3 "$tmp/bin/python"
}

# Starts the command, waits until it reaches the point WHERE, and kills it with all its
# children.
interrupt() { # WHERE COMMAND...
	local where=$1 pid
	shift
	pause=$where setsid "$@" >"$tmp/interrupted" 2>&1 &
	pid=$!
	read -r _ <"$tmp/reached"
	kill -"${signal:-TERM}" -- "-$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	same "$(($? > 0))" 1 "an interrupted run fails"
}

# bare_path prints a PATH with the tools that every system has, but without Python,
# pkg-config and apt.
bare_path() {
	local t
	mkdir -p "$tmp/bare"
	for t in bash env sh sed awk grep cut sort comm find paste mkdir mv rm ln ls cat df dirname basename stat \
		uname flock ldd getconf cksum od head mktemp realpath sha256sum id chmod; do
		ln -sf "$(command -v "$t")" "$tmp/bare/$t"
	done
}

# mac_path prints a PATH like that of a Mac. It has no tools that only GNU or Linux has, and
# its tools fail for options that only GNU has.
mac_path() {
	local t dir=$tmp/mac
	mkdir -p "$dir"
	for t in bash env sh awk grep cut sort comm mkdir rm ln ls cat dirname basename cksum od head mktemp perl \
		shasum chmod sleep; do
		ln -sf "$(command -v "$t")" "$dir/$t"
	done
	ln -sf "$tmp/bin/df" "$dir/df"
	fake() { # NAME SCRIPT
		printf '#!/bin/bash\n%s\n' "$2" >"$dir/$1"
		chmod +x "$dir/$1"
	}
	fake python3 "PATH=$PATH exec $tmp/bin/python3 \"\$@\""
	fake uname '[ "$1" = -s ] && echo Darwin || echo arm64'
	fake sw_vers 'echo 14.6.1'
	fake clang++ 'exit 1'
	fake sed 'exec /bin/sed --posix "$@"'
	fake stat '[ "$1 $2" = "-f %z %N" ] || exit 1; shift 2; exec /usr/bin/stat -c "%s %n" "$@"'
	fake find '[[ " $* " != *" -printf "* ]] || exit 1; exec /usr/bin/find "$@"'
	fake mv '[[ $1 != -*T* ]] || exit 1; exec /bin/mv "$@"'
	fake paste '[ $# -ge 2 ] && [[ ${!#} != -?* ]] || exit 1; exec /usr/bin/paste "$@"'
}

# Copies the scripts to FOLDER as they are in Go's module cache: no file is executable or
# writable.
module_cache() { # FOLDER
	mkdir -p "$1"
	cp -r "$repo/scripts" "$1/"
	find "$1" -type f -exec chmod 444 {} +
}

failing_apt() {
	printf '#!/bin/sh\necho "E: no network" >&2\nexit 100\n' >"$tmp/bin/apt-get"
	chmod +x "$tmp/bin/apt-get"
}

# --- compiling --------------------------------------------------------------

# old_headers VERSION writes headers that make the compiler report that libtorch is too old.
old_headers() {
	mkdir -p "$tmp/old/include/ATen/core" "$tmp/old/include/torch/headeronly"
	echo >"$tmp/old/include/ATen/core/Tensor.h"
	version_header "$1" >"$tmp/old/include/torch/headeronly/version.h"
	printf 'Name: libtorch\nDescription: old\nVersion: %s\nCflags: -I%s\n' "$1" "$tmp/old/include" \
		>"$tmp/old/libtorch.pc"
}

# Prints a PATH with everything that a build needs, except the named programs.
path_without() { # PROGRAM...
	local dir=$tmp/without t
	rm -rf "$dir"
	mkdir -p "$dir"
	for t in bash env sh sed awk grep cut dirname go gcc g++ as ld pkg-config; do
		ln -s "$(command -v "$t")" "$dir/"
	done
	for t in "$@"; do rm "$dir/$t"; done
	echo "$dir"
}

# Compiles two small cgo packages that request libtorch in the same way as gotorch's.
compiler_says() { # STATUS TEXT PKG_CONFIG_PATH [PATH]
	local m=$tmp/module out got p
	mkdir -p "$m"
	printf 'module example.test/m\n\ngo 1.26\n' >"$m/go.mod"
	for p in one two; do
		mkdir -p "$m/cgotorch/$p"
		cp -r "$repo/cgotorch/pkgconfig" "$m/cgotorch/"
		printf 'package %s\n\nimport _ "example.test/m/cgotorch/pkgconfig"\n' $p >"$m/cgotorch/$p/needs.go"
		cat >"$m/cgotorch/$p/a.go" <<EOF
package $p

// #cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
// static int one(void) { return 1; }
import "C"

// One is 1.
func One() int { return int(C.one()) }
EOF
		echo '// As the real ones, which the C++ compiler has to be there for.' >"$m/cgotorch/$p/a.cpp"
	done
	# go vet stops before linking, which would fail with the fake libraries. The marker
	# differs in each call, so that Go does not use a cached result. print-env sets a marker
	# for the same reason.
	compilations=$((${compilations:-0} + 1))
	out=$(cd "$m" && PATH=${4:-$PATH} PKG_CONFIG_PATH=$3 GOFLAGS=-mod=mod \
		CGO_CPPFLAGS=-DGOTORCH_LIBTORCH=$compilations$$ GOCACHE=$gocache go build ./... 2>&1)
	got=$?
	same "$((got > 0))" "$1" "go build: exit status $got"
	[ "$1" = 0 ] && return
	same "$(grep -c "$2" <<<"$out")" 1 "one line is the error: $2"
	same "$(grep -c 'error: \|exec: \|cannot' <<<"$out")" 1 "and no other"
	same "$(($(wc -l <<<"$out") <= 3))" 1 "no page of errors"
}
gocache=$(go env GOCACHE)

# Creates a module GOTORCH with this checkout's scripts and one cgo package, and next to it
# a module PROGRAM that imports that package.
small_gotorch() { # GOTORCH PROGRAM
	mkdir -p "$1/torch" "$1/torchtest" "$2"
	cp -r "$repo/scripts" "$1/"
	mkdir "$1/cgotorch"
	cp -r "$repo/cgotorch/pkgconfig" "$1/cgotorch/"
	rm "$1/cgotorch/pkgconfig/"*_test.go
	printf 'module example.test/gotorch\n\ngo 1.26\n' >"$1/go.mod"
	# The text differs in each run, so that Go finds nothing in its build cache.
	printf '#define ONE_%s 1\n' "$$" >"$1/torch/one.h"
	cat >"$1/torch/torch.go" <<'EOF'
package torch

// #cgo pkg-config: --short-errors ../cgotorch/pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
// #include "one.h"
// static int one(void) { return 1; }
import "C"

import _ "example.test/gotorch/cgotorch/pkgconfig"

// One is 1.
func One() int { return int(C.one()) }
EOF
	printf 'package torchtest\n\nimport _ "example.test/none"\n' >"$1/torchtest/torchtest.go"
	printf '%s\n' 'module example.test/program' '' 'go 1.26' '' 'require example.test/gotorch v0.0.0' '' \
		"replace example.test/gotorch => $1" >"$2/go.mod"
	printf 'package main\n\nimport "example.test/gotorch/torch"\n\nfunc main() { println(torch.One()) }\n' >"$2/main.go"
}
