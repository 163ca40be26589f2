package zerograd

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func intended(n int, opt *optim.SGD, x, y *torch.Tensor) {
	for range n {
		F.MSELoss(x, y).Backward()
		opt.Step() //torchvet:ignore zerograd,retained the gradients are meant to add up
		opt.Step() // want `without ZeroGrad`
	}
}
