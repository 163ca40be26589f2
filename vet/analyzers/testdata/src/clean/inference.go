package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type decoder struct {
	cell nn.Layer
	h    *torch.Tensor
}

func (d *decoder) step() { d.h = d.cell.Forward(d.h) }

func (d *decoder) run(n int) {
	torch.InferenceMode(func() {
		for range n {
			torch.Scope(d.step)
		}
	})
}
