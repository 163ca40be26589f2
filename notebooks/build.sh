#!/usr/bin/env bash
# Builds the Jupyter kernel that runs the notebooks, build/notebooks/gotorch-kernel, and
# prints the kernel's path as the last line. It needs libtorch's environment variables,
# which `make` sets.
#
#   build.sh            download, patch and build what has changed
#   build.sh --tidy     first rewrite kernel.mod and kernel.sum, after a dependency changed
#   build.sh --install  and install it for the user's Jupyter
#
# kernel/modules.txt pins the sources and their checksums. The files in kernel/patches
# change the sources, in the order of their names. kernel/packages.txt lists the packages
# that interpreted code can import. gomacro is under the Mozilla Public License 2.0, and so
# are the patches of it.
set -euo pipefail

unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
out=$here/../build/notebooks
mkdir -p "$out"
out=$(cd "$out" && pwd)
kernel=$out/gotorch-kernel

# Download and patch the sources if they or the patches have changed. Go's checksum database
# does not contain this version of gomacro, so modules.txt contains the checksum.
wanted=$(cat "$here"/kernel/modules.txt "$here"/kernel/patches/*.patch | sha256sum)
if [ "$(cat "$out/sources" 2>/dev/null)" != "$wanted" ]; then
	while read -r name module version sum; do
		found=$(cd "$out" && GOFLAGS=-mod=mod GOWORK=off GONOSUMDB=github.com/cosmos72/gomacro \
			go mod download -json "$module@$version")
		case $found in
		*"\"Sum\": \"$sum\""*) ;;
		*)
			echo "build.sh: $module@$version is not what modules.txt says: $found" >&2
			exit 1
			;;
		esac
		rm -rf "${out:?}/$name"
		cp -r "$(sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p' <<<"$found")" "$out/$name"
		chmod -R u+w "$out/$name"
		for patch in "$here/kernel/patches/$name"-*.patch; do
			patch -s -p1 -d "$out/$name" <"$patch"
		done
	done <"$here/kernel/modules.txt"
	echo "$wanted" >"$out/sources"
fi

cd "$out/gophernotes"
cp "$here/kernel/kernel.mod" go.mod
cp "$here/kernel/kernel.sum" go.sum
export GOWORK=off
if [ "${1:-}" = --tidy ]; then
	{
		echo "package imports"
		sed 's/.*/import _ "&"/' "$here/kernel/packages.txt"
	} >imports/all.go
	go mod tidy
	rm imports/all.go
	cp go.mod "$here/kernel/kernel.mod"
	cp go.sum "$here/kernel/kernel.sum"
fi

# A cell can import only packages whose tables are compiled into the kernel.
find imports -name 'github_com_*.go' -delete
mapfile -t packages <"$here/kernel/packages.txt"
go run ./cmd/imports imports "${packages[@]}"
go build -o "$kernel" .

if [ "${1:-}" = --install ]; then
	data=${JUPYTER_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/jupyter}/kernels/gotorch
	mkdir -p "$data"
	cp -f "$kernel" "$data/gotorch-kernel"
	kernel=$data/gotorch-kernel
else
	data=$out/jupyter/kernels/gotorch
	mkdir -p "$data"
fi
cat >"$data/kernel.json" <<JSON
{
  "argv": ["$kernel", "{connection_file}"],
  "display_name": "Go (gotorch)",
  "language": "go",
  "name": "gotorch"
}
JSON
echo "$kernel"
