package plain

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func groups(n int, opt *optim.SGD) {
	for range n {
		w := torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
		opt.AddParamGroup([]*torch.Tensor{w}) // leak: growing
	}
}
