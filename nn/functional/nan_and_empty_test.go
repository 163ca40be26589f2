package functional_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Positions that are NaN or infinite give a value and gradients, without a crash.
func TestGridSampleOfNaN(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64} {
		for _, mode := range []F.Mode{F.ModeBilinear, F.ModeNearest, F.ModeBicubic} {
			for _, padding := range []F.PaddingMode{F.PaddingModeZeros, F.PaddingModeBorder, F.PaddingModeReflection} {
				for _, at := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
					torch.Scope(func() {
						x := torch.Rand(torch.Shape{1, 2, 5, 5}, torch.RequiresGrad(true), dtype)
						grid := torch.Full(torch.Shape{1, 17, 3, 2}, at, dtype)
						grid.SetRequiresGrad(true)
						y := F.GridSample(x, grid, padding, mode)
						y.Sum().Backward()
						name := fmt.Sprint(dtype, mode, padding, at)
						assert.Equal(t, torch.Shape{1, 2, 17, 3}, y.Shape(), name)
						assert.Equal(t, x.Shape(), x.Grad().Shape(), name)
						if dtype == torch.Float64 && mode == F.ModeBilinear && padding != F.PaddingModeZeros &&
							math.IsNaN(at) {
							corner := F.GridSample(x, torch.Full(torch.Shape{1, 17, 3, 2}, -1.0, dtype), padding, mode)
							assert.True(t, corner.Equal(y), name)
							assert.False(t, grid.Grad().IsNaN().Any().ItemBool(), name)
						}
					})
				}
			}
		}
	}
}

// Without keys, the result of attention and its gradient are 0.
func TestAttentionWithoutKeys(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64, torch.BFloat16} {
		for _, heads := range []int64{1, 8} {
			for _, length := range []int64{1, 600} {
				torch.Scope(func() {
					q := torch.Rand(torch.Shape{1, heads, length, 16}).To(dtype).Detach()
					q.SetRequiresGrad(true)
					k := torch.Empty(torch.Shape{1, heads, 0, 16}, dtype)
					y := F.ScaledDotProductAttention(q, k, k, F.IsCausal(true))
					assert.Zero(t, y.Abs().Sum().Item())
					y.Sum().Backward()
					assert.Zero(t, q.Grad().Abs().Sum().Item())
					torch.NoGrad(func() {
						assert.Zero(t, F.ScaledDotProductAttention(q, k, k, F.IsCausal(true)).Abs().Sum().Item())
					})
				})
			}
		}
	}
}
