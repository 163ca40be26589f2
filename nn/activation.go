package nn

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// The activations work element by element; their functions are in package
// functional.

// activation is a layer without parameters.
type activation struct {
	Base
	f func(*torch.Tensor) *torch.Tensor
}

// set makes a the part of l that does the work.
func (a *activation) set(l Layer, f func(*torch.Tensor) *torch.Tensor, extra string) {
	a.f, a.tidy, a.extra = f, l, extra
}

// Forward applies the function.
func (a *activation) Forward(x *torch.Tensor) *torch.Tensor { return a.f(x) }

// ReLU is max(x, 0).
type ReLU struct{ Base }

// NewReLU makes a ReLU. Follows torch.nn.ReLU.
func NewReLU() *ReLU {
	l := new(ReLU)
	l.tidy = l
	return l
}

// Forward applies F.ReLU.
func (*ReLU) Forward(x *torch.Tensor) *torch.Tensor { return F.ReLU(x) }

// GELU is x times the normal distribution function at x.
type GELU struct{ activation }

// NewGELU makes a GELU, exact unless an approximation is given. Follows
// torch.nn.GELU.
func NewGELU(approximate ...F.Approximate) *GELU {
	a := option("NewGELU", approximate)
	if a == "" {
		a = F.ApproximateNone
	}
	l := new(GELU)
	l.set(l, func(x *torch.Tensor) *torch.Tensor { return F.GELU(x, a) }, "approximate='"+string(a)+"'")
	return l
}

// Sigmoid is 1 / (1 + exp(-x)).
type Sigmoid struct{ activation }

// NewSigmoid makes a Sigmoid. Follows torch.nn.Sigmoid.
func NewSigmoid() *Sigmoid {
	l := new(Sigmoid)
	l.set(l, F.Sigmoid, "")
	return l
}

// Tanh is the hyperbolic tangent.
type Tanh struct{ activation }

// NewTanh makes a Tanh. Follows torch.nn.Tanh.
func NewTanh() *Tanh {
	l := new(Tanh)
	l.set(l, F.Tanh, "")
	return l
}

// SiLU is x * sigmoid(x).
type SiLU struct{ activation }

// NewSiLU makes a SiLU. Follows torch.nn.SiLU.
func NewSiLU() *SiLU {
	l := new(SiLU)
	l.set(l, F.SiLU, "")
	return l
}

// LeakyReLU is x where it is positive and slope * x elsewhere.
type LeakyReLU struct{ activation }

// NewLeakyReLU makes a LeakyReLU with the given slope, 0.01 if there is none.
// Follows torch.nn.LeakyReLU.
func NewLeakyReLU(slope ...float64) *LeakyReLU {
	s := 0.01
	if len(slope) > 0 {
		s = option("NewLeakyReLU", slope)
	}
	l := new(LeakyReLU)
	l.set(l, func(x *torch.Tensor) *torch.Tensor { return F.LeakyReLU(x, F.NegativeSlope(s)) }, fmt.Sprintf("negative_slope=%v", s))
	return l
}

// Softmax turns numbers along a dimension into probabilities.
type Softmax struct{ activation }

// NewSoftmax makes a Softmax along dim. Follows torch.nn.Softmax.
func NewSoftmax(dim int64) *Softmax {
	l := new(Softmax)
	l.set(l, func(x *torch.Tensor) *torch.Tensor { return F.Softmax(x, dim) }, fmt.Sprintf("dim=%d", dim))
	return l
}

// LogSoftmax is the logarithm of Softmax.
type LogSoftmax struct{ activation }

// NewLogSoftmax makes a LogSoftmax along dim. Follows torch.nn.LogSoftmax.
func NewLogSoftmax(dim int64) *LogSoftmax {
	l := new(LogSoftmax)
	l.set(l, func(x *torch.Tensor) *torch.Tensor { return F.LogSoftmax(x, dim) }, fmt.Sprintf("dim=%d", dim))
	return l
}

// Dropout drops elements while training.
type Dropout struct {
	Base
	p float64
}

// NewDropout makes a Dropout with probability p, 0.5 if none is given. It
// panics with ErrValue unless 0 <= p <= 1. Follows torch.nn.Dropout.
func NewDropout(p ...float64) *Dropout {
	l := &Dropout{p: probability("NewDropout", p)}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("p=%v, inplace=False", l.p))
	return l
}

func probability(op string, p []float64) float64 {
	if len(p) == 0 {
		return 0.5
	}
	v := option(op, p)
	if !(v >= 0 && v <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "p", fmt.Sprintf("a probability lies between 0 and 1, got %v", v)))
	}
	return v
}

// Forward drops elements while training, and passes x on in evaluation.
func (l *Dropout) Forward(x *torch.Tensor) *torch.Tensor {
	return F.Dropout(x, F.P(l.p), F.Training(l.IsTraining()))
}

// Dropout2d drops whole channels while training.
type Dropout2d struct {
	Base
	p float64
}

// NewDropout2d makes a Dropout2d with probability p, 0.5 if none is given. It
// panics with ErrValue unless 0 <= p <= 1. Follows torch.nn.Dropout2d.
func NewDropout2d(p ...float64) *Dropout2d {
	l := &Dropout2d{p: probability("NewDropout2d", p)}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("p=%v, inplace=False", l.p))
	return l
}

// Forward takes x of shape (N, C, *).
func (l *Dropout2d) Forward(x *torch.Tensor) *torch.Tensor {
	return F.Dropout2d(x, F.P(l.p), F.Training(l.IsTraining()))
}
