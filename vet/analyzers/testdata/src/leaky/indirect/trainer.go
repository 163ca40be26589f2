package indirect

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type trainer struct {
	model  nn.Layer
	opt    optim.Optimizer
	losses []*torch.Tensor
}

func (t *trainer) step(batch data.Batch) {
	t.opt.ZeroGrad()
	loss := F.MSELoss(t.model.Forward(batch.Input), batch.Target)
	loss.Backward()
	t.opt.Step()
	t.losses = append(t.losses, torch.Disown(loss)) // leak: retained
}

func (t *trainer) train(loader *data.Loader) []*torch.Tensor {
	for batch := range loader.All() {
		t.step(batch)
	}
	return t.losses
}
