package functional_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// A function with a single option accepts the option as a plain number or by its name.
// It can be left out or given several times; then the last one counts.
func TestBareOptions(t *testing.T) {
	torch.Scope(func() {
		x, ids := torch.Linspace(-2, 2, 12).View(4, 3), torch.FromSlice([]int64{0, 2})
		even := torch.Linspace(-2, 2, 16).View(4, 4)
		for name, forms := range map[string][2][2]func() *torch.Tensor{
			"LeakyReLU": {
				{func() *torch.Tensor { return F.LeakyReLU(x) }, func() *torch.Tensor {
					return F.LeakyReLU(x, 0.5, F.NegativeSlope(0.01))
				}},
				{func() *torch.Tensor { return F.LeakyReLU(x, 0.2) }, func() *torch.Tensor {
					return F.LeakyReLU_(x.Clone(), 0, 0.2)
				}},
			},
			"ELU": {
				{func() *torch.Tensor { return F.ELU(x) }, func() *torch.Tensor { return F.ELU(x, 2, F.Alpha(1)) }},
				{func() *torch.Tensor { return F.ELU(x, 0.5) }, func() *torch.Tensor { return F.ELU_(x.Clone(), 0.5) }},
			},
			"CELU": {
				{func() *torch.Tensor { return F.CELU(x) }, func() *torch.Tensor { return F.CELU(x, 0, F.Alpha(1)) }},
				{func() *torch.Tensor { return F.CELU(x, 0.5) }, func() *torch.Tensor {
					return F.CELU_(x.Clone(), 0.5)
				}},
			},
			"GLU": {
				{func() *torch.Tensor { return F.GLU(even) }, func() *torch.Tensor {
					return F.GLU(even, 0, F.Dim(-1))
				}},
				{func() *torch.Tensor { return F.GLU(even, 0).T() }, func() *torch.Tensor {
					return F.GLU(even.T(), F.Dim(1))
				}},
			},
			"OneHot": {
				{func() *torch.Tensor { return F.OneHot(ids) }, func() *torch.Tensor {
					return F.OneHot(ids, 9, F.NumClasses(3))
				}},
				{func() *torch.Tensor { return F.OneHot(ids, 5) }, func() *torch.Tensor {
					return F.OneHot(ids, F.NumClasses(5))
				}},
			},
		} {
			for i, pair := range forms {
				assert.True(t, pair[0]().Equal(pair[1]()), "%s, form %d", name, i)
			}
			assert.False(t, forms[0][0]().Equal(forms[1][0]()), "%s: the option has an effect", name)
		}
	})
}
