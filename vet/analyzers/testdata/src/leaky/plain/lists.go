package plain

import (
	"container/list"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func lists(loader *data.Loader, model nn.Layer, opt optim.Optimizer) *list.List {
	all := list.New()
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := torch.Disown(F.MSELoss(model.Forward(batch.Input), batch.Target))
		loss.Backward()
		opt.Step()
		all.PushBack(loss) // leak: retained
	}
	return all
}
