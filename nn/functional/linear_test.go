package functional_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// With a trained weight, Linear runs the same code with and without gradients, so the
// results are equal bit by bit, as in PyTorch. If libtorch did not know that the weight
// requires gradients, it would multiply the matrices of a transposed batch one by one.
func TestLinearOfTransposedBatch(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for _, shape := range []torch.Shape{
			{5, 7, 33},
			{3, 50, 600},
			{16, 20, 64},
			{2, 4, 8},
			{9, 3, 513},
			{3, 2, 5, 17},
		} {
			x := torch.Randn(shape).Transpose(0, 1)
			w := torch.Randn(torch.Shape{12, shape[len(shape)-1]}, torch.RequiresGrad(true))
			b := torch.Randn(torch.Shape{12})
			for _, bias := range []*torch.Tensor{b, nil} {
				trained := F.Linear(x, w, bias)
				torch.NoGrad(func() {
					assert.Equal(t, trained.Float64s(), F.Linear(x, w, bias).Float64s(), shape)
				})
			}
		}
	})
}
