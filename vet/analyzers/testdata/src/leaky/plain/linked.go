package plain

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type link struct {
	loss *torch.Tensor
	next *link
}

func linked(loader *data.Loader, model nn.Layer, opt optim.Optimizer) *link {
	var head *link
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := torch.Disown(F.MSELoss(model.Forward(batch.Input), batch.Target))
		loss.Backward()
		opt.Step()
		head = &link{loss, head} // leak: retained
	}
	return head
}
