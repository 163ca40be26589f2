package clean

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch/data"
)

func accumulate(loader *data.Loader, model nn.Layer, opt optim.Optimizer) {
	i := 0
	for batch := range loader.All() {
		F.MSELoss(model.Forward(batch.Input), batch.Target).Backward()
		if i++; i%4 == 0 {
			opt.Step()
			opt.ZeroGrad()
		}
	}
}
