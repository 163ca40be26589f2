package nn

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Softmax turns numbers along a dimension into probabilities. Follows torch.nn.Softmax.
type Softmax struct {
	Base
	Dim int64
}

// NewSoftmax makes a Softmax along dim; a negative dim counts from the end.
// Follows torch.nn.Softmax.
func NewSoftmax(dim int64, opts ...InitOption) *Softmax {
	l := &Softmax{Dim: dim}
	l.buildPlain(l, opts)
	return l
}

func (l *Softmax) describe() string { return fmt.Sprintf("dim=%d", l.Dim) }

// Forward applies F.Softmax along Dim. It panics with ErrIndex if x does not have that dimension.
func (l *Softmax) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Softmax(x, l.Dim) })
}

// LogSoftmax is the logarithm of Softmax. Follows torch.nn.LogSoftmax.
type LogSoftmax struct {
	Base
	Dim int64
}

// NewLogSoftmax makes a LogSoftmax along dim; a negative dim counts from the end.
// Follows torch.nn.LogSoftmax.
func NewLogSoftmax(dim int64, opts ...InitOption) *LogSoftmax {
	l := &LogSoftmax{Dim: dim}
	l.buildPlain(l, opts)
	return l
}

func (l *LogSoftmax) describe() string { return fmt.Sprintf("dim=%d", l.Dim) }

// Forward applies F.LogSoftmax along Dim. It panics with ErrIndex if x does not have that
// dimension.
func (l *LogSoftmax) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.LogSoftmax(x, l.Dim) })
}

// Softmin is Softmax of -x. Follows torch.nn.Softmin.
type Softmin struct {
	Base
	Dim int64
}

// NewSoftmin makes a Softmin along dim; a negative dim counts from the end.
// Follows torch.nn.Softmin.
func NewSoftmin(dim int64, opts ...InitOption) *Softmin {
	l := &Softmin{Dim: dim}
	l.buildPlain(l, opts)
	return l
}

func (l *Softmin) describe() string { return fmt.Sprintf("dim=%d", l.Dim) }

// Forward applies F.Softmin along Dim. It panics with ErrIndex if x does not have that dimension.
func (l *Softmin) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Softmin(x, l.Dim) })
}

// Softmax2d is Softmax over the channels of each pixel. Follows torch.nn.Softmax2d.
type Softmax2d struct{ Base }

// NewSoftmax2d makes a Softmax2d. Follows torch.nn.Softmax2d.
func NewSoftmax2d(opts ...InitOption) *Softmax2d {
	l := new(Softmax2d)
	l.buildPlain(l, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics with ErrShape for any
// other number of dimensions.
func (l *Softmax2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		const op = "Softmax2d(input)"
		x.HandleFor(op, 0)
		if d := x.Dim(); d != 3 && d != 4 {
			panic(torch.NewError(op, torch.ErrShape, "input",
				fmt.Sprintf("expected 3 or 4 dimensions, got size %v", x.Shape())))
		}
		return F.Softmax(x, -3)
	})
}
