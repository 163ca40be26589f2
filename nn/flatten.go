package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Flatten joins several dimensions into one. Follows torch.nn.Flatten.
type Flatten struct {
	Base
	StartDim, EndDim int64
}

// NewFlatten makes a Flatten that joins the dimensions from [StartDim] to [EndDim]
// inclusive; by default, all except the first. Follows torch.nn.Flatten.
func NewFlatten(opts ...FlattenOption) *Flatten {
	start, end, as := opt.Read3("NewFlatten", opts, StartDim(1), EndDim(-1), Registration{})
	l := &Flatten{StartDim: int64(start), EndDim: int64(end)}
	l.startLayer(l)
	as.register(l)
	return l
}

func (l *Flatten) describe() string {
	return fmt.Sprintf("start_dim=%d, end_dim=%d", l.StartDim, l.EndDim)
}

// Forward returns x flattened, as a view if possible. It panics with ErrIndex for a
// dimension that x does not have, and with ErrShape if [EndDim] comes before
// [StartDim].
func (l *Flatten) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return x.Flatten(l.StartDim, l.EndDim) })
}

// Unflatten splits a dimension into several. Follows torch.nn.Unflatten.
type Unflatten struct {
	Base
	Dim             int64
	UnflattenedSize torch.Shape
}

// NewUnflatten makes a layer that splits dimension dim into sizes, one of which may
// be -1. Follows torch.nn.Unflatten.
func NewUnflatten(dim int64, sizes torch.Shape, opts ...InitOption) *Unflatten {
	l := &Unflatten{Dim: dim, UnflattenedSize: slices.Clone(sizes)}
	l.buildPlain(l, opts)
	return l
}

func (l *Unflatten) describe() string {
	return fmt.Sprintf("dim=%d, unflattened_size=%v", l.Dim, l.UnflattenedSize)
}

// Forward returns a view of x. It panics as x.Unflatten does.
func (l *Unflatten) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return x.Unflatten(l.Dim, l.UnflattenedSize...) })
}
