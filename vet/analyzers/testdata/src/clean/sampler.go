package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The caller turns gradients off.
func sampler(n int, model nn.Layer, x *torch.Tensor) float64 {
	for range n {
		next := torch.Tidy(func() *torch.Tensor { return model.Forward(x) })
		x.Close()
		x = next
	}
	return torch.Tidy(func() *torch.Tensor { return x.Sum() }).Item()
}

func sample(n int, model nn.Layer) (v float64) {
	torch.NoGrad(func() { v = sampler(n, model, torch.Rand(4)) })
	return v
}
