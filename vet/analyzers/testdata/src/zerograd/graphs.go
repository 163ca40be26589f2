package zerograd

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func penalties(n int, model *nn.Linear, x *torch.Tensor) {
	for range n {
		model.Forward(x).Sum().Backward(torch.CreateGraph(true)) // want `with CreateGraph in a loop without ZeroGrad`
	}
	for range n {
		model.ZeroGrad()
		model.Forward(x).Sum().Backward(torch.CreateGraph(true))
	}
	for range n {
		model.Forward(x).Sum().Backward(torch.RetainGraph(true))
	}
	model.Forward(x).Sum().Backward(torch.CreateGraph(true))
}
