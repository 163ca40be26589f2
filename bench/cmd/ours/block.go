package main

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func init() { cases["block"] = block }

// block times a transformer's feed-forward block, forward and backward: a LayerNorm,
// linear layers from 256 to 1024 features and back with a GELU in between, and a residual
// connection.
func block(a args) result {
	norm := nn.NewLayerNorm(torch.Shape{256})
	mlp := nn.NewSequential(nn.NewLinear(256, 1024), nn.NewGELU(), nn.NewLinear(1024, 256))
	defer norm.Close()
	defer mlp.Close()
	x := torch.Randn(torch.Shape{8, 256, 256})
	defer x.Close()
	return result{nanos: timed(a.iterations, func() {
		torch.Scope(func() {
			y := x.Add(mlp.Forward(norm.Forward(x)))
			norm.ZeroGrad()
			mlp.ZeroGrad()
			y.Sum().Backward()
		})
	})}
}
