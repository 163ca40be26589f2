#!/usr/bin/env bash
# Prints a folder with the four files of Fashion-MNIST. If necessary, it first fetches them
# from Debian's package dataset-fashion-mnist. The script does not need root.
set -euo pipefail

usage() {
	cat <<'EOF'
usage: scripts/get_fashion_mnist.sh [--dir DIR] [--check]

Looks in DIR (or FASHION_MNIST, or ~/.local/share/gotorch/fashion-mnist), then
where Debian's package dataset-fashion-mnist puts the files, and else downloads
that package with apt-get and unpacks it into DIR. Prints the folder.
--check fetches nothing: it exits with 1 if the files are not there.
EOF
}

script=get_fashion_mnist
dir=${FASHION_MNIST:-${XDG_DATA_HOME:-${HOME:-/nonexistent}/.local/share}/gotorch/fashion-mnist}
package=dataset-fashion-mnist
installed=/usr/share/datasets/fashion-mnist
sums='b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7  train-images-idx3-ubyte.gz
0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056  train-labels-idx1-ubyte.gz
cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa  t10k-images-idx3-ubyte.gz
8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05  t10k-labels-idx1-ubyte.gz'

# shellcheck source=lib/fetch.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/fetch.sh"
options "$@"
look "$dir" "$installed"
[ -z "$check" ] || die "Fashion-MNIST is neither in $dir nor in $installed"

how="install Debian's package $package, or put the four .gz files of Fashion-MNIST into $dir"
for tool in apt-get dpkg; do
	command -v $tool >/dev/null || die "$tool is missing, so the data set cannot be fetched: $how"
done
workspace

get() { (cd "$tmp" && apt-get -qq "$@" download "$package") >"$tmp/log" 2>&1; }

say "fetching $package (31 MB)"
if ! get; then
	# The package lists of this machine are missing or outdated. Download new ones to a
	# separate folder, which needs no root and does not affect the system.
	mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial"
	private=(-o "Dir::State::lists=$tmp/lists" -o "Dir::Cache=$tmp/cache" -o "APT::Sandbox::User=$(id -un)")
	if ! apt-get -qq "${private[@]}" update >"$tmp/log" 2>&1 || ! get "${private[@]}"; then
		cat "$tmp/log" >&2
		die "apt-get could not fetch $package: $how"
	fi
fi
dpkg -x "$tmp/$package"_*.deb "$tmp/root" || die "could not unpack $package"
deliver "$tmp/root$installed" "$package" "$how"
