#!/usr/bin/env bash
# Tests install_libtorch.sh, get_fashion_mnist.sh, get_minilm.sh, the compiler's errors
# without a suitable libtorch, and the extraction of commands from pages. The tests run the
# real scripts. They take seconds and need no network, because a fake pip delivers small
# fake wheels.
set -uo pipefail

unset CDPATH
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tmp=$(mktemp -d)
checkout=$tmp/checkout # a copy that knows the checksums of the fake wheels
install=$checkout/scripts/install_libtorch.sh
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# shellcheck source=lib/test_support.sh
. "$repo/scripts/lib/test_support.sh"

unset LIBTORCH PYTHON VIRTUAL_ENV CONDA_PREFIX PKG_CONFIG_PATH PKG_CONFIG CGO_CPPFLAGS FASHION_MNIST
export XDG_DATA_HOME="$tmp/data" HOME="$tmp/home"
mkdir -p "$HOME"
mkdir -p "$checkout"
cp -r "$repo/scripts" "$checkout/"
make_fakes
PATH=$tmp/bin:$PATH

begin "options"
expect 0 'usage: scripts/install_libtorch.sh' "$install" --help
expect 2 'unknown option --nope' "$install" --nope
expect 1 '--prefix needs a value' "$install" --prefix
expect 1 'expected three numbers' "$install" --version two
expect 1 'needs libtorch 2.11.0 or newer, not 2.10.0' "$install" --version 2.10.0
expect 1 'nothing is installed in .*libtorch-2.11.0; run .*install_libtorch.sh' "$install" --check
expect 1 'is not installed in .*; run .*install_libtorch.sh' "$install" --print-env

begin "wheels: install, repeat, check"
expect 0 'libtorch 2.11.0 is in .*wheels' "$install"
p=$XDG_DATA_HOME/gotorch/libtorch-2.11.0
holds "$p" torch/lib/libtorch_cpu.so torch/lib/libc10.so nvidia/cu13/lib/libcudart.so.13 \
	lib/pkgconfig/libtorch.pc share/gotorch/native_functions.yaml share/gotorch/tags.yaml
lacks "$p" torch/lib/libtorch_cuda.so torch/lib/libtorch_python.so torch/nn/__init__.py
same "$(pip_calls)" 2 "pip runs: torch, and what it links"
expect 0 'libtorch 2.11.0 is in' "$install"
same "$(pip_calls)" 2 "a second run fetches nothing"
expect 0 'libtorch 2.11.0 is in' "$install" --check --deep
same "$("$install" --print-root)" "$p/torch" "--print-root"
same "$(ls -A "$XDG_DATA_HOME/gotorch/.libtorch-2.11.0.work")" lock "nothing but the lock is left beside it"

begin "the environment for builds"
same "$(eval "$("$install" --print-env)" && pkg-config --modversion libtorch)" 2.11.0 "pkg-config finds it"
same "$(eval "$("$install" --print-env)" && eval "$("$install" --print-env)" && echo "$PKG_CONFIG_PATH")" \
	"$p/lib/pkgconfig" "set twice, the path is there once"
same "$(PKG_CONFIG_PATH=/a:/b; export PKG_CONFIG_PATH; eval "$("$install" --print-env)" && echo "$PKG_CONFIG_PATH")" \
	"$p/lib/pkgconfig:/a:/b" "the user's own path is kept"
libs=$(eval "$("$install" --print-env)" && pkg-config --libs libtorch)
matches "$libs" "-ltorch_cpu -lc10 -Wl,-rpath,$p/torch/lib -Wl,-rpath,$p/nvidia/cu13/lib" "libraries and rpath"
same "$(eval "$("$install" --print-env)" && cd "$repo/cgotorch" &&
	"$checkout/scripts/lib/pkg-config" --libs -- pkgconfig/gotorch*.pc | xargs)" \
	"$(echo "$libs" | xargs)" "the stand-in for pkg-config agrees"

begin "strange paths"
mkdir "$tmp/cwd" "$tmp/odd"
names=('a b' "a'b" 'a"b' 'a$b' 'a`touch ran`b' 'a$(touch ran)b' 'a|b' 'a[b' 'a]b' 'a\b' 'a&b' 'a*b' 'a?b' 'a;touch ran'
	'a#b' 'a|x|;1e touch ran;#' 'a{b}c' '~' '-a' '%s' 'a!b' 'a(b)' '<a>' 'a=b' '^.$' 'ü' $'a\tb')
for name in "${names[@]}"; do
	odd=$tmp/odd/$name
	(cd "$tmp/cwd" && LIBTORCH=$p/torch "$install" --prefix "$odd") >/dev/null 2>&1
	twice() {
		cd "$tmp/cwd" && eval "$("$install" --prefix "$odd" --print-env)" &&
			eval "$("$install" --prefix "$odd" --print-env)"
	}
	same "$(twice && printf '%s\n' "$PKG_CONFIG_PATH" && pkg-config --modversion libtorch)" \
		"$odd/lib/pkgconfig"$'\n2.11.0' "a prefix of $name"
	same "$(PKG_CONFIG_PATH="/x:$odd:/y" && export PKG_CONFIG_PATH && twice && printf '%s\n' "$PKG_CONFIG_PATH")" \
		"$odd/lib/pkgconfig:/x:$odd:/y" "and it beside others"
done
same "$(ls -A "$tmp/cwd")" "" "no path is run as a command"
for name in 'w[1]' 'w\x' 'w*y'; do
	expect 0 'is in .*wheels' "$install" --prefix "$tmp/odd/$name" --download
done
for name in 'a:b' 'a,b' $'a\nb' $'a\n'; do
	for mode in --check --print-env --force; do
		expect 1 'has a colon, a comma or a line break, .*: give another --prefix' \
			"$install" --prefix "$tmp/odd/$name" $mode
		expect 1 'give another --prefix' env -u XDG_DATA_HOME HOME="$tmp/odd/$name" "$install" $mode
	done
done
mkdir "$tmp/odd/c,d"
cp -r "$p/torch" "$p/nvidia" "$tmp/odd/c,d/"
LIBTORCH="$tmp/odd/c,d/torch" expect 1 'c.,d/torch has a colon, a comma or a line break, .*: put libtorch elsewhere' \
	"$install" --prefix "$tmp/odd/f"
mkdir -p "$tmp/trap/scripts"
from_checkout() { (cd "$checkout" && CDPATH=$tmp/trap && export CDPATH && "$@"); }
expect 0 "^$p/torch\$" from_checkout scripts/install_libtorch.sh --print-root
same "$(cd "$repo" &&
	grep -L 'unset CDPATH' $(grep -l 'cd "$(dirname' $(git ls-files 'scripts/*.sh' 'bench/*.sh' 'notebooks/*.sh')))" \
	"" "every script forgets CDPATH"
same "$(cd "$repo" && CDPATH=$tmp/trap make --no-print-directory \
	-f <(printf 'include Makefile\nshow-cdpath: ; @echo "$${CDPATH-none}"\n') show-cdpath)" \
	none "and so do the recipes of make"

begin "damage is seen and repaired"
rm "$p/torch/lib/libc10.so"
expect 1 'libc10.so is missing; run' "$install" --check
expect 0 'libc10.so is missing: installing again' "$install"
expect 0 'libtorch 2.11.0 is in' "$install" --check
: >"$p/torch/include/c10/core/Device.h"
expect 1 'Device.h is missing or has the wrong size' "$install" --check
expect 0 'installing again' "$install"
printf 'X' | dd of="$p/torch/include/c10/core/Device.h" bs=1 conv=notrunc status=none
expect 0 'libtorch 2.11.0 is in' "$install" --check
expect 1 'Device.h is damaged' "$install" --check --deep
expect 0 'libtorch 2.11.0 is in' "$install" --force
expect 0 'libtorch 2.11.0 is in' "$install" --check --deep
rm "$p/nvidia/cu13/lib/libcudart.so.13"
expect 1 'libtorch_cpu.so needs libcudart.so.13, not found' "$install" --check
expect 0 'installing again' "$install"
mv "$p" "$p.moved"
expect 1 'was moved from' "$install" --check --prefix "$p.moved"
mv "$p.moved" "$p"

begin "another version beside it"
expect 0 'libtorch 2.15.0 is in' "$install" --version 2.15.0
expect 0 'libtorch 2.11.0 is in' "$install" --check
expect 1 'pip could not fetch torch 2.99.0' "$install" --version 2.99.0
expect 1 'holds libtorch 2.11.0, not 2.15.0' "$install" --version 2.15.0 --check --prefix "$p"

begin "CUDA's libraries on request"
expect 1 'was installed without --cuda' "$install" --cuda --check
expect 0 'installing again' "$install" --cuda
holds "$p" torch/lib/libtorch_cuda.so nvidia/cudnn/lib/libcudnn.so.9
expect 0 'libtorch 2.11.0 is in' "$install"
holds "$p" torch/lib/libtorch_cuda.so

begin "interruption while fetching"
q=$tmp/q
interrupt download "$install" --prefix "$q"
lacks "$tmp" q
expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$q"
expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$q" --check --deep

begin "interruption while unpacking"
rm -rf "$q"
before=$(pip_calls)
interrupt unpack "$install" --prefix "$q"
lacks "$tmp" q .q.work/stage
holds "$tmp" .q.work/wheels
expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$q"
same "$(($(pip_calls) - before))" 2 "the torch wheel that was fetched is used again"

begin "a hard kill while replacing a damaged installation"
rm "$q/torch/lib/libc10.so"
signal=KILL interrupt unpack "$install" --prefix "$q"
expect 0 'installing again' "$install" --prefix "$q"
expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$q" --check --deep

begin "two runs at once"
rm -rf "$q"
before=$(pip_calls)
"$install" --prefix "$q" >"$tmp/one" 2>&1 &
one=$!
"$install" --prefix "$q" >"$tmp/two" 2>&1
same "$?" 0 "the second ends well"
wait "$one"
same "$?" 0 "the first ends well"
same "$(($(pip_calls) - before))" 2 "only one of them fetched"

begin "damaged and strange downloads"
rm -rf "$q"
damage=once expect 0 'fetching it again' "$install" --prefix "$q"
rm -rf "$q"
damage=always expect 1 'could not unpack' "$install" --prefix "$q"
lacks "$tmp" q

begin "wheels that gotorch does not know"
wheel=torch-2.11.0-cp312-cp312-linux.whl
cp "$tmp/index/$wheel" "$tmp/known.whl"
cp -r "$tmp/tree-2.11.0" "$tmp/tree-other"
echo more >>"$tmp/tree-other/torch/lib/libc10.so"
pack "$tmp/index/$wheel" "$tmp/tree-other" torch torchgen
expect 1 "$wheel: its SHA-256 is [0-9a-f]*, expected $(sha256sum "$tmp/known.whl" | cut -d' ' -f1)" \
	"$install" --prefix "$q"
mv "$tmp/index/$wheel" "$tmp/index/torch-2.11.0-cp313-cp313-linux.whl"
fake_wheel=torch-2.11.0-cp313-cp313-linux.whl expect 1 \
	"does not know this wheel's SHA-256: install with --trust-index" "$install" --prefix "$q"
lacks "$tmp" q ".q.work/wheels/2.11.0/torch-2.11.0-cp313-cp313-linux.whl"
fake_wheel=torch-2.11.0-cp313-cp313-linux.whl expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$q" --trust-index
rm -r "$q"
mv "$tmp/known.whl" "$tmp/index/$wheel"
rm "$tmp/index/torch-2.11.0-cp313-cp313-linux.whl" "$checkout/scripts/lib/wheels-2.15.0.sha256"
expect 0 "does not know the SHA-256 of the wheels of torch 2.15.0: trusting pip's index" \
	"$install" --prefix "$q" --version 2.15.0
rm -r "$q"
know_wheels
matches "$(grep -e --constraint "$tmp/pip.log" | tail -1)" "--constraint $tmp/.q.work/wheels/2.11.0/known " \
	"pip takes what torch links in the versions that are known"

begin "a RECORD that does not list all"
for unlisted in torch/lib/libc10.so ''; do
	UNLISTED=$unlisted pack "$tmp/index/$wheel" "$tmp/tree-2.11.0" torch torchgen
	know_wheels
	expect 1 "RECORD does not list ${unlisted:-torch/}" "$install" --prefix "$q"
done
lacks "$tmp" q
pack "$tmp/index/$wheel" "$tmp/tree-2.11.0" torch torchgen
know_wheels

begin "a folder that everyone can write to"
mkdir -m 1777 "$tmp/shared"
s=$tmp/shared/s
work=$tmp/shared/.s.work
plant() {
	mkdir -p "$work/wheels/2.11.0"
	UNLISTED='' pack "$work/wheels/2.11.0/$wheel" "$tmp/tree-other" torch torchgen
	echo 99 >"$work/lock"
}
plant
chmod -R 777 "$work"
expect 0 "others could write to $work: removing it" "$install" --prefix "$s"
same "$(cksum <"$s/torch/lib/libc10.so")" "$(cksum <"$tmp/tree-2.11.0/torch/lib/libc10.so")" \
	"what was planted is not installed"
same "$(find "$work" -prune -perm 700)" "$work" "nobody else can plant anything now"
expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$s"
rm -r "$work"
mkdir "$tmp/elsewhere"
ln -s "$tmp/elsewhere" "$work"
expect 1 "$work is not a folder of yours: remove it" "$install" --prefix "$s" --force
rm "$work"
chmod 777 "$s"
expect 1 "everyone can write to $s; run" "$install" --prefix "$s" --check --deep
expect 1 "everyone can write to $s: give another --prefix" "$install" --prefix "$s" --print-env
chmod 755 "$s"
if [ "$(id -u)" = 0 ]; then # only root can create files of other users
	plant
	chown -R nobody "$work"
	expect 1 "$work is not a folder of yours: remove it" "$install" --prefix "$s" --force
	rm -r "$work"
	chown nobody "$s"
	for mode in --check --print-env --print-root --force; do
		expect 1 "everyone can write to $tmp/shared, and $s is another user's" "$install" --prefix "$s" $mode
	done
fi
rm -r "$s"
chmod -t "$tmp/shared"
expect 0 "note: everyone can replace what is in $tmp/shared" "$install" --prefix "$s"

begin "Python's modules in the current folder"
mkdir "$tmp/evil"
for module in pip zipfile venv hashlib base64 csv zlib importlib; do
	echo "open('$tmp/ran', 'a').write('$module')" >"$tmp/evil/$module.py"
done
touch "$tmp/evil/cuda-toolkitc==13.0.2" # matches cuda-toolkit[cudart,cupti]==13.0.2 as a pattern
in_evil() { (cd "$tmp/evil" && PYTHONPATH=. "$@"); }
expect 0 'is in .*wheels' in_evil "$install" --prefix "$tmp/e" --download
same "$(grep -c -e 'cuda-toolkitc==' "$tmp/pip.log")" 0 "no file replaces what torch requires"
echo 'Requires-Dist: nvidia-cuda-runtime>=1 --index-url=http://example.com' >"$tmp/METADATA"
same "$("$real_python" -I "$checkout/scripts/lib/unpack.py" pins "$tmp/METADATA" cpu x86_64 | wc -w)" 1 \
	"a requirement is one argument of pip"
expect 1 'are not those that gotorch knows' in_evil "$checkout/scripts/get_minilm.sh" --dir "$tmp/e2"
lacks "$tmp" ran
same "$(cd "$repo" && grep -nE '(python3?|\$py|"\$p")"? -(m|c|) ' $(git ls-files '*.sh' Makefile) |
	grep -vE 'find_spec|"\$p" -c|test_(install|support).sh')" \
	"" "every python that a script runs has -I"

begin "LIBTORCH"
r=$tmp/r
LIBTORCH=$p/torch expect 0 'libtorch 2.11.0 is in .*libtorch: ' "$install" --prefix "$r"
lacks "$r" torch
LIBTORCH=$p/torch expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$r" --check
LIBTORCH=$p/torch expect 1 'holds libtorch 2.11.0, not 2.15.0; correct it, or unset it' \
	"$install" --prefix "$tmp/r2" --version 2.15.0
LIBTORCH=$tmp/none expect 1 'is not a folder' "$install" --prefix "$tmp/r2"
LIBTORCH=$tmp/bin expect 1 'libtorch_cpu.so is missing' "$install" --prefix "$tmp/r2"
lacks "$tmp" r2

begin "the torch of a Python"
mkdir -p "$tmp/site"
ln -s "$p/torch" "$tmp/site/torch"
: >"$tmp/site/torch/__init__.py"
before=$(pip_calls)
PYTHONPATH=$tmp/site expect 0 'libtorch 2.11.0 is in .*python: ' "$install" --prefix "$tmp/s"
PYTHONPATH=$tmp/site expect 0 'holds libtorch 2.11.0, not 2.15.0: looking further' \
	"$install" --prefix "$tmp/s2" --version 2.15.0
PYTHONPATH=$tmp/site expect 0 'is in .*wheels' "$install" --prefix "$tmp/s3" --download
same "$(($(pip_calls) - before))" 4 "pip ran for the last two alone"
begin "for another machine"
case $(uname -m) in x86_64) other=aarch64 arch=arm64 ;; *) other=x86_64 arch=amd64 ;; esac
x=$XDG_DATA_HOME/gotorch/libtorch-2.11.0-$other
expect 1 'no libtorch is published for riscv64' "$install" --machine riscv64
expect 1 "nothing is installed in $x" "$install" --machine "$other" --check
expect 1 "libtorch_cpu.so is for $(uname -m), not $other" "$install" --machine "$other"
rm -r "$XDG_DATA_HOME/gotorch/.libtorch-2.11.0-$other.work"
foreign "$other"
before=$(pip_calls)
PYTHONPATH=$tmp/site expect 0 "libtorch 2.11.0 is in $x (wheels" "$install" --machine "$other"
same "$(($(pip_calls) - before))" 2 "wheels are fetched, whatever this machine's Python has"
same "$(tail -2 "$tmp/pip.log" | grep -c -- "--platform manylinux2014_$other --platform manylinux_2_[0-9]*_$other")" \
	2 "for that machine"
same "$(tail -2 "$tmp/pip.log" | grep -c -- "_$(uname -m)")" 0 "and no other"
expect 0 "libtorch 2.11.0 is in $x" "$install" --machine $arch --check --deep
expect 0 "libtorch 2.11.0 is in $p " "$install" --machine "$(uname -m)" --check
expect 1 "$x is for $other, not $(uname -m)" "$install" --check --prefix "$x"
expect 1 "$p is for $(uname -m), not $other" "$install" --machine "$other" --check --prefix "$p"
same "$(eval "$("$install" --machine "$other" --print-env)" &&
	echo "$PKG_CONFIG_PATH $GOOS $GOARCH $CGO_ENABLED $CC $CXX")" \
	"$x/lib/pkgconfig linux $arch 1 $other-linux-gnu-gcc $other-linux-gnu-g++" "Go's target and its compilers"
same "$(export CC_FOR_linux_$arch=mine CXX_FOR_linux_$arch=mine++ &&
	eval "$("$install" --machine "$other" --print-env)" && echo "$CC $CXX")" \
	"mine mine++" "the user's own"
same "$("$install" --print-env | grep -c 'GOARCH\|CC=')" 0 "and none for this machine"
rm "$x/torch/lib/libneeded.so"
expect 1 'libtorch_cpu.so needs libneeded.so, not found' "$install" --machine "$other" --check
native
rm "$tmp/site/torch/__init__.py"

begin "for a Mac, elsewhere"
x=$XDG_DATA_HOME/gotorch/libtorch-2.11.0-darwin-arm64
mac_wheel
expect 1 'no CUDA for macOS' "$install" --machine darwin-arm64 --cuda
before=$(pip_calls)
expect 0 "libtorch 2.11.0 is in $x (wheels" "$install" --machine darwin-arm64
same "$(($(pip_calls) - before))" 1 "one wheel is fetched: it requires none of CUDA's"
same "$(tail -1 "$tmp/pip.log" | grep -c -- "--platform macosx_14_0_arm64 .*--platform macosx_11_0_arm64")" 1 \
	"for any macOS that has one"
holds "$x" torch/lib/libtorch_cpu.dylib torch/lib/libc10.dylib torch/lib/libomp.dylib
lacks "$x" torch/lib/libtorch_python.dylib nvidia
expect 0 "libtorch 2.11.0 is in $x" "$install" --machine darwin-arm64 --check --deep
libs="-L$x/torch/lib -ltorch_cpu -lc10 -Wl,-rpath,$x/torch/lib"
same "$(eval "$("$install" --machine darwin-arm64 --print-env)" && echo "$GOOS $GOARCH $CGO_ENABLED $CC $CXX" &&
	pkg-config --libs libtorch | xargs)" \
	"darwin arm64 1 $checkout/build/darwin/clang $checkout/build/darwin/clang++"$'\n'"$libs" \
	"Go's target, compilers, libraries"
same "$(export CC_FOR_darwin_arm64=mine CXX_FOR_darwin_arm64=mine++ &&
	eval "$("$install" --machine darwin-arm64 --print-env)" && echo "$CC $CXX")" \
	"mine mine++" "the user's own"
rm "$x/torch/lib/libomp.dylib"
expect 1 'libtorch_cpu.dylib needs libomp.dylib, not found' "$install" --machine darwin-arm64 --check
expect 1 "is for $(uname -m), not darwin-arm64" "$install" --machine darwin-arm64 --check --prefix "$p"
LIBTORCH=$p/torch expect 1 'libtorch_cpu.dylib is missing' "$install" --machine darwin-arm64 --prefix "$tmp/mx"

begin "on a Mac"
mac_path
mac() { PATH=$tmp/mac "$@"; }
m=$tmp/applications/lib
before=$(pip_calls)
expect 0 "libtorch 2.11.0 is in $m (wheels" mac "$install" --prefix "$tmp/applications/../applications/lib"
same "$(tail -1 "$tmp/pip.log" | grep -o -- 'macosx_[0-9]*' | xargs)" "macosx_14 macosx_13 macosx_12 macosx_11" \
	"wheels that this macOS runs"
expect 0 'libtorch 2.11.0 is in' mac "$install" --prefix "$m"
same "$(($(pip_calls) - before))" 1 "a second run fetches nothing"
expect 0 'libtorch 2.11.0 is in' mac "$install" --prefix "$m" --check --deep
printf 'X' | dd of="$m/torch/include/c10/core/Device.h" bs=1 conv=notrunc status=none
expect 0 'libtorch 2.11.0 is in' mac "$install" --prefix "$m" --check
expect 1 'Device.h is damaged' mac "$install" --prefix "$m" --check --deep
: >"$m/torch/include/c10/core/Device.h"
expect 1 'Device.h is missing or has the wrong size' mac "$install" --prefix "$m" --check
expect 0 'installing again' mac "$install" --prefix "$m"
same "$(eval "$(mac "$install" --prefix "$m" --print-env)" && echo "${GOOS:-} ${CC:-} $PKG_CONFIG")" \
	"  $checkout/scripts/lib/pkg-config" "no cross compilers, a stand-in for pkg-config"
same "$(eval "$(mac "$install" --prefix "$m" --print-env)" && mac "$PKG_CONFIG" --libs libtorch | xargs)" \
	"-L$m/torch/lib -ltorch_cpu -lc10 -Wl,-rpath,$m/torch/lib" "which runs"
LIBTORCH=$m/torch expect 0 'libtorch 2.11.0 is in .*libtorch: ' mac "$install" --prefix "$tmp/applications/other"
mac "$install" --prefix "$m" --force >"$tmp/one" 2>&1 &
one=$!
expect 0 'libtorch 2.11.0 is in' mac "$install" --prefix "$m" --force
wait "$one"
same "$?" 0 "two runs at once end well"
mkdir -p "$tmp/intel" && cp -P "$tmp/mac/"* "$tmp/intel/"
printf '#!/bin/bash\n[ "$1" = -s ] && echo Darwin || echo x86_64\n' >"$tmp/intel/uname"
PATH=$tmp/intel expect 1 'no libtorch is published for darwin-x86_64' "$install"
native

begin "without pkg-config"
bare_path
bare() { PATH=$tmp/bare "$@"; }
same "$(eval "$(bare "$install" --print-env)" && echo "$PKG_CONFIG")" "$checkout/scripts/lib/pkg-config" \
	"a checkout's own stand-in"
same "$(PKG_CONFIG=mine && export PKG_CONFIG && bare "$install" --print-env | grep -c PKG_CONFIG=)" 0 \
	"the user's own stays"
same "$("$install" --print-env | grep -c PKG_CONFIG=)" 0 "nor is one named where there is pkg-config"
module_cache "$tmp/cache/gotorch@v1"
cached=$tmp/cache/gotorch@v1/scripts/install_libtorch.sh
LIBTORCH=$p/torch expect 0 'libtorch 2.11.0 is in .*libtorch: ' bare bash "$cached" --prefix "$tmp/c"
printed=$(bare bash "$cached" --prefix "$tmp/c" --print-env)
same "$(eval "$printed" && echo "$PKG_CONFIG")" "$tmp/c/share/gotorch/pkg-config" "the module cache's is installed"
same "$(eval "$printed" && bare "$PKG_CONFIG" --libs -- libtorch | xargs)" \
	"$(eval "$printed" && pkg-config --libs libtorch | xargs)" "and it runs"
PKG_CONFIG=$tmp/c/share/gotorch/pkg-config compiler_says 0 '' "$tmp/c/lib/pkgconfig"
lacks "$tmp/c/share/gotorch" pkg-config.new
rm "$tmp/c/share/gotorch/pkg-config"
expect 1 'pkg-config is not on PATH .*: run .*install_libtorch.sh' bare bash "$cached" --prefix "$tmp/c" --print-env
expect 0 'export PKG_CONFIG_PATH=' bash "$cached" --prefix "$tmp/c" --print-env
expect 0 '/torch' bare bash "$cached" --prefix "$tmp/c" --print-root
printf 'old\n' >"$tmp/c/share/gotorch/pkg-config"
LIBTORCH=$p/torch expect 0 '^install_libtorch: libtorch 2.11.0 is in' bare bash "$cached" --prefix "$tmp/c"
expect 0 'export PKG_CONFIG=' bare bash "$cached" --prefix "$tmp/c" --print-env
same "$(cat "$tmp/c/share/gotorch/pkg-config")" "$(cat "$repo/scripts/lib/pkg-config")" "an old one is replaced"
was=$(stat -c %i "$tmp/c/share/gotorch/pkg-config")
LIBTORCH=$p/torch expect 0 'libtorch 2.11.0 is in' bare bash "$cached" --prefix "$tmp/c"
same "$(stat -c %i "$tmp/c/share/gotorch/pkg-config")" "$was" "an equal one is left alone"

begin "archives"
make_archive "$tmp/good.zip"
expect 0 'libtorch 2.11.0 is in .*archive: ' "$install" --prefix "$tmp/a" --archive "$tmp/good.zip"
expect 0 'libtorch 2.11.0 is in' "$install" --prefix "$tmp/a" --check --deep
expect 1 'no such file' "$install" --prefix "$tmp/a2" --archive "$tmp/none.zip"
(cd "$tmp/home" && echo hello >f && "$real_python" -m zipfile -c "$tmp/wrong.zip" f)
expect 1 "not libtorch's zip archive: it holds no libtorch/lib/libtorch_cpu.so" \
	"$install" --prefix "$tmp/a2" --archive "$tmp/wrong.zip"
head -c 2000 "$tmp/good.zip" >"$tmp/cut.zip"
expect 1 'could not unpack' "$install" --prefix "$tmp/a2" --archive "$tmp/cut.zip"
expect 1 'holds libtorch 2.11.0, not 2.15.0' "$install" --prefix "$tmp/a2" --version 2.15.0 --archive "$tmp/good.zip"
lacks "$tmp" a2

begin "where it cannot work"
PATH=$tmp/bare expect 1 'no Python with pip is on PATH .*python3-pip.*LIBTORCH' "$install" --prefix "$tmp/b"
full=1 expect 1 'not enough disk space in .*: 1500 MB needed, 10 MB free' "$install" --prefix "$tmp/b"
mkdir -p "$tmp/other" && echo mine >"$tmp/other/file"
expect 1 'exists and is not an installation' "$install" --prefix "$tmp/other"
same "$(cat "$tmp/other/file")" mine "what was there is untouched"
expect 1 'refusing to install into' "$install" --prefix "$HOME"
echo >"$tmp/plain"
expect 1 'give another --prefix' "$install" --prefix "$tmp/plain/x"
lacks "$tmp" b

begin "the compiler's words"
compiler_says 0 '' "$p/lib/pkgconfig"
compiler_says 1 'gotorch needs libtorch 2.11.0 or newer and found none: run scripts/install_libtorch.sh' "$tmp/none"
old_headers 2.10.0
compiler_says 1 'gotorch needs libtorch 2.11.0 or newer and found an older one: run scripts/install_libtorch.sh' \
	"$tmp/old"
rm "$tmp/old/include/torch/headeronly/version.h"
compiler_says 1 'found an older one: run scripts/install_libtorch.sh' "$tmp/old"
CGO_ENABLED=0 compiler_says 1 'gotorch needs cgo: install g++ and do not set CGO_ENABLED=0' "$p/lib/pkgconfig"
compiler_says 1 'gotorch needs cgo: install g++' "$p/lib/pkgconfig" "$(path_without gcc g++)"
compiler_says 1 'exec: "g++": executable file not found' "$p/lib/pkgconfig" "$(path_without g++)"
compiler_says 1 'exec: "pkg-config": executable file not found' "$p/lib/pkgconfig" "$(path_without pkg-config)"
compiler_says 0 '' "$p/lib/pkgconfig" "$(path_without)"

begin "building gotorch once"
once=$tmp/once
small_gotorch "$once/gotorch" "$once/program"
built=$once/gotorch/scripts/install_libtorch.sh
prefix=(--prefix "$p")
# to_build prints the packages that Go would have to compile for a program in another
# module.
to_build() {
	(cd "$once/program" && eval "$("$built" "${prefix[@]}" --print-env)" &&
		go list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' . | grep -c example.test/gotorch)
}
# in_terminal COMMAND prints the output that a command has in a terminal.
in_terminal() { env -u MAKELEVEL script -qec "$1" /dev/null </dev/null | tr '\r' '\n'; }
expect 0 '^install_libtorch: libtorch 2.11.0 is in' "$built" "${prefix[@]}"
same "$(to_build)" 2 "without a terminal nothing is built"
same "$(in_terminal "'$built' --prefix '$p' --no-build" | grep -c 'building')" 0 "nor in one with --no-build"
same "$(in_terminal "MAKELEVEL=1 '$built' --prefix '$p'" | grep -c 'building')" 0 "nor below make"
PATH=$(path_without g++):$tmp/bare expect 1 'cannot build gotorch: g++ is missing' "$built" "${prefix[@]}" --build
expect 0 "of [0-9]*  example.test/gotorch/torch" "$built" "${prefix[@]}" --build
same "$(to_build)" 0 "a program then finds all of it built"
in_program() { (cd "$once/program" && "$@"); }
expect 0 'gotorch is built' in_program "$built" "${prefix[@]}" --build
same "$("$built" "${prefix[@]}" --build 2>&1 | grep -c building)" 0 "a second time nothing is built"
echo '#define ONE 2' >>"$once/gotorch/torch/one.h"
matches "$(in_terminal "'$built' --prefix '$p'")" 'gotorch is built' "in a terminal it builds unasked"
same "$(to_build)" 0 "and for the program too"
GOFLAGS=-trimpath expect 0 "of [0-9]*  example.test/gotorch/torch" in_program "$built" "${prefix[@]}" --build
same "$(export GOFLAGS=-trimpath && to_build)" 0 "with -trimpath, from the program's folder"
echo 'broken' >>"$once/gotorch/torch/one.h"
expect 1 'one.h:.*error' "$built" "${prefix[@]}" --build
expect 1 'gotorch did not build' "$built" "${prefix[@]}" --build

begin "Fashion-MNIST"
expect 1 'Fashion-MNIST into .*/m' env PATH="$tmp/bare" "$repo/scripts/get_fashion_mnist.sh" --dir "$tmp/m"
failing_apt
expect 1 'could not fetch dataset-fashion-mnist: install' "$repo/scripts/get_fashion_mnist.sh" --dir "$tmp/m"
lacks "$tmp" m

begin "all-MiniLM-L6-v2"
mkdir -p "$tmp/alone/scripts/lib"
# In this folder there is no build/venv, which may contain the model.
cp "$repo/scripts/get_minilm.sh" "$tmp/alone/scripts/"
cp "$repo/scripts/lib/fetch.sh" "$tmp/alone/scripts/lib/"
expect 1 'neither in .*/n nor in build/venv' "$tmp/alone/scripts/get_minilm.sh" --dir "$tmp/n" --check
expect 1 'vocab.txt of .* into .*/n' env PATH="$tmp/bare" "$tmp/alone/scripts/get_minilm.sh" --dir "$tmp/n"
lacks "$tmp" n

begin "files of known checksums"
cat >"$tmp/alone/scripts/get_it.sh" <<'EOF'
set -euo pipefail
usage() { echo "usage: get_it.sh"; }
script=get_it dir=$1 text=$2
sums="$(printf right | sha256sum | cut -d' ' -f1)  it"
. "$(dirname "${BASH_SOURCE[0]}")/lib/fetch.sh"
options "${@:3}"
look "$dir"
[ -z "$check" ] || die "it is not in $dir"
workspace
mkdir "$tmp/package"
printf %s "$text" >"$tmp/package/it"
touch "$tmp/package/more"
deliver "$tmp/package" a-package "look elsewhere"
EOF
get_it() { bash "$tmp/alone/scripts/get_it.sh" "$@"; }
expect 0 'usage: get_it.sh' get_it "$tmp/o" right --help
expect 2 'usage: get_it.sh' get_it "$tmp/o" right --nope
expect 1 'get_it: --dir needs a value' get_it "$tmp/o" right --dir
expect 1 "get_it: it is not in $tmp/o" get_it "$tmp/o" right --check
expect 1 'get_it: the files in a-package are not those that gotorch knows: look elsewhere' get_it "$tmp/o" wrong
lacks "$tmp" o
same "$(get_it "$tmp/o" right)" "$tmp/o" "the folder"
same "$(ls -A "$tmp/o")" it "what is asked for and nothing else"
same "$(get_it "$tmp/o" wrong --check)" "$tmp/o" "what is there is not fetched again"
echo damaged >"$tmp/o/it"
echo mine >"$tmp/o/other"
expect 0 'incomplete or damaged: fetching them again' get_it "$tmp/o" right
same "$(cat "$tmp/o/it" "$tmp/o/other")" "rightmine" "other files of the folder stay"
same "$(ls -A "$tmp" | grep -c '^\.get_it')" 0 "no workspace stays"

begin "commands of pages"
cat >"$tmp/page.md" <<'EOF'
```sh
a=1; mkdir -p folder && cd folder   # a comment
cat >file <<'END'
two
END
test $a-$(cat \
    file) = 1-two
```

<!-- run: background, until up -->
```sh
sh -c 'trap "exit 0" INT; echo up; while :; do sleep 0.1; done'
```
<!-- run: not, it needs a GPU -->

```sh
exit 3
```

<!-- run: root -->
```sh
exit 4
```
EOF
pages() { "$repo/scripts/lib/pages.sh" "$@"; }
verdicts() { cut -f4- "$tmp/table" | tr '\t\n' ' ;'; }
expect 0 'page.md.*not, it needs a GPU.*exit 3' pages --list "/:$tmp/page.md"
expect 0 'ok *cat >file' pages "$tmp/table" "$tmp/commands" "$tmp:$tmp/page.md"
want=$(printf '%s;' "ok a=1; mkdir -p folder && cd folder" "ok cat >file <<'END' ..." \
	"ok test \$a-\$(cat file) = 1-two" "ok sh -c 'trap \"exit 0\" INT; echo up; while :; do sleep 0.1; done'" \
	"not run: it needs a GPU exit 3" "not run: needs a system of its own exit 4")
same "$(verdicts)" "$want" "one shell for all, and marks"
printf '%s\n' '```sh' 'false' 'true' '```' >"$tmp/page.md"
WITHOUT=tru expect 1 FAILED pages "$tmp/table" "$tmp/commands" "$tmp:$tmp/page.md"
same "$(verdicts)" "FAILED false;left out true;" "a failure, and what is left out"
printf '%s\n' '<!-- run: background, until up -->' '```sh' "sh -c 'trap \"\" INT; echo up; exec sleep 1000'" '```' \
	>"$tmp/page.md"
PATIENCE=1 expect 1 FAILED pages "$tmp/table" "$tmp/commands" "$tmp:$tmp/page.md"
same "$(cut -f4 "$tmp/table" | tr '\n' ';')" "ok;FAILED;" "a server that an interrupt does not end"
printf '%s\n' '<!-- run: backwards -->' '```sh' 'true' '```' >"$tmp/page.md"
expect 2 'unknown mark: backwards' pages --list "/:$tmp/page.md"
printf '%s\n' '```sh' 'cat <<END' '```' >"$tmp/page.md"
expect 2 'a command ends with its block' pages --list "/:$tmp/page.md"

echo
if [ "$failed" -gt 0 ]; then
	echo "FAIL: $failed of $((passed + failed)) checks failed"
	exit 1
fi
echo "ok: $passed checks passed"
