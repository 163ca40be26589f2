package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type record struct {
	step int
	loss *torch.Tensor
}

func records(loader *data.Loader, model nn.Layer, opt optim.Optimizer) []record {
	var log []record
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := torch.Disown(F.MSELoss(model.Forward(batch.Input), batch.Target))
		loss.Backward()
		opt.Step()
		log = append(log, record{len(log), loss}) // leak: retained
	}
	return log
}
