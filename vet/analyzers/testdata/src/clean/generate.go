package clean

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func generate(n int, cell nn.Layer, h *torch.Tensor) (sum float64) {
	torch.NoGrad(func() {
		for range n {
			next := torch.Tidy(func() *torch.Tensor { return cell.Forward(h) })
			_ = h.Close()
			h = next
		}
		sum = h.Sum().Item()
	})
	return sum
}
