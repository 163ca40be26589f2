package carried

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func runs(n int, cell nn.Layer, h *torch.Tensor) {
	for range n {
		h = cell.Forward(h) // want `h is carried`
	}
}

func trains(n int, cell nn.Layer, h *torch.Tensor) {
	for range n {
		h = cell.Forward(h) // want `h is carried`
		h.Sum().Item()
		loss := cell.Forward(h).Sum()
		loss.Backward() // the state is part of it
	}
}

func keeps(n int, w *torch.Tensor) {
	w.SetRequiresGrad(true)
	state := torch.Rand(2)
	for range n {
		next := torch.Tidy(func() *torch.Tensor { return state.MatMul(w).Tanh() })
		state.Close()
		state = next // want `state is carried`
	}
}
