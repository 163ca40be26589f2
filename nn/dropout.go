package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Dropout drops elements while training. Follows torch.nn.Dropout.
type Dropout struct {
	Base
	p float64
}

// NewDropout makes a Dropout with probability [P], 0.5 by default. It panics
// with ErrValue unless 0 <= p <= 1 and with ErrNil for a nil option. Follows
// torch.nn.Dropout.
func NewDropout(opts ...DropoutOption) *Dropout {
	l := new(Dropout)
	l.p = l.buildDropout(l, "NewDropout", opts)
	return l
}

// Forward drops elements in training, and returns x unchanged in evaluation. x
// has any shape. It panics as F.Dropout does.
func (l *Dropout) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Dropout(x, F.P(l.p), F.Training(l.IsTraining())) })
}

// Dropout2d drops whole channels while training. Follows torch.nn.Dropout2d.
type Dropout2d struct {
	Base
	p float64
}

// NewDropout2d makes a Dropout2d with probability [P], 0.5 by default. It
// panics with ErrValue unless 0 <= p <= 1 and with ErrNil for a nil option.
// Follows torch.nn.Dropout2d.
func NewDropout2d(opts ...DropoutOption) *Dropout2d {
	l := new(Dropout2d)
	l.p = l.buildDropout(l, "NewDropout2d", opts)
	return l
}

// Forward drops whole channels in training, and returns x unchanged in
// evaluation. x has shape (N, C, *). It panics as F.Dropout2d does.
func (l *Dropout2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Dropout2d(x, F.P(l.p), F.Training(l.IsTraining())) })
}

func (b *Base) buildDropout(self Module, op string, opts []DropoutOption) float64 {
	p := 0.5
	var as Registration
	for _, o := range opts {
		switch o := o.(type) {
		case P:
			p = float64(o)
		case Registration:
			as = o
		default:
			panic(opt.Unknown(op, o))
		}
	}
	checkProbability(op, "P", p)
	b.start(self)
	b.extraf("p=%s, inplace=False", tensorfmt.PyFloat(p))
	as.register(self)
	return p
}

func checkProbability(op, arg string, p float64) {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("a probability lies between 0 and 1, got %v", p)))
	}
}
