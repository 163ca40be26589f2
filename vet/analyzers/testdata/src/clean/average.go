package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// Updated in place, without a graph.
func average(loader *data.Loader, model nn.Layer, mean *torch.Tensor) {
	for batch := range loader.All() {
		torch.NoGrad(func() { mean.Add_(model.Forward(batch.Input)) })
	}
}
