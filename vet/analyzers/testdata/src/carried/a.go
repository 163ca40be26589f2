package carried

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func carries(n int, cell nn.Layer, h *torch.Tensor) {
	for range n {
		h = cell.Forward(h) // want `h is carried from step to step`
	}
	_ = h.Sum().Item()
}

func returned(n int, cell nn.Layer, h *torch.Tensor) *torch.Tensor {
	for range n {
		h = cell.Forward(h)
	}
	return h
}

func anew(n int, cell nn.Layer, x *torch.Tensor) {
	h := x
	for i := range n {
		h = cell.Forward(h)
		if i%10 == 0 {
			h = x
		}
	}
}

func meant(n int, cell nn.Layer, h *torch.Tensor) {
	for range n {
		h = cell.Forward(h) //torchvet:ignore carried the graph is looked at
	}
}
