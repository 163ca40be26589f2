package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func total(loader *data.Loader, model nn.Layer, opt optim.Optimizer) float64 {
	total := torch.Zeros(nil)
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := F.MSELoss(model.Forward(batch.Input), batch.Target)
		loss.Backward()
		opt.Step()
		total = torch.Keep(total.Add(loss)) // leak: retained
	}
	return total.Item()
}
