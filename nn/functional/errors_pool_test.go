package functional_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestBadInputOfWindows(t *testing.T) {
	scoped(t, func() {
		seq, img, vol := torch.Zeros(torch.Shape{1, 2, 4}), torch.Zeros(torch.Shape{1, 2, 4, 4}),
			torch.Zeros(torch.Shape{1, 2, 4, 4, 4})
		at := torch.Zeros(torch.Shape{1, 2, 4, 4}, torch.Int64)
		far := torch.Full(torch.Shape{1, 2, 4, 4}, 99)
		closed := torch.Zeros(torch.Shape{1, 2, 2})
		closed.Close()
		cases := []struct {
			name string
			kind error
			text string
			fn   func()
		}{
			{"nil input", torch.ErrNil, "MaxPool3d: argument input", func() { F.MaxPool3d(nil, 2) }},
			{"nil input of a norm", torch.ErrNil, "LPPool2d: argument input", func() { F.LPPool2d(nil, 2, 2) }},
			{"nil input of an adaptive pooling", torch.ErrNil, "AdaptiveMaxPool3dWithIndices: argument input", func() {
				F.AdaptiveMaxPool3dWithIndices(nil, 2)
			}},
			{"nil indices", torch.ErrNil, "MaxUnpool2d: argument indices", func() { F.MaxUnpool2d(img, nil, 2) }},
			{"nil indices of a line", torch.ErrNil, "MaxUnpool1d: argument indices", func() {
				F.MaxUnpool1d(seq, nil, 2)
			}},
			{"dimensions", torch.ErrShape, "MaxPool3d", func() { F.MaxPool3d(seq, 2) }},
			{"dimensions of a mean", torch.ErrShape, "AvgPool3d", func() { F.AvgPool3d(seq, 2) }},
			{"kernel 0 of a line", torch.ErrValue, "kernelSize: expected a positive number, got 0", func() {
				F.AvgPool1d(seq, 0)
			}},
			{"kernel type", torch.ErrType, "kernelSize", func() { F.AvgPool3d(vol, 2.5) }},
			{
				"padding beyond half", torch.ErrValue, "Padding: expected a number from 0 to 1, half of the window",
				func() {
					F.MaxPool3d(vol, 2, F.Padding(2))
				},
			},
			{"stride 0", torch.ErrValue, "Stride: expected", func() { F.MaxPool1dWithIndices(seq, 2, F.Stride(0)) }},
			{"endless kernel", torch.ErrValue, "kernelSize", func() { F.MaxPool1dWithIndices(seq, int64(1)<<33) }},
			{"norm 0", torch.ErrValue, "normType: expected a number that is not 0", func() { F.LPPool1d(seq, 0, 2) }},
			{"window of a norm", torch.ErrShape, "LPPool2d", func() { F.LPPool2d(img, 2, 9) }},
			{"output padding", torch.ErrValue, "OutputPadding", func() {
				F.ConvTranspose1d(seq, torch.Zeros(torch.Shape{2, 1, 2}), nil, F.OutputPadding(1))
			}},
			{"no size", torch.ErrValue, "OutputSize: give exactly one", func() { F.FractionalMaxPool2d(img, 2) }},
			{"size and ratio", torch.ErrValue, "OutputSize: give exactly one", func() {
				F.FractionalMaxPool2d(img, 2, F.OutputSize(2), F.OutputRatio(0.5))
			}},
			{"ratio", torch.ErrValue, "OutputRatio: expected", func() {
				F.FractionalMaxPool3d(vol, 2, F.OutputRatio(math.NaN()))
			}},
			{"ratios", torch.ErrValue, "OutputRatios: expected 3 numbers, got 2", func() {
				F.FractionalMaxPool3d(vol, 2, F.OutputRatios{0.5, 0.5})
			}},
			{"ratio of nothing", torch.ErrValue, "OutputSize: expected a positive number, got 0", func() {
				F.FractionalMaxPool2d(img, 2, F.OutputRatio(0.1))
			}},
			{"fractional kernel", torch.ErrValue, "kernelSize: expected a positive number, got 0", func() {
				F.FractionalMaxPool2d(img, 0, F.OutputSize(2))
			}},
			{"fractional dimensions", torch.ErrShape, "FractionalMaxPool2d", func() {
				F.FractionalMaxPool2d(vol, 2, F.OutputSize(2))
			}},
			{"fractional size", torch.ErrShape, "FractionalMaxPool2d", func() {
				F.FractionalMaxPool2d(img, 3, F.OutputSize(4))
			}},
			{"closed samples", torch.ErrClosed, "random_samples", func() {
				F.FractionalMaxPool2d(img, 2, F.OutputSize(2), F.RandomSamples(closed))
			}},
			{"unpooled dimensions", torch.ErrShape, "MaxUnpool1d", func() { F.MaxUnpool1d(img, at, 2) }},
			{"unpooled sizes", torch.ErrValue, "OutputSizes: expected 2 or 4 numbers, got 3", func() {
				F.MaxUnpool2d(img, at, 2, F.OutputSizes{2, 8, 8})
			}},
			{
				"unpooled size", torch.ErrValue,
				"OutputSizes: expected a size between 6 and 10 in spatial dimension 1, got 10", func() {
					F.MaxUnpool2d(img, at, 2, F.OutputSizes{8, 10})
				},
			},
			{"indices beyond", torch.ErrIndex, "MaxUnpool2d", func() { F.MaxUnpool2d(img, far, 2) }},
			{"indices of floats", torch.ErrDType, "MaxUnpool2d", func() { F.MaxUnpool2d(img, img, 2) }},
			{"folded kernel", torch.ErrValue, "kernelSize: expected a number from 1", func() { F.Unfold(img, 0) }},
			{"folded padding", torch.ErrValue, "Padding: expected a number from 0", func() {
				F.Unfold(img, 2, F.Padding(-1))
			}},
			{"folded window", torch.ErrShape, "Unfold", func() { F.Unfold(img, 9) }},
			{"folded columns", torch.ErrShape, "Fold", func() {
				F.Fold(torch.Zeros(torch.Shape{1, 8, 11}), []int{4, 5}, 2)
			}},
			{"factor 0", torch.ErrValue, "factor: expected a positive number, got 0", func() {
				F.PixelUnshuffle(img, 0)
			}},
			{"factor", torch.ErrShape, "PixelUnshuffle", func() { F.PixelUnshuffle(img, 3) }},
			{"groups 0", torch.ErrValue, "groups: expected a positive number, got 0", func() {
				F.ChannelShuffle(img, 0)
			}},
			{"groups", torch.ErrValue, "ChannelShuffle", func() { F.ChannelShuffle(img, 3) }},
			{"adaptive size", torch.ErrValue, "outputSize: expected no negative number, got -1", func() {
				F.AdaptiveAvgPool3d(vol, []int64{F.SizeNone, -1, 2})
			}},
		}
		for _, c := range cases {
			err := torch.Try(c.fn)
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
				assert.Contains(t, err.Error(), c.text, c.name)
			}
		}
	})
}

// SizeNone keeps the input's size, with and without a batch.
func TestAdaptiveSizeNone(t *testing.T) {
	scoped(t, func() {
		img := cube(2)
		same(t, F.AdaptiveAvgPool2d(img, []int64{3, 8}), F.AdaptiveAvgPool2d(img, []int{3, F.SizeNone}), "batch")
		one := img.Select(0, 0)
		same(t, F.AdaptiveMaxPool2d(one, []int64{9, 3}), F.AdaptiveMaxPool2d(one, []int64{F.SizeNone, 3}), "no batch")
		same(t, img, F.AdaptiveMaxPool2d(img, F.SizeNone), "one number for all")
	})
}

// Pooling functions return the same values with and without indices.
func TestPoolingsWithIndices(t *testing.T) {
	scoped(t, func() {
		for n := 1; n <= 3; n++ {
			x := cube(n)
			max := []maxCall{nil, F.MaxPool1d, F.MaxPool2d, F.MaxPool3d}[n]
			pair := []func(*torch.Tensor, any, ...F.MaxPoolOption) (_, _ *torch.Tensor){
				nil, F.MaxPool1dWithIndices,
				F.MaxPool2dWithIndices, F.MaxPool3dWithIndices,
			}[n]
			unpool := []func(_, _ *torch.Tensor, _ any, _ ...F.MaxUnpoolOption) *torch.Tensor{
				nil, F.MaxUnpool1d,
				F.MaxUnpool2d, F.MaxUnpool3d,
			}[n]
			v, i := pair(x, 2)
			same(t, max(x, 2), v, "values in %d dimensions", n)
			back := unpool(v, i, 2, F.OutputSizes(x.Shape()))
			assert.Equal(t, x.Shape(), back.Shape())
			same(t, v,
				max(back.Add(torch.Full(torch.Shape{}, 0)).Where(back.Ne(torch.Zeros(torch.Shape{})),
					torch.Full(torch.Shape{}, math.Inf(-1))), 2), "what goes back comes again")

			adaptive := []func(*torch.Tensor, any) *torch.Tensor{
				nil, F.AdaptiveMaxPool1d, F.AdaptiveMaxPool2d,
				F.AdaptiveMaxPool3d,
			}[n]
			both := []func(*torch.Tensor, any) (_, _ *torch.Tensor){
				nil, F.AdaptiveMaxPool1dWithIndices,
				F.AdaptiveMaxPool2dWithIndices, F.AdaptiveMaxPool3dWithIndices,
			}[n]
			v, i = both(x, 3)
			same(t, adaptive(x, 3), v, "adaptive values in %d dimensions", n)
			flat := x.Flatten(2).Gather(2, i.Flatten(2)).Reshape(v.Shape()...)
			same(t, v, flat, "indices")

			mean := []func(*torch.Tensor, any) *torch.Tensor{
				nil, F.AdaptiveAvgPool1d, F.AdaptiveAvgPool2d,
				F.AdaptiveAvgPool3d,
			}[n]
			torchtest.AllClose(t, x.Flatten(2).Mean(torch.Dim(2), torch.KeepDim(true)), mean(x, 1).Flatten(2))
		}
	})
}
