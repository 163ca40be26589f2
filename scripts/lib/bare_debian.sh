# Creates a bare Debian in a folder, and runs commands in it. Other scripts source this
# file; they define die and say.
# shellcheck shell=bash disable=SC2034

# make_debian ROOT LOG runs debootstrap with the variant minbase and the suite of this
# system, from the mirror that apt-get uses. It sets suite.
make_debian() {
	local root=$1 log=$2 mirror debootstrap=debootstrap unpacked
	[ "$(id -u)" = 0 ] || die "a bare Debian needs root"
	command -v wget >/dev/null || die "wget is missing (Debian: package wget)"
	# shellcheck disable=SC1091
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		sed -n 's/^URIs: *//p; s/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' | sed -n 1p) || true
	[ -n "$suite" ] && [ -n "$mirror" ] || die "this is no Debian whose mirror apt-get knows"
	if ! command -v debootstrap >/dev/null; then # debootstrap is only unpacked, not installed
		unpacked=$root.debootstrap
		mkdir -p "$unpacked"
		(cd "$unpacked" && apt-get -qq -o APT::Sandbox::User=root download debootstrap &&
			dpkg -x debootstrap_*.deb .) ||
			die "apt-get could not fetch debootstrap"
		export DEBOOTSTRAP_DIR=$unpacked/usr/share/debootstrap
		debootstrap=$unpacked/usr/sbin/debootstrap
	fi
	say "a bare Debian $suite"
	"$debootstrap" --variant=minbase "$suite" "$root" "$mirror" >"$log" 2>&1 || {
		tail -5 "$log" >&2
		die "debootstrap failed"
	}
	cp -a /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
	cp -a /usr/local/share/ca-certificates "$root/usr/local/share/" 2>/dev/null || true
	mkdir -p "$root/etc/ssl/certs" "$root/proc" "$root/dev"
	cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
	cp -aL /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
	cp -L /etc/pip.conf "$root/etc/" 2>/dev/null || true
}

# network_settings sets the array network to the environment variables that downloads need.
network_settings() {
	local name
	network=()
	while IFS= read -r name; do
		case $name in
		PIP_* | *_proxy | *_PROXY | SSL_CERT_* | GIT_SSL_* | *_CA_BUNDLE)
			[ "$name" = GOPROXY ] || network+=("$name=${!name}")
			;;
		esac
	done < <(compgen -e)
}

# in_debian ROOT VARIABLE=VALUE... COMMAND... runs a command as root in ROOT, with only
# these environment variables. When the command ends, its mounts and remaining processes end
# too, because they have namespaces of their own. If the variable ccache is set, that folder
# is mounted as root's ~/.cache/ccache.
in_debian() {
	# shellcheck disable=SC2016
	unshare --mount --pid --fork --kill-child bash -c '
		ccache=$1 root=$2 && shift 2
		mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit
		if [ -n "$ccache" ]; then
			mkdir -p "$root/root/.cache/ccache" && mount --bind "$ccache" "$root/root/.cache/ccache" || exit
		fi
		exec chroot "$root" /usr/bin/env -i "$@"' bash "${ccache:-}" "$@"
}
