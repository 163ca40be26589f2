package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch/data"
)

func gradients(loader *data.Loader, model nn.Layer, opt optim.Optimizer) {
	for batch := range loader.All() {
		F.MSELoss(model.Forward(batch.Input), batch.Target).Backward()
		opt.Step() // leak: zerograd
	}
}
