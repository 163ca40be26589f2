package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func outerScope(n int, model nn.Layer, opt optim.Optimizer, x, y *torch.Tensor) {
	torch.Scope(func() {
		for range n {
			opt.ZeroGrad()
			loss := F.MSELoss(model.Forward(x), y) // leak: looptensor
			loss.Backward()
			opt.Step()
		}
	})
}
