package indirect

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type bag struct{ ts []*torch.Tensor }

func (b *bag) put(t *torch.Tensor) { b.ts = append(b.ts, torch.Keep(t)) } // leak: growing

func intoBag(loader *data.Loader, model nn.Layer, opt optim.Optimizer) {
	var losses bag
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := F.MSELoss(model.Forward(batch.Input), batch.Target)
		loss.Backward()
		opt.Step()
		losses.put(loss) // leak: retained
	}
}
