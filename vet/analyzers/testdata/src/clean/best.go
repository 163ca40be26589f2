package clean

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type best struct {
	loss float64
	out  *torch.Tensor
}

func (b *best) see(loss float64, out *torch.Tensor) {
	if loss < b.loss {
		_ = b.out.Close()
		b.loss, b.out = loss, torch.Disown(out.Detach())
	}
}

func keepBest(loader *data.Loader, model nn.Layer, opt optim.Optimizer, b *best) {
	for batch := range loader.All() {
		opt.ZeroGrad()
		out := model.Forward(batch.Input)
		loss := F.MSELoss(out, batch.Target)
		loss.Backward()
		opt.Step()
		b.see(loss.Item(), out)
	}
}
