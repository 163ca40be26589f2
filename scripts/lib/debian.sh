# shellcheck shell=bash
# Installs the Debian packages for building and testing. Sourced by .ci/run and
# scripts/nightly.sh.

# need_packages installs the Debian packages that are missing, which needs root. It also
# makes later C++ compilations use ccache.
need_packages() {
	local packages=()
	command -v g++ >/dev/null || packages+=(g++)
	command -v make >/dev/null || packages+=(make)
	command -v patch >/dev/null || packages+=(patch)
	command -v ccache >/dev/null || packages+=(ccache)
	command -v pkg-config >/dev/null || packages+=(pkg-config)
	# libjpeg-turbo's headers, for module torch/data/codecs.
	pkg-config --exists libjpeg 2>/dev/null || packages+=(libjpeg-dev)
	python3 -I -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
	python3 -I -c 'import ensurepip, venv' >/dev/null 2>&1 || packages+=(python3-venv)
	# A browser, for the tests of the website and of the pages that show profiles and
	# snapshots.
	command -v chromium >/dev/null || packages+=(chromium)
	# The program ip, for tests that connect two simulated hosts. Only root can create these
	# hosts.
	[ "$(id -u)" != 0 ] || command -v ip >/dev/null || packages+=(iproute2)
	if [ ${#packages[@]} -gt 0 ]; then
		if [ "$(id -u)" != 0 ]; then
			echo "missing, and only root can install them: ${packages[*]}" >&2
			exit 1
		fi
		apt-get -qq update
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null
	fi

	# Go compiles the shim again for each kind of build and each copy of the tree, although
	# the C++ is the same. With these settings ccache finds results of other copies below
	# the checkout, even if their folder and -frandom-seed differ.
	if [ -d /usr/lib/ccache ]; then
		export PATH=/usr/lib/ccache:$PATH CCACHE_SLOPPINESS=random_seed CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD
	fi
}
