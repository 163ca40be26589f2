#!/usr/bin/env bash
# Proof that others can use this module: a module of its own outside the tree
# imports the packages by path, with a replace directive, builds, and runs from
# another folder with an empty environment, so that the binary has to find
# libtorch by itself; then once more from a vendor folder. Called by
# `make consumer`, which sets the environment.
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
module=$(cd "$repo" && go list -m)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/main.go" <<EOF
// Command consumer fits y = 2x - 1 with one linear layer.
package main

import (
	"fmt"
	"os"

	"$module/memory"
	"$module/nn"
	F "$module/nn/functional"
	"$module/optim"
	"$module/torch"
)

func main() {
	fmt.Println("libtorch", torch.Version())
	torch.ManualSeed(0)
	before := memory.Allocated(torch.CPU)

	model := nn.NewLinear(1, 1)
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	x := torch.Linspace(-1, 1, 32).Reshape(32, 1)
	y := x.MulScalar(2).SubScalar(1)
	var last float64
	for range 200 {
		torch.Scope(func() {
			loss := F.MSELoss(model.Forward(x), y)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			last = loss.Item()
		})
	}
	fmt.Printf("loss after 200 steps: %.2e, bytes in use: %d\n", last, memory.Allocated(torch.CPU)-before)
	if !(last < 1e-6) {
		os.Exit(1)
	}
}
EOF

cat >"$dir/go.mod" <<EOF
module example.test/consumer

go 1.26

require $module v0.0.0

replace $module => $repo
EOF
cp "$repo/go.sum" "$dir/go.sum"

cd "$dir"
GOFLAGS="${GOFLAGS:-} -mod=mod" go build -o consumer .
cd /
env -i "$dir/consumer"

# -trimpath, since the folder has another name each time and the operators need
# not be compiled anew.
cd "$dir"
rm consumer
go mod vendor
GOFLAGS="${GOFLAGS:-} -trimpath -mod=vendor" go build -o consumer .
cd /
env -i "$dir/consumer"
echo "consumer: ok"
