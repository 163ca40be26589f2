package main

import "github.com/gotorch/gotorch/nn"

// newModel returns a network that computes a score for each class.
func newModel(inputs, classes int64) *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(inputs, 32), nn.NewReLU(), nn.NewLinear(32, classes))
}
