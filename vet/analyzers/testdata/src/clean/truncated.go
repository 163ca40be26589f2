package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func truncated(n int, cell nn.Layer, opt optim.Optimizer, h *torch.Tensor) {
	for i := range n {
		h = cell.Forward(h)
		if i%35 == 34 {
			opt.ZeroGrad()
			torch.Scope(func() { h.Sum().Backward() })
			opt.Step()
			h = h.Detach()
		}
	}
}
