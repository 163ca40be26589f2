package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func state(n int) {
	w := torch.Ones(torch.Shape{16, 16}).RequiresGrad_()
	state := torch.Ones(torch.Shape{16, 16})
	for range n {
		next := torch.Tidy(func() *torch.Tensor { return state.MatMul(w).Tanh() })
		_ = state.Close()
		state = next // leak: carried
	}
}
