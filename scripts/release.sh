#!/usr/bin/env bash
# Releases all modules of this repository under one version, or checks whether that would
# work.
#
# The script works in a clone of the repository. It makes the modules require each other's
# new version, commits, tags, and serves the tags as a module proxy would, from files. Then
# it builds and runs a program from scripts/testdata/consumers for each module. Each program
# is a module of its own, and the module cache is empty at first. The script also installs
# the commands. Only if all of that works does the checkout get the commit and the tags.
# Nothing is pushed.
set -euo pipefail

usage() {
	cat <<'EOT'
usage: scripts/release.sh VERSION    such as v0.1.0: commit and tag
       scripts/release.sh --check    try it for HEAD with a version of no meaning, and keep nothing

VERSION has a section in CHANGELOG.md under the heading "## 0.1.0 (unreleased)", which
gets the date.
EOT
}

say() { echo "release: $*"; }
die() {
	say "$*" >&2
	exit 1
}

check=''
case ${1:-} in
--check) check=yes version=v0.0.0-check ;;
-h | --help)
	usage
	exit
	;;
'' | -*)
	usage >&2
	exit 2
	;;
*) version=$1 ;;
esac
[ $# = 1 ] || {
	usage >&2
	exit 2
}

unset CDPATH
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# All runs and programs use the same folder, because cgo's flags contain the folder of the
# module cache. With another folder Go would compile all of the C++ again.
tmp=$repo/build/release
clean() { [ ! -d "$tmp" ] || { chmod -R u+w "$tmp" && rm -rf "$tmp"; }; } # Go's module caches are read-only
trap clean EXIT
clean
mkdir -p "$tmp"
clone=$tmp/clone proxy=$tmp/proxy

CGO_ENABLED=0 go -C "$repo/tools" build -buildvcs=false -o "$tmp/modules" ./modules
tags=$("$tmp/modules" tags "$repo" "$version") || exit 1

if [ -n "$check" ]; then
	# CI's checkout may belong to another user, and no user name is set for git there.
	printf '[safe]\n\tdirectory = *\n[user]\n\tname = release\n\temail = release@localhost\n' >"$tmp/gitconfig"
	export GIT_CONFIG_GLOBAL=$tmp/gitconfig
else
	heading="## ${version#v} (unreleased)"
	git -C "$repo" symbolic-ref -q HEAD >/dev/null || die "check out the branch to release from"
	[ -z "$(git -C "$repo" status --porcelain)" ] || die "the checkout has changes that are not committed"
	for tag in $tags; do
		! git -C "$repo" show-ref -q --verify "refs/tags/$tag" || die "the tag $tag exists"
	done
	grep -qxF "$heading" "$repo/CHANGELOG.md" || die "CHANGELOG.md has no heading \"$heading\""
fi

# --- the commit and the tags ------------------------------------------------

git clone --quiet --no-tags "$repo" "$clone" 2>"$tmp/log" || die "cannot clone the checkout: $(cat "$tmp/log")"
[ -n "$check" ] || for key in user.name user.email; do
	git -C "$clone" config "$key" "$(git -C "$repo" config "$key")"
done
"$tmp/modules" require "$clone" "$version"
[ -n "$check" ] || sed -i "s/^$heading\$/## ${version#v} ($(date -u +%F))/" "$clone/CHANGELOG.md"
git -C "$clone" commit --quiet --all --allow-empty --message "Release $version"
for tag in $tags; do
	git -C "$clone" tag --annotate --message "$tag" "$tag"
done
"$tmp/modules" proxy "$clone" "$version" "$proxy"

# --- consumers ---------------------------------------------------------------

module=$(cd "$repo" && go list -m)
# Use the modules of other authors that earlier builds of the checkout have downloaded.
GOPROXY=file://$proxy,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
GONOSUMDB=$module${GONOSUMDB:+,$GONOSUMDB}
# Do not use -trimpath. It adds a flag to the calls of g++, so ccache would not find earlier
# results.
GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"
GOMODCACHE=$tmp/modcache
export GOPROXY GONOSUMDB GOFLAGS GOMODCACHE GOWORK=off
# In GOCACHE, Go keeps an index of the files of each module folder. Without this setting the
# check would use the index of an earlier commit.
export GODEBUG="${GODEBUG:+$GODEBUG,}goindex=0"
# With this setting ccache also finds earlier results for C++ that has moved to a vendor
# folder.
export CCACHE_BASEDIR=$repo

# consume FOLDER NAME builds and runs the test program for the module in FOLDER.
consume() {
	local dir=$tmp/consumer/$2 imports
	mkdir -p "$dir"
	cp "$clone/scripts/testdata/consumers/$2/main.go" "$dir" || die "$1 has no program that imports it"
	cd "$dir"
	go clean -modcache
	go mod init example.test/consumer 2>"$tmp/log" || die "go mod init: $(cat "$tmp/log")"
	imports=$(go list -e -f '{{join .Imports "\n"}}' main.go | grep "^$module/${1#.}")
	# shellcheck disable=SC2086
	go get ${imports//$'\n'/@$version }@"$version" 2>"$tmp/log" || die "go get: $(cat "$tmp/log")"
	! grep "$module" go.mod | grep -v " $version\( // indirect\)\?\$" || die "another version than $version"
	if [ -z "${prepared:-}" ]; then
		# Find libtorch with the script that the released module contains.
		prepared=$(bash "$(go list -m -f '{{.Dir}}' "$module")/scripts/install_libtorch.sh" \
			${TORCH:+--version "$TORCH"} --print-env)
		eval "$prepared"
	fi
	go build -o consumer .
	(cd / && env -i "$dir/consumer" "$dir/file") || die "the program that imports $1 failed"
}

start=$SECONDS
took() {
	say "$1: ok, $((SECONDS - start)) s"
	start=$SECONDS
}
consume . root
took "$module"

for tag in $tags; do
	[ "$tag" != "$version" ] || continue
	consume "${tag%/*}" "${tag%/*}"
	took "$module/${tag%/*}"
done

cd "$tmp"
go clean -modcache
export GOBIN=$tmp/bin
for command in vet/cmd/torchvet cmd/gotorch torch/cmd/tensors memory/cmd/memory; do
	go install "$module/$command@$version" 2>"$tmp/log" || die "go install: $(cat "$tmp/log")"
done
"$GOBIN/tensors" "$tmp/consumer/root/file"
(cd "$tmp/consumer/root" && go vet -vettool="$GOBIN/torchvet" .)
# A new project uses the released version.
cd "$tmp/consumer/root"
"$GOBIN/gotorch" new started
cd started
go build -o started .
took "the commands"

cd "$tmp/consumer/root"
rm consumer
go mod vendor
GOFLAGS="$GOFLAGS -mod=vendor" go build -o consumer .
(cd / && env -i "$tmp/consumer/root/consumer" "$tmp/consumer/root/file") ||
	die "the program with a vendor folder failed"
took "$module from a vendor folder"

# --- the checkout ------------------------------------------------------------

[ -z "$check" ] || exit 0
branch=$(git -C "$repo" symbolic-ref --short HEAD)
git -C "$repo" fetch --quiet --no-tags "$clone" HEAD
git -C "$repo" merge --quiet --ff-only FETCH_HEAD
# shellcheck disable=SC2046
git -C "$repo" fetch --quiet --no-tags "$clone" \
	$(printf 'refs/tags/%s:refs/tags/%s ' $(for tag in $tags; do echo "$tag" "$tag"; done))
say "committed and tagged. To publish it:"
echo "git push --atomic origin $branch" $tags
