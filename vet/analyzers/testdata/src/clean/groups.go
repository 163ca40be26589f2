package clean

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func groups(layers []*torch.Tensor, opt *optim.SGD) {
	for _, w := range layers {
		opt.AddParamGroup([]*torch.Tensor{w})
	}
}
