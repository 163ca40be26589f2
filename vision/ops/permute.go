package ops

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Permute reorders the dimensions of its input. Follows torchvision.ops.Permute.
type Permute struct {
	nn.Base
	Dims []int64
}

// NewPermute returns a Permute. It panics with ErrNil for a nil option.
func NewPermute(dims []int64, opts ...nn.InitOption) *Permute {
	l := &Permute{Dims: dims}
	l.Init(l, opts...)
	return l
}

// Forward returns a view of x with its dimensions in the order of Dims. It shares x's
// memory. It panics like x.Permute.
func (l *Permute) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.Permute(l.Dims...) })
}
