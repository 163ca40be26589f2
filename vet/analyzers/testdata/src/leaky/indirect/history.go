package indirect

import (
	"leaky/parts"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func history(loader *data.Loader, model nn.Layer, opt optim.Optimizer, h *parts.History) {
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := torch.Disown(F.MSELoss(model.Forward(batch.Input), batch.Target))
		loss.Backward()
		opt.Step()
		h.Put(loss) // leak: retained
	}
}
