package functional

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Options of fractional pooling and unpooling functions, which take the size of the
// result.
type (
	// OutputSize is the size of the result in each dimension. For example
	// OutputSize(7).
	OutputSize = opt.OutputSize
	// OutputSizes is OutputSize for each dimension. For example OutputSizes{7, 5}.
	OutputSizes = opt.OutputSizes
	// OutputRatio is the size of the result relative to the size of the input, between 0
	// and 1. For example OutputRatio(0.7).
	OutputRatio = opt.OutputRatio
	// OutputRatios is OutputRatio for each dimension. For example OutputRatios{0.7,
	// 0.5}.
	OutputRatios = opt.OutputRatios
	// RandomSamplesOption is the result type of [RandomSamples].
	RandomSamplesOption = opt.RandomSamples
)

// RandomSamples gives the random numbers that place the windows of fractional pooling.
// They are between 0 and 1, in a tensor of shape (N, C, 2), or (N, C, 3) for volumes. By
// default, and for nil, each call draws new numbers. The caller keeps ownership of the
// tensor.
func RandomSamples(t *torch.Tensor) RandomSamplesOption { return opt.NewRandomSamples(t) }
