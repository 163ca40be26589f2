package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func pipeline(n int, model nn.Layer) (sum float64) {
	batches := make(chan *torch.Tensor, 4)
	go func() {
		defer close(batches)
		for range n {
			batches <- torch.Rand(8)
		}
	}()
	for x := range batches {
		torch.NoGrad(func() {
			torch.Scope(func() { sum += model.Forward(x).Sum().Item() })
		})
		_ = x.Close()
	}
	return sum
}
