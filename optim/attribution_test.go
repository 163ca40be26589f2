package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An optimizer's state is attributed to the line of the program that steps the optimizer.
func TestLinesOfOptimizers(t *testing.T) {
	for name, m := range members {
		scoped(t, func() {
			p := torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true))
			grad := torch.Ones(torch.Shape{2, 2})
			if name == "NewSparseAdam" {
				grad = grad.ToSparse()
			}
			p.SetGrad(grad)
			check := memory.StartLeakCheck()
			o := m.fresh(list(p), optim.LR(0.1))
			defer o.Close()
			if lbfgs, ok := o.(*optim.LBFGS); ok {
				lbfgs.StepClosure(func() *torch.Tensor {
					lbfgs.ZeroGrad()
					loss := p.Square().Sum()
					loss.Backward()
					return loss
				})
			} else {
				o.Step()
			}
			sd := o.StateDict()
			defer sd.Close()
			leaks := check.Stop()
			for _, x := range leaks.Tensors {
				assert.Contains(t, x.Line(), "_test.go:", name)
			}
			for _, g := range leaks.Blocks {
				assert.Contains(t, g.Key, "_test.go:", name)
			}
		})
	}
}
