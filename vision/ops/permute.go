package ops

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Permute puts the dimensions of its input in another order.
// Follows torchvision.ops.Permute.
type Permute struct {
	nn.Base
	Dims []int64
}

// NewPermute makes a Permute. It panics with ErrNil for a nil option.
func NewPermute(dims []int64, opts ...nn.InitOption) *Permute {
	l := &Permute{Dims: dims}
	l.Init(l, opts...)
	return l
}

// Forward returns a view of x whose dimensions are those of Dims, in their order. It
// shares x's memory. It panics as x.Permute does.
func (l *Permute) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.Permute(l.Dims...) })
}
