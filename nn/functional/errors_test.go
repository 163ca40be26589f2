package functional_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func TestBadInput(t *testing.T) {
	scoped(t, func() {
		x, w := torch.Zeros(torch.Shape{4, 6}), torch.Zeros(torch.Shape{3, 5})
		img := torch.Zeros(torch.Shape{1, 2, 4, 4})
		ints := torch.Zeros(torch.Shape{4}, torch.Int64)
		closed := torch.Zeros(torch.Shape{2})
		closed.Close()
		cases := []struct {
			name string
			kind error
			text string
			fn   func()
		}{
			{"nil input", torch.ErrNil, "Linear: argument input", func() { F.Linear(nil, w, nil) }},
			{"nil logits", torch.ErrNil, "CrossEntropy: argument input", func() { F.CrossEntropy(nil, w) }},
			{"closed weight", torch.ErrClosed, "argument weight", func() { F.Linear(x, closed, nil) }},
			{"closed bias", torch.ErrClosed, "argument bias", func() { F.Linear(x, x, closed) }},
			{"sizes", torch.ErrShape, "weight: float32 (3, 5) cpu", func() { F.Linear(x, w, nil) }},
			{"dtype", torch.ErrDType, "Linear", func() {
				F.Linear(x, torch.Zeros(torch.Shape{3, 6}, torch.Float64), nil)
			}},
			{"channels", torch.ErrShape, "Conv2d", func() { F.Conv2d(img, torch.Zeros(torch.Shape{1, 3, 2, 2}), nil) }},
			{"kernel type", torch.ErrType, "kernelSize: expected an int or a slice of 2, got float64", func() {
				F.MaxPool2d(img, 1.5)
			}},
			{"stride length", torch.ErrValue, "Strides: expected one number or 2, got [1 2 3]", func() {
				F.Conv2d(img, img, nil, F.Strides{1, 2, 3})
			}},
			{"stride 0", torch.ErrValue, "Conv2d", func() { F.Conv2d(img, img, nil, F.Stride(0)) }},
			{"groups 0", torch.ErrValue, "Conv2d", func() { F.Conv2d(img, img, nil, F.Groups(0)) }},
			{"padding word", torch.ErrValue, `expected same or valid, got "some"`, func() {
				F.Conv2d(img, img, nil, F.PaddingWord("some"))
			}},
			{"same with strides", torch.ErrValue, "a stride of 1", func() {
				F.Conv2d(img, img, nil, F.PaddingSame, F.Stride(2))
			}},
			{"no kernel", torch.ErrType, "kernelSize", func() { F.MaxPool2d(img, nil) }},
			{"probability", torch.ErrValue, "argument P: expected a probability", func() { F.Dropout(x, F.P(1.5)) }},
			{"class", torch.ErrIndex, "CrossEntropy", func() { F.CrossEntropy(x, torch.Full(torch.Shape{4}, 6)) }},
			{"batch", torch.ErrValue, "CrossEntropy", func() {
				F.CrossEntropy(x, torch.Zeros(torch.Shape{3}, torch.Int64))
			}},
			{"target dtype", torch.ErrDType, "NLLLoss", func() { F.NLLLoss(x, torch.Zeros(torch.Shape{4})) }},
			{"reduction", torch.ErrValue, "batchmean", func() { F.MSELoss(x, x, F.ReductionBatchMean) }},
			{"no such reduction", torch.ErrValue, "Reduction", func() { F.MSELoss(x, x, F.Reduction("9")) }},
			{"BCE sizes", torch.ErrShape, "BinaryCrossEntropy", func() {
				F.BinaryCrossEntropy(x, torch.Zeros(torch.Shape{4}))
			}},
			{"approximation", torch.ErrValue, "none or tanh", func() { F.GELU(x, F.Approximate("exactly")) }},
			{"no probability", torch.ErrValue, "between 0 and 1", func() {
				F.BinaryCrossEntropy(torch.Full(torch.Shape{2}, 7.0), torch.Ones(torch.Shape{2}))
			}},
			{"odd padding", torch.ErrShape, "divisible by 2", func() { F.Pad(x, []int64{1}) }},
			{"padding that leaves nothing", torch.ErrValue, "non-negative", func() { F.Pad(x, []int64{-9, 0}) }},
			{"index", torch.ErrIndex, "Embedding", func() { F.Embedding(torch.Full(torch.Shape{2}, 3), w) }},
			{"padding index", torch.ErrIndex, "PaddingIdx", func() { F.Embedding(ints, w, F.PaddingIdx(3)) }},
			{"layer norm shape", torch.ErrShape, "LayerNorm", func() { F.LayerNorm(x, torch.Shape{5}, nil, nil) }},
			{"groups", torch.ErrValue, "groups", func() { F.GroupNorm(img, 0, nil, nil) }},
			{"one value a channel", torch.ErrValue, "more than 1 value", func() {
				F.BatchNorm(torch.Zeros(torch.Shape{1, 3}), nil, nil, nil, nil, F.Training(true))
			}},
			{"eps of a batch", torch.ErrValue, "Eps: expected a positive number, got 0", func() {
				F.BatchNorm(img, nil, nil, nil, nil, F.Training(true), F.Eps(0))
			}},
			{"one value a group", torch.ErrValue, "more than 1 value in each group", func() {
				F.GroupNorm(torch.Zeros(torch.Shape{1, 3}), 3, nil, nil)
			}},
			{"a vector in groups", torch.ErrShape, "2 dimensions or more", func() {
				F.GroupNorm(torch.Zeros(torch.Shape{3}), 1, nil, nil)
			}},
			{"no statistics", torch.ErrValue, "running", func() { F.BatchNorm(img, nil, nil, nil, nil) }},
			{"mode", torch.ErrValue, "Mode", func() { F.Interpolate(img, F.Size(2), F.ModeLinear) }},
			{"size and scale", torch.ErrValue, "Size", func() { F.Interpolate(img) }},
			{"dimensions", torch.ErrShape, "3 to 5", func() { F.Interpolate(x, F.Size(2)) }},
			{"size and factor", torch.ErrValue, "exactly one", func() {
				F.Interpolate(img, F.Size(2), F.ScaleFactor(2))
			}},
			{"factors", torch.ErrValue, "ScaleFactors: expected one number or 2, got [1 2 3]", func() {
				F.Interpolate(img, F.ScaleFactors{1, 2, 3})
			}},
			{"corners of nearest", torch.ErrValue, "AlignCorners", func() {
				F.Interpolate(img, F.Size(2), F.AlignCorners(false))
			}},
			{"factor of a size", torch.ErrValue, "RecomputeScaleFactor", func() {
				F.Interpolate(img, F.Size(2), F.RecomputeScaleFactor(true))
			}},
			{"smooth nearest", torch.ErrValue, "Antialias", func() {
				F.Interpolate(img, F.Size(2), F.Antialias(true))
			}},
			{"value of reflect", torch.ErrValue, "Value", func() {
				F.Pad(img, []int64{1, 1}, F.ModeReflect, F.Value(0))
			}},
			{"mode of pad", torch.ErrValue, `got "nearest"`, func() { F.Pad(img, []int64{1, 1}, F.ModeNearest) }},
			{"mode of grid", torch.ErrValue, `got "area"`, func() { F.GridSample(img, img, F.ModeArea) }},
			{"padding of grid", torch.ErrValue, `got "circular"`, func() {
				F.GridSample(img, img, F.PaddingMode("circular"))
			}},
			{"grid", torch.ErrShape, "GridSample", func() { F.GridSample(img, img) }},
			{"affine matrices", torch.ErrShape, "theta", func() { F.AffineGrid(x, torch.Shape{1, 1, 2, 2}) }},
			{"affine size", torch.ErrValue, "size", func() {
				F.AffineGrid(torch.Zeros(torch.Shape{1, 2, 3}), torch.Shape{1, 1, 0, 2})
			}},
			{"affine dtype", torch.ErrDType, "theta", func() { F.AffineGrid(ints, torch.Shape{1, 1, 2, 2}) }},
			{"limits", torch.ErrValue, "MinVal", func() { F.Hardtanh(x, F.MinVal(2)) }},
			{"no kernel for a device", torch.ErrNotImplemented, "Conv1d", func() {
				F.Conv1d(torch.Zeros(torch.Shape{1, 2, 5}), torch.Zeros(torch.Shape{1, 2, 2}, torch.Meta), nil)
			}},
			{"no kernel for a dtype", torch.ErrDType, "GELU", func() { F.GELU(ints) }},
			{
				"output padding", torch.ErrValue,
				"OutputPadding: expected less than 2, the larger of stride and dilation, got 2",
				func() {
					F.ConvTranspose2d(img, torch.Zeros(torch.Shape{2, 1, 2, 2}), nil, F.Stride(2), F.OutputPadding(2))
				},
			},
			{"bicubic of a volume", torch.ErrValue, "Mode: bicubic", func() {
				F.GridSample(torch.Zeros(torch.Shape{1, 1, 2, 2, 2}), torch.Zeros(torch.Shape{1, 2, 2, 2, 3}),
					F.ModeBicubic)
			}},
			{"smoothing", torch.ErrValue, "LabelSmoothing: expected a number from 0 to 1, got 2", func() {
				F.CrossEntropy(x, ints, F.LabelSmoothing(2))
			}},
			{"smoothing that is none", torch.ErrValue, "LabelSmoothing", func() {
				F.CrossEntropy(x, ints, F.LabelSmoothing(math.NaN()))
			}},
			{"delta", torch.ErrValue, "Delta", func() { F.HuberLoss(x, x, F.Delta(0)) }},
			{"divisor", torch.ErrValue, "DivisorOverride", func() { F.AvgPool2d(img, 2, F.DivisorOverride(0)) }},
			{"mask and causal", torch.ErrValue, "IsCausal", func() {
				F.ScaledDotProductAttention(img, img, img, F.AttnMask(x), F.IsCausal(true))
			}},
			{"closed mask", torch.ErrClosed, "attn_mask", func() {
				F.ScaledDotProductAttention(img, img, img, F.AttnMask(closed))
			}},
			{"closed weight of classes", torch.ErrClosed, "weight", func() {
				F.CrossEntropy(x, ints, F.Weight(closed))
			}},
			{"one value of an instance", torch.ErrValue, "spatial", func() {
				F.InstanceNorm(torch.Zeros(torch.Shape{2, 3, 1}), nil, nil, nil, nil)
			}},
			{"no statistics of instances", torch.ErrValue, "running", func() {
				F.InstanceNorm(img, nil, nil, nil, nil, F.UseInputStats(false))
			}},
			{"weight's size", torch.ErrShape, "weight", func() { F.MSELoss(x, x, F.Weight(w)) }},
			{"closed weight of elements", torch.ErrClosed, "weight", func() { F.HuberLoss(x, x, F.Weight(closed)) }},
			{"endless kernel", torch.ErrValue, "kernelSize", func() {
				F.MaxPool1d(torch.Zeros(torch.Shape{1, 2, 9}), int64(1)<<33)
			}},
			{"a wrong word before a right one", torch.ErrValue, "expected none or tanh", func() {
				F.GELU(x, F.Approximate("no"), F.ApproximateTanh)
			}},
			{"a wrong padding before a right one", torch.ErrValue, "Padding", func() {
				F.Conv2d(img, img, nil, F.PaddingWord("no"), F.Padding(1))
			}},
			{"too many strides before a right one", torch.ErrValue, "Strides", func() {
				F.Conv2d(img, img, nil, F.Strides{1, 2, 3}, F.Stride(1))
			}},
			{"pointer to an option", torch.ErrValue, "is not an option of this function", func() {
				F.Conv2d(img, img, nil, new(F.Stride))
			}},
			{"endless padding", torch.ErrValue, "pad", func() {
				n := int64(math.MaxInt64)
				F.Pad(torch.Zeros(torch.Shape{1, 1, 5, 5, 5}), []int64{n, n, n, n, n, n}, F.ModeReplicate)
			}},
			{"class beyond", torch.ErrValue, "num_classes", func() {
				F.OneHot(torch.Full(torch.Shape{1}, 3), F.NumClasses(2))
			}},
			{"negative class", torch.ErrValue, "OneHot", func() { F.OneHot(torch.Full(torch.Shape{1}, -3)) }},
			{"no classes", torch.ErrValue, "NumClasses: expected a positive number, or -1, got 0", func() {
				F.OneHot(ints, F.NumClasses(0))
			}},
			{"no indices", torch.ErrValue, "NumClasses: required", func() {
				F.OneHot(torch.Zeros(torch.Shape{0}, torch.Int64))
			}},
			{"classes that are no integers", torch.ErrDType, "expected int64, got float32", func() { F.OneHot(x) }},
			{"shuffle by 0", torch.ErrValue, "factor: expected a positive number, got 0", func() {
				F.PixelShuffle(img, 0)
			}},
			{"stride 0 of a line", torch.ErrValue, "Stride: expected a positive number, got 0", func() {
				F.MaxPool1d(img, 2, F.Stride(0))
			}},
			{"stride 0 of a plane", torch.ErrValue, "Stride: expected", func() { F.MaxPool2d(img, 2, F.Stride(0)) }},
			{"stride 0 with indices", torch.ErrValue, "Stride: expected", func() {
				F.MaxPool2dWithIndices(img, 2, F.Strides{1, 0})
			}},
			{"stride 0 of a mean", torch.ErrValue, "Stride: expected", func() { F.AvgPool2d(img, 2, F.Stride(0)) }},
			{"kernel 0", torch.ErrValue, "kernelSize: expected", func() { F.MaxPool2d(img, 0) }},
			{"kernel 0 of a mean", torch.ErrValue, "kernelSize: expected", func() { F.AvgPool2d(img, 0) }},
			{"dilation 0", torch.ErrValue, "Dilation: expected", func() { F.MaxPool1d(img, 2, F.Dilation(0)) }},
			{
				"padding beyond half", torch.ErrValue, "Padding: expected a number from 0 to 1, half of the window",
				func() {
					F.MaxPool2d(img, 2, F.Padding(2))
				},
			},
			{"negative padding", torch.ErrValue, "Padding: expected", func() { F.AvgPool2d(img, 2, F.Padding(-1)) }},
			{"negative size", torch.ErrValue, "outputSize: expected no negative number, got -1", func() {
				F.AdaptiveMaxPool2d(img, -1)
			}},
			{"around twice", torch.ErrValue, "wrapping around", func() {
				F.Pad(torch.Zeros(torch.Shape{1, 2, 3}), []int64{4, 0}, F.ModeCircular)
			}},
			{"softmax dim", torch.ErrIndex, "Softmax", func() { F.Softmax(x, 2) }},
		}
		for _, c := range cases {
			err := torch.Try(c.fn)
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
				assert.Contains(t, err.Error(), c.text, c.name)
			}
		}
		require.NoError(t, torch.Try(func() { F.MSELoss(x, x) }))
	})
}
