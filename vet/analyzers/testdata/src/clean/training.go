package clean

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch/data"
)

func training(loader *data.Loader, model nn.Layer, opt optim.Optimizer) (mean float64) {
	steps := 0.0
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := F.MSELoss(model.Forward(batch.Input), batch.Target)
		loss.Backward()
		opt.Step()
		steps++
		mean += (loss.Item() - mean) / steps
	}
	return mean
}
