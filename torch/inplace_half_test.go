package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

// MulScalar_ gives the same numbers as MulScalar, even if the factor is not exact in 16 bits.
func TestMulScalarInPlace(t *testing.T) {
	leakFree(t, func() {
		for _, d := range []torch.DType{torch.BFloat16, torch.Float16, torch.Float32, torch.Int64, torch.Complex64} {
			for name, x := range map[string]*torch.Tensor{
				"dense":        torch.Linspace(-3, 3, 600, torch.Float32).To(d),
				"strided":      torch.Linspace(-3, 3, 600, torch.Float32).To(d).Reshape(20, 30).T(),
				"one number":   torch.Full(torch.Shape{}, 1.7, torch.Float32).To(d),
				"one of shape": torch.Full(torch.Shape{1, 1}, 1.7, torch.Float32).To(d),
				"none":         torch.Zeros(torch.Shape{0, 2}, d),
			} {
				for _, by := range []any{0.99, -1.0 / 3, 3, int64(1<<20 + 1), true} {
					if _, ok := by.(float64); ok && d == torch.Int64 {
						continue
					}
					want, got := x.MulScalar(by), x.Clone()
					assert.Same(t, got, got.MulScalar_(by))
					assert.True(t, want.Equal(got), "%s of %v by %v", name, d, by)
				}
				assert.True(t, x.MulScalar(3).Equal(x.Clone().MultiplyScalar_(3)))
			}
		}
		half := torch.Ones(torch.Shape{2}, torch.BFloat16)
		assert.ErrorIs(t, torch.Try(func() { half.MulScalar_(1i) }), torch.ErrDType)
		assert.ErrorIs(t, torch.Try(func() { half.MulScalar_("x") }), torch.ErrType)
		assert.ErrorIs(t, torch.Try(func() { torch.Ones(torch.Shape{2}, torch.Int64).MulScalar_(0.5) }), torch.ErrDType)
		leaf := torch.Ones(torch.Shape{2}, torch.BFloat16, torch.RequiresGrad(true))
		err := torch.Try(func() { leaf.MulScalar_(2) })
		assert.ErrorIs(t, err, torch.ErrAutograd)
		assert.ErrorContains(t, err, "MulScalar_: ")
		leaf.Clone().MulScalar_(3).Sum().Backward()
		assert.Equal(t, []float32{3, 3}, leaf.Grad().To(torch.Float32).Float32s())
	})
}
