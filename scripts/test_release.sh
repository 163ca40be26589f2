#!/usr/bin/env bash
# Tests release.sh on a small repository that is structured like this one. Checks which
# releases it refuses, what a release consists of, and that a failed release leaves nothing
# behind. Needs no libtorch and no network.
set -uo pipefail

unset CDPATH
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# shellcheck source=lib/test_support.sh
. "$repo/scripts/lib/test_support.sh"

modules=$tmp/modules
CGO_ENABLED=0 go -C "$repo/tools" build -o "$modules" ./modules || exit 1
printf '[user]\n\tname = x\n\temail = x@localhost\n[init]\n\tdefaultBranch = main\n' >"$tmp/gitconfig"
export GIT_CONFIG_GLOBAL=$tmp/gitconfig GIT_CONFIG_SYSTEM=/dev/null GOPROXY=off GOFLAGS=-buildvcs=false
unset GOWORK TORCH

# --- the repository ---------------------------------------------------------

module=github.com/gotorch/gotorch
r=$tmp/repo
program() { # FILE IMPORT CALL
	mkdir -p "$r/$(dirname "$1")"
	printf 'package main\n\nimport x "%s"\n\nfunc main() { %s }\n' "$module/$2" "$3" >"$r/$1"
}
package() { # FOLDER TEXT
	mkdir -p "$r/$1"
	printf 'package %s\n%b\n' "$(basename "$1")" "$2" >"$r/$1/it.go"
}
gomod() { # FOLDER REQUIRED...
	local dir=$1 needed
	{
		printf 'module %s\n\ngo 1.26\n' "$module/$dir"
		shift
		for needed in "$@"; do
			printf '\nrequire %s v0.0.0\n\nreplace %s => ../%s\n' "$module$needed" "$module$needed" "$needed"
		done
	} >"$r/$dir/go.mod"
}
mkdir -p "$r/scripts" "$r/tools" "$r/cmd/gotorch" "$r/torch/cmd/tensors" "$r/memory/cmd/memory" \
	"$r/vet/cmd/torchvet" "$r/examples"
cp "$repo/scripts/release.sh" "$r/scripts/"
cp -r "$repo/tools/go.mod" "$repo/tools/go.sum" "$repo/tools/modules" "$repo/tools/internal" "$r/tools/"
echo 'echo export PREPARED=yes' >"$r/scripts/install_libtorch.sh"
echo /build/ >"$r/.gitignore"
printf '# Changelog\n\n## 0.1.0 (unreleased)\n\n- All.\n' >"$r/CHANGELOG.md"
printf 'module %s\n\ngo 1.26\n' "$module" >"$r/go.mod"
package torch '\nimport "os"\n\nfunc Run() { _ = os.WriteFile(os.Args[1], nil, 0o666) }'
package vision/models "\nimport \"$module/torch\"\n\nfunc Run() { torch.Run() }"
gomod vision ''
package vet/analyzers '\nfunc Run() {}'
gomod vet
package examples "\nimport \"$module/vision/models\"\n\nvar Run = models.Run"
gomod examples '' /vision
program torch/cmd/tensors/main.go torch 'x.Run()'
program memory/cmd/memory/main.go torch 'x.Run()'
cat >"$r/cmd/gotorch/main.go" <<'END'
package main

import "os"

// As gotorch new: it makes a module in the directory that its second argument names.
func main() {
	dir := os.Args[2]
	_ = os.Mkdir(dir, 0o777)
	_ = os.WriteFile(dir+"/go.mod", []byte("module started\n\ngo 1.26\n"), 0o666)
	_ = os.WriteFile(dir+"/main.go", []byte("package main\n\nfunc main() {}\n"), 0o666)
}
END
cat >"$r/vet/cmd/torchvet/main.go" <<'END'
package main

import (
	"fmt"
	"os"
)

// What go vet asks its tool for.
func main() {
	switch os.Args[1] {
	case "-V=full":
		fmt.Println("torchvet version devel buildID=1")
	case "-flags":
		fmt.Println("[]")
	}
}
END
for name in root vision vet; do mkdir -p "$r/scripts/testdata/consumers/$name"; done
program scripts/testdata/consumers/root/main.go torch 'x.Run()'
program scripts/testdata/consumers/vision/main.go vision/models 'x.Run()'
program scripts/testdata/consumers/vet/main.go vet/analyzers 'x.Run()'
git init -q "$r"
git -C "$r" add -A
git -C "$r" commit -qm Begin

release() { "$r/scripts/release.sh" "$@"; }
state() { git -C "$r" for-each-ref && git -C "$r" symbolic-ref HEAD && git -C "$r" status --porcelain --ignored; }
before=$(state)
unchanged() { same "$(state)" "$before" "the checkout is as it was"; }

begin "usage"
expect 0 'usage: scripts/release.sh VERSION' release --help
expect 2 'usage: scripts/release.sh VERSION' release
expect 2 'usage: scripts/release.sh VERSION' release --chek
expect 2 'usage: scripts/release.sh VERSION' release v0.1.0 v0.1.0

begin "versions that are none"
for version in 0.1.0 v0.1 v1 v0.01.0 v0.1.0+more v0.0.0-20260101000000-0123456789ab latest; do
	expect 1 "\"$version\" is not the version of a release" release "$version"
done
expect 1 'should be v0 or v1, not v2' release v2.0.0
expect 1 'CHANGELOG.md has no heading "## 0.2.0 (unreleased)"' release v0.2.0
expect 1 'CHANGELOG.md has no heading "## 0.1.0-rc.1 (unreleased)"' release v0.1.0-rc.1
unchanged

begin "a checkout that is not clean"
echo >"$r/new"
expect 1 'has changes that are not committed' release v0.1.0
rm "$r/new"
echo >>"$r/CHANGELOG.md"
expect 1 'has changes that are not committed' release v0.1.0
git -C "$r" checkout -q CHANGELOG.md
git -C "$r" checkout -q --detach
expect 1 'check out the branch' release v0.1.0
git -C "$r" checkout -q main

begin "a tag that exists"
git -C "$r" tag vision/v0.1.0
expect 1 'the tag vision/v0.1.0 exists' release v0.1.0
git -C "$r" tag -d vision/v0.1.0 >/dev/null
unchanged

begin "a module that nobody can use"
breaks() { # breaks PATTERN commits the changes, and checks that a release fails with a message that matches PATTERN.
	git -C "$r" add -A
	git -C "$r" commit -qm Break
	local broken
	broken=$(state)
	expect 1 "$1" release v0.1.0
	same "$(state)" "$broken" "the checkout is as it was"
	git -C "$r" reset -q --hard HEAD~
}
rm "$r/scripts/testdata/consumers/vision/main.go"
breaks 'vision has no program that imports it'
sed -i 's/x.Run()/panic("consumer")/; s/x "/_ "/' "$r/scripts/testdata/consumers/vision/main.go"
breaks 'the program that imports vision failed'
package vision/models "\nimport \"$module/nowhere\"\n\nvar Run = nowhere.Run"
breaks "cannot find module providing package $module/nowhere"
printf '\nreplace %s => ./torch\n' "$module/none" >>"$r/vet/go.mod"
breaks 'more replace directives'
: >"$r/torch/A.txt"
: >"$r/torch/a.txt"
breaks 'case-insensitive file name collision'

begin "a go.mod that names something else"
t=$tmp/tagged
git clone -q "$r" "$t"
for tag in $("$modules" tags "$t" v0.1.0); do git -C "$t" tag "$tag"; done
expect 1 "vision/v0.1.0: go.mod requires $module v0.0.0, not v0.1.0" "$modules" proxy "$t" v0.1.0 "$tmp/proxy"
sed -i 's/^module .*/module example.test\/vision/; s/ v0.0.0/ v0.1.0/' "$t/vision/go.mod"
git -C "$t" commit -qam Rename
git -C "$t" tag -f vision/v0.1.0 >/dev/null
expect 1 "vision/v0.1.0: go.mod names the module example.test/vision, not $module/vision" "$modules" proxy "$t" \
	v0.1.0 "$tmp/proxy"

begin "a check, in a checkout as CI has it"
s=$tmp/shallow
git -C "$r" commit -q --allow-empty -m Second
git clone -q --depth 1 "file://$r" "$s"
git -C "$s" checkout -q --detach
echo broken >"$s/torch/it.go" # this does not matter, because only HEAD is checked
echo >"$s/new"
shallow=$(git -C "$s" for-each-ref && git -C "$s" status --porcelain --ignored)
expect 0 'release: the commands: ok' "$s/scripts/release.sh" --check
same "$(git -C "$s" for-each-ref && git -C "$s" status --porcelain --ignored | grep -v '^!! build/$')" "$shallow" \
	"nothing is left"
lacks "$s/build" release
git -C "$s" checkout -q .
printf 'package torch\n\nvar file = 1\n' >"$s/torch/file.go"
sed -i 's/os.Args\[1\]/os.Args[file]/' "$s/torch/it.go"
git -C "$s" add torch
git -C "$s" commit -qm 'Add a file'
expect 0 'release: the commands: ok' "$s/scripts/release.sh" --check

begin "a release"
old=$(git -C "$r" rev-parse HEAD)
expect 0 'git push --atomic origin main v0.1.0 vet/v0.1.0 vision/v0.1.0' release v0.1.0
same "$(git -C "$r" log -1 --format='%s %P')" "Release v0.1.0 $old" "one commit"
same "$(git -C "$r" for-each-ref --format='%(refname:short) %(objecttype) %(*objectname)' refs/tags)" \
	"$(git -C "$r" rev-parse HEAD | sed 's/.*/v0.1.0 tag &\nvet\/v0.1.0 tag &\nvision\/v0.1.0 tag &/')" \
	"annotated tags of it"
same "$(git -C "$r" show --format= --name-only | xargs)" "CHANGELOG.md examples/go.mod vision/go.mod" "what it changes"
same "$(cd "$r/examples" && go mod edit -json | grep -c '"Version": "v0.1.0"')" 2 "requirements in examples"
same "$(cd "$r/examples" && go list -f '{{.Name}}' .)" examples "which still builds from the tree"
same "$(sed -n 3p "$r/CHANGELOG.md")" "## 0.1.0 ($(git -C "$r" log -1 --format=%cd --date=format:%F))" \
	"the changelog's date"
same "$(git -C "$r" status --porcelain)" "" "a clean checkout"
expect 1 'the tag v0.1.0 exists' release v0.1.0
expect 0 'release: the commands: ok' release --check

echo
if [ "$failed" -gt 0 ]; then
	echo "FAIL: $failed of $((passed + failed)) checks failed"
	exit 1
fi
echo "ok: $passed checks passed"
