package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/special"
	"github.com/gotorch/gotorch/torchtest"
)

// Errors are of the kinds that the documentation promises.
func TestKindsAsDocumented(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, leaf := torch.Rand(torch.Shape{2, 3}), torch.Rand(torch.Shape{2, 3}, torch.RequiresGrad(true))
		q, k := torch.Rand(torch.Shape{1, 4, 5, 8}), torch.Rand(torch.Shape{1, 3, 5, 8})
		withGrad := torch.Rand(torch.Shape{2}, torch.RequiresGrad(true))
		withGrad.SetGrad(torch.Rand(torch.Shape{2}))
		for name, c := range map[string]struct {
			want error
			fn   func()
		}{
			"heads that do not divide": {torch.ErrShape, func() {
				F.ScaledDotProductAttention(q, k, k, F.EnableGQA(true))
			}},
			"Einsum of too few":          {torch.ErrValue, func() { torch.Einsum("ij,jk->ik", a) }},
			"Einsum of too many":         {torch.ErrValue, func() { torch.Einsum("ij->i", a, a) }},
			"Einsum to an unknown index": {torch.ErrValue, func() { torch.Einsum("ij->k", a) }},
			"Einsum to an index twice":   {torch.ErrValue, func() { torch.Einsum("ij->ii", a) }},
			"Einsum with dots":           {torch.ErrValue, func() { torch.Einsum("i..j->i", a) }},
			"Einsum of other dimensions": {torch.ErrShape, func() { torch.Einsum("ijk->i", a) }},
			"SetGrad of another shape":   {torch.ErrShape, func() { leaf.SetGrad(torch.Rand(torch.Shape{3})) }},
			"SetGrad of another dtype": {torch.ErrDType, func() {
				leaf.SetGrad(torch.Rand(torch.Shape{2, 3}, torch.Float64))
			}},
			"SetGrad of another device": {torch.ErrDevice, func() {
				leaf.SetGrad(torch.Rand(torch.Shape{2, 3}, torch.Meta))
			}},
			"SetGradDType with a gradient": {torch.ErrDType, func() { withGrad.SetGradDType(torch.Float64) }},
			"a gradient that nobody has written": {torch.ErrNotImplemented, func() {
				special.Gammainc(leaf.MulScalar(1), a).Sum().Backward()
			}},
			"a backward pass of what needs none": {torch.ErrAutograd, func() { a.Sum().Backward() }},
		} {
			require.ErrorIs(t, torch.Try(c.fn), c.want, name)
		}
		assert.Nil(t, leaf.Grad())
	})
}
