package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// A leaf and a gradient that has a graph refer to each other until the gradient is removed.
// Gradients returned by Grad leak nothing.
func TestGradientsWithGraphs(t *testing.T) {
	once := func(drop bool) {
		torch.Scope(func() {
			w := torch.Randn(torch.Shape{1000}, torch.RequiresGrad(true))
			w.Mul(w).Sum().Backward(torch.CreateGraph(true))
			w.Grad().Square().Sum().Backward()
			if drop {
				w.SetGrad(nil)
			}
		})
	}
	once(true)
	before := memory.Allocated(torch.CPU)
	once(true)
	torch.Scope(func() {
		w := torch.Randn(torch.Shape{1000}, torch.RequiresGrad(true))
		g := torch.Grad([]*torch.Tensor{w.Mul(w).Sum()}, []*torch.Tensor{w}, torch.CreateGraph(true))
		g[0].Square().Sum().Backward()
	})
	assert.Equal(t, before, memory.Allocated(torch.CPU))
	var kept *torch.Tensor
	torch.Scope(func() { // w keeps its memory after the scope, as documented
		w := torch.Randn(torch.Shape{1000}, torch.RequiresGrad(true))
		w.Mul(w).Sum().Backward(torch.CreateGraph(true))
		kept = torch.Disown(w)
	})
	assert.Greater(t, memory.Allocated(torch.CPU), before)
	kept.SetGrad(nil)
	_ = kept.Close()
	assert.Equal(t, before, memory.Allocated(torch.CPU))
}
