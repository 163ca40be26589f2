package clean

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// The receiver closes each loss while the loop is running.
func lossChannel(loader *data.Loader, model nn.Layer, opt optim.Optimizer) float64 {
	losses, total := make(chan *torch.Tensor), make(chan float64)
	go func() {
		sum := 0.0
		for l := range losses {
			sum += l.Item()
			_ = l.Close()
		}
		total <- sum
	}()
	for batch := range loader.All() {
		opt.ZeroGrad()
		loss := torch.Disown(F.MSELoss(model.Forward(batch.Input), batch.Target))
		loss.Backward()
		opt.Step()
		losses <- loss
	}
	close(losses)
	return <-total
}
