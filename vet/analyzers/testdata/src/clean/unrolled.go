package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// One graph over the whole sequence, for one backward pass.
func unrolled(n int, cell nn.Layer, opt optim.Optimizer, h *torch.Tensor) {
	var outs []*torch.Tensor
	opt.ZeroGrad()
	for range n {
		h = cell.Forward(h)
		outs = append(outs, h)
	}
	torch.Stack(outs, 0).Sum().Backward()
	opt.Step()
}
