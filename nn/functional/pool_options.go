package functional

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of poolings whose result has a size that is said.
type (
	// OutputSize is the size of the result in every direction.
	// For example OutputSize(7).
	OutputSize = opt.OutputSize
	// OutputSizes is OutputSize for each direction. For example OutputSizes{7, 5}.
	OutputSizes = opt.OutputSizes
	// OutputRatio is the size of the result relative to that of the input, between
	// 0 and 1. For example OutputRatio(0.7).
	OutputRatio = opt.OutputRatio
	// OutputRatios is OutputRatio for each direction.
	// For example OutputRatios{0.7, 0.5}.
	OutputRatios = opt.OutputRatios
	// RandomSamplesOption is what [RandomSamples] returns.
	RandomSamplesOption = opt.RandomSamples
)

// RandomSamples are the numbers from 0 to 1 that place the windows of a fractional
// pooling, of shape (N, C, 2), or (N, C, 3) for volumes. By default, and for nil, each
// call draws new ones. The tensor still belongs to the caller.
func RandomSamples(t *torch.Tensor) RandomSamplesOption { return opt.NewRandomSamples(t) }
