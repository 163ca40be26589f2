package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func made(n int) {
	w := weights()
	h := torch.Ones(torch.Shape{16, 16})
	step := func() { h = h.MatMul(w) } // leak: carried
	for range n {
		step()
	}
}

func weights() *torch.Tensor { return torch.Ones(torch.Shape{16, 16}).RequiresGrad_() }
