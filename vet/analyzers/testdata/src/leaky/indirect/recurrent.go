package indirect

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type recurrent struct {
	cell nn.Layer
	h    *torch.Tensor
}

func (r *recurrent) step() {
	r.h = r.cell.Forward(r.h) // leak: carried
}

func (r *recurrent) run(n int) {
	for range n {
		r.step()
	}
}
