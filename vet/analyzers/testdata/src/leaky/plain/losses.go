package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func losses(n int, model nn.Layer, opt optim.Optimizer, x, y *torch.Tensor) int {
	var all []*torch.Tensor
	for range n {
		torch.Scope(func() {
			opt.ZeroGrad()
			loss := F.MSELoss(model.Forward(x), y)
			loss.Backward()
			opt.Step()
			all = append(all, torch.Keep(loss)) // leak: retained
		})
	}
	return len(all)
}
