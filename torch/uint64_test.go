package torch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// uint64 numbers above the largest int64 keep their values.
func TestLargeUint64(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		const most = uint64(math.MaxUint64)
		x := torch.FromSlice([]uint64{most, 1 << 63, 3})
		assert.Equal(t, torch.Uint64, x.DType())
		assert.Equal(t, []uint64{most, 1 << 63, 3}, x.Uint64s())
		assert.Equal(t, []any{most, uint64(1 << 63), uint64(3)}, x.ToList())
		assert.Equal(t, []float64{float64(most), 1 << 63, 3}, x.Float64s())
		assert.InDelta(t, float64(most), x.Index(0).Item(), 0)
		assert.Equal(t, complex(float64(most), 0), x.Index(0).ItemComplex())
		assert.True(t, x.Index(0).ItemBool())
		err := torch.Try(func() { x.Index(0).ItemInt() })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "18446744073709551615 does not fit in an int64; use Uint64s")
		assert.EqualValues(t, 3, x.Index(2).ItemInt())
		assert.InDelta(t, -1, torch.FromSlice([]int64{-1}).Item(), 0)
		assert.Contains(t, x.String(), "18446744073709551615")
		assert.Equal(t, []uint64{1, 2}, torch.FromSlice([]float32{1, 2.5}).Uint64s())
	})
}

// NeedsInputGrad gives the same answers in Forward as in Backward.
func TestNeedsInputGrad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		var forward, backward []bool
		f := torch.Function{
			Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				forward = []bool{ctx.NeedsInputGrad(0), ctx.NeedsInputGrad(1), ctx.NeedsInputGrad(2)}
				for _, i := range []int{-1, 3} {
					assert.ErrorIs(t, torch.Try(func() { ctx.NeedsInputGrad(i) }), torch.ErrIndex)
				}
				return []*torch.Tensor{in[0].Add(in[1]).Add(in[2])}
			},
			Backward: func(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
				backward = []bool{ctx.NeedsInputGrad(0), ctx.NeedsInputGrad(1), ctx.NeedsInputGrad(2)}
				return []*torch.Tensor{grads[0], nil, grads[0]}
			},
		}
		x, y := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2})
		leaf := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		f.Apply(leaf, x, leaf.MulScalar(2))[0].Sum().Backward()
		assert.Equal(t, []bool{true, false, true}, forward)
		assert.Equal(t, forward, backward)
		f.Apply(x, y, x)
		assert.Equal(t, []bool{false, false, false}, forward)
	})
}
