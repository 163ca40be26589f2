package nested_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/nested"
	"github.com/gotorch/gotorch/torchtest"
)

func TestNested(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := torch.FromSliceWith([]float32{1, 2}, nil, torch.RequiresGrad(true)), torch.FromSlice([]float32{3, 4, 5})
		n := nested.NestedTensor([]*torch.Tensor{a, b})
		assert.True(t, n.IsNested())
		assert.False(t, n.RequiresGrad())
		assert.Equal(t, []float32{1, 2, 9, 3, 4, 5}, nested.ToPaddedTensor(n, 9).Float32s())
		assert.Equal(t, torch.Shape{2, 4}, nested.ToPaddedTensor(n, 0, nested.OutputSizes{2, 4}).Shape())
		parts := n.Unbind()
		assert.Equal(t, []float32{3, 4, 5}, parts[1].Float32s())
		d := nested.NestedTensor([]*torch.Tensor{a, b}, torch.Float64, torch.RequiresGrad(true))
		assert.True(t, d.RequiresGrad() && d.IsLeaf())
		assert.Equal(t, torch.Float64, d.DType())
		assert.True(t, nested.NestedTensor([]*torch.Tensor{b}, torch.CPU).IsCPU())

		y := nested.AsNestedTensor([]*torch.Tensor{a, b})
		nested.ToPaddedTensor(y, 0).MulScalar(2).Sum().Backward()
		assert.Equal(t, []float32{2, 2}, a.Grad().Float32s())
	})
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		one, two := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2, 2})
		list := []*torch.Tensor{one}
		for name, c := range map[string]struct {
			kind error
			f    func()
		}{
			"no tensors":       {torch.ErrValue, func() { nested.NestedTensor(nil) }},
			"a nil tensor":     {torch.ErrNil, func() { nested.NestedTensor([]*torch.Tensor{one, nil}) }},
			"two numbers":      {torch.ErrShape, func() { nested.NestedTensor([]*torch.Tensor{one, two}) }},
			"a nil option":     {torch.ErrNil, func() { nested.NestedTensor(list, nil) }},
			"a nil size":       {torch.ErrNil, func() { nested.ToPaddedTensor(nested.NestedTensor(list), 0, nil) }},
			"gradients anyway": {torch.ErrValue, func() { nested.AsNestedTensor(list, torch.RequiresGrad(true)) }},
			"too small": {torch.ErrShape, func() {
				nested.ToPaddedTensor(nested.NestedTensor(list), 0, nested.OutputSizes{1, 1})
			}},
			"nil": {torch.ErrNil, func() { nested.ToPaddedTensor(nil, 0) }},
		} {
			assert.ErrorIs(t, torch.Try(c.f), c.kind, name)
		}
		assert.Error(t, torch.Try(func() { nested.ToPaddedTensor(one, 0) }))
	})
}
