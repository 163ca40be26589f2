package plain

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func hidden(n int, cell nn.Layer, h *torch.Tensor) (sum float64) {
	for range n {
		h = torch.Tidy(func() *torch.Tensor { return cell.Forward(h) }) // leak: carried
		torch.Scope(func() { sum += h.Sum().Item() })
	}
	return sum
}
