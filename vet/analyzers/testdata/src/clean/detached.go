package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func detached(n int, cell nn.Layer, opt optim.Optimizer, h *torch.Tensor) {
	for range n {
		next := torch.Tidy(func() *torch.Tensor {
			opt.ZeroGrad()
			out := cell.Forward(h)
			out.Sum().Backward()
			opt.Step()
			return out.Detach()
		})
		_ = h.Close()
		h = next
	}
}
