package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func features(loader *data.Loader, model nn.Layer) []*torch.Tensor {
	var all []*torch.Tensor
	torch.NoGrad(func() {
		for batch := range loader.All() {
			all = append(all, torch.Keep(model.Forward(batch.Input)))
		}
	})
	return all
}
