package functional_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Sizes of 0, by which libtorch would divide, give an empty result or an error. In Python
// they crash the process.
func TestEmptyDivisors(t *testing.T) {
	scoped(t, func() {
		for _, pdist := range []func(x *torch.Tensor) *torch.Tensor{
			func(x *torch.Tensor) *torch.Tensor { return F.Pdist(x) },
			func(x *torch.Tensor) *torch.Tensor { return x.Pdist() },
		} {
			x := torch.Zeros(torch.Shape{0, 3}, torch.RequiresGrad(true))
			y := pdist(x)
			assert.Equal(t, torch.Shape{0}, y.Shape())
			y.Sum().Backward()
			assert.Equal(t, torch.Shape{0, 3}, x.Grad().Shape())
			require.ErrorIs(t, torch.Try(func() { pdist(torch.Zeros(torch.Shape{0, 3}, torch.Int64)) }), torch.ErrDType)
		}

		some, none := torch.Ones(torch.Shape{2, 2, 3, 4}), torch.Ones(torch.Shape{2, 0, 3, 4})
		for i, c := range []struct {
			arg string
			fn  func()
		}{
			{"query", func() { F.ScaledDotProductAttention(none, none, none) }},
			{"query", func() { F.ScaledDotProductAttention(none, some, some) }},
			{"key", func() { F.ScaledDotProductAttention(some, none, none, F.EnableGQA(true)) }},
			{"value", func() { F.ScaledDotProductAttention(some, some, none, F.EnableGQA(true)) }},
			{"key", func() {
				x := torch.Ones(torch.Shape{0, 3, 4})
				F.ScaledDotProductAttention(x, x, x, F.EnableGQA(true))
			}},
		} {
			live := torch.NumLiveTensors()
			var err error
			torch.Scope(func() { err = torch.Try(c.fn) })
			require.ErrorIs(t, err, torch.ErrShape, i)
			assert.ErrorContains(t, err, "argument "+c.arg+": expected at least one head", i)
			assert.Equal(t, live, torch.NumLiveTensors(), i)
		}
		assert.Equal(t, torch.Shape{2, 0, 0, 4}, F.ScaledDotProductAttention(none.Narrow(2, 0, 0), none, none).Shape())
	})
}

// A window is an error if it is so large that the sum of its size and the result's size
// overflows.
func TestFractionalWindowRunsOver(t *testing.T) {
	scoped(t, func() {
		x, y := torch.Ones(torch.Shape{1, 4, 4}), torch.Ones(torch.Shape{1, 4, 4, 4})
		for i, fn := range []func(){
			func() { F.FractionalMaxPool2d(x, math.MaxInt64, F.OutputSize(2)) },
			func() { F.FractionalMaxPool2d(x, 2, F.OutputSize(math.MaxInt64)) },
			func() { F.FractionalMaxPool3d(y, math.MaxInt64, F.OutputSize(2)) },
		} {
			live := torch.NumLiveTensors()
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrShape, i)
			assert.ErrorContains(t, err, "argument kernelSize: the input's size, 4", i)
			assert.Equal(t, live, torch.NumLiveTensors(), i)
		}
	})
}

// Losses broadcast their arguments before they promote dtypes, so the dtype of a scalar
// tensor counts. The expected results are from Python, where the result of huber_loss
// has the dtype of its input.
func TestLossOfOneNumber(t *testing.T) {
	scoped(t, func() {
		one := torch.Full(torch.Shape{}, 0.1, torch.Float64)
		many := torch.Ones(torch.Shape{2, 3})
		for i, c := range []struct {
			loss     func(x, y *torch.Tensor) *torch.Tensor
			want     float64
			reversed torch.DType
		}{
			{func(x, y *torch.Tensor) *torch.Tensor { return F.MSELoss(x, y) }, 0.81, torch.Float64},
			{func(x, y *torch.Tensor) *torch.Tensor { return F.L1Loss(x, y) }, 0.9, torch.Float64},
			{func(x, y *torch.Tensor) *torch.Tensor { return F.SmoothL1Loss(x, y) }, 0.405, torch.Float64},
			{func(x, y *torch.Tensor) *torch.Tensor { return F.HuberLoss(x, y) }, 0.405, torch.Float32},
		} {
			y, reversed := c.loss(one, many), c.loss(many, one)
			assert.Equal(t, torch.Float64, y.DType(), i)
			assert.Equal(t, c.reversed, reversed.DType(), i)
			assert.InDelta(t, c.want, y.Item(), torchtest.Rounding(4, torch.Float64).ATol, i)
			assert.InDelta(t, c.want, reversed.Item(), torchtest.Rounding(4, c.reversed).ATol, i)
		}
	})
}
