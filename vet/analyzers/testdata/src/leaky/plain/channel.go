package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func channel(n int, model nn.Layer, opt optim.Optimizer, x, y *torch.Tensor) (sum float64) {
	losses := make(chan *torch.Tensor, n)
	for range n {
		torch.Scope(func() {
			opt.ZeroGrad()
			loss := F.MSELoss(model.Forward(x), y)
			loss.Backward()
			opt.Step()
			losses <- torch.Keep(loss) // leak: retained
		})
	}
	close(losses)
	for l := range losses {
		sum += l.Item()
	}
	return sum
}
