package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func lossMap(loader *data.Loader, model nn.Layer, opt optim.Optimizer) map[int]*torch.Tensor {
	byStep := map[int]*torch.Tensor{}
	step := 0
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := F.MSELoss(model.Forward(batch.Input), batch.Target)
		loss.Backward()
		opt.Step()
		byStep[step] = torch.Keep(loss) // leak: retained
		step++
	}
	return byStep
}
