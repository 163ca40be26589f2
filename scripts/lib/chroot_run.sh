#!/usr/bin/env bash
# Runs a RUN instruction of a Dockerfile in a folder. Called by dockerfile.py.
#   chroot_run.sh ROOT FOLDER COMMAND VARIABLE=VALUE...
# Uses this machine's ccache, if there is one.
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
die() {
	echo "chroot_run: $*" >&2
	exit 1
}
# shellcheck source=bare_debian.sh
. "$here/bare_debian.sh"

root=$1 folder=$2 command=$3
shift 3
network_settings
ccache=${CCACHE_DIR:-$HOME/.cache/ccache}
[ -d "$ccache" ] || ccache=''
in_debian "$root" HOME=/root "${network[@]}" GOPROXY="$(go env GOPROXY)" GOSUMDB="$(go env GOSUMDB)" "$@" \
	/bin/sh -c "cd $folder && $command"
