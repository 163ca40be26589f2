package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// The activations work element by element and have no parameters; their
// functions are in package functional.

// ReLU is max(x, 0). Follows torch.nn.ReLU.
type ReLU struct{ Base }

// NewReLU makes a ReLU. It panics with ErrNil for a nil option. Follows
// torch.nn.ReLU.
func NewReLU(opts ...InitOption) *ReLU {
	l := new(ReLU)
	l.build(l, opts)
	return l
}

// Forward applies F.ReLU. The result is a new tensor. It panics as F.ReLU does.
func (l *ReLU) Forward(x *torch.Tensor) *torch.Tensor { return leaf(l, x, F.ReLU) }

// Sigmoid is 1 / (1 + exp(-x)). Follows torch.nn.Sigmoid.
type Sigmoid struct{ Base }

// NewSigmoid makes a Sigmoid. It panics with ErrNil for a nil option. Follows
// torch.nn.Sigmoid.
func NewSigmoid(opts ...InitOption) *Sigmoid {
	l := new(Sigmoid)
	l.build(l, opts)
	return l
}

// Forward applies F.Sigmoid. The result is a new tensor. It panics as F.Sigmoid
// does.
func (l *Sigmoid) Forward(x *torch.Tensor) *torch.Tensor { return leaf(l, x, F.Sigmoid) }

// Tanh is the hyperbolic tangent. Follows torch.nn.Tanh.
type Tanh struct{ Base }

// NewTanh makes a Tanh. It panics with ErrNil for a nil option. Follows
// torch.nn.Tanh.
func NewTanh(opts ...InitOption) *Tanh {
	l := new(Tanh)
	l.build(l, opts)
	return l
}

// Forward applies F.Tanh. The result is a new tensor. It panics as F.Tanh does.
func (l *Tanh) Forward(x *torch.Tensor) *torch.Tensor { return leaf(l, x, F.Tanh) }

// SiLU is x * sigmoid(x). Follows torch.nn.SiLU.
type SiLU struct{ Base }

// NewSiLU makes a SiLU. It panics with ErrNil for a nil option. Follows
// torch.nn.SiLU.
func NewSiLU(opts ...InitOption) *SiLU {
	l := new(SiLU)
	l.build(l, opts)
	return l
}

// Forward applies F.SiLU. The result is a new tensor. It panics as F.SiLU does.
func (l *SiLU) Forward(x *torch.Tensor) *torch.Tensor { return leaf(l, x, F.SiLU) }

// GELU is x times the distribution function of the standard normal distribution
// at x. Follows torch.nn.GELU.
type GELU struct {
	Base
	approximate Approximate
}

// NewGELU makes a GELU. It panics with ErrValue for an unknown word and with
// ErrNil for a nil option. Follows torch.nn.GELU.
func NewGELU(opts ...GELUOption) *GELU {
	l := &GELU{approximate: ApproximateNone}
	l.start(l)
	var as Registration
	for _, o := range opts {
		switch o := o.(type) {
		case Approximate:
			l.approximate = o
		case Registration:
			as = o
		default:
			panic(opt.Unknown("NewGELU", o))
		}
	}
	if a := l.approximate; a != ApproximateNone && a != ApproximateTanh {
		panic(torch.NewError("NewGELU", torch.ErrValue, "Approximate", fmt.Sprintf(`expected "none" or "tanh", got %q`, string(a))))
	}
	l.extraf("approximate='%s'", string(l.approximate))
	as.register(l)
	return l
}

// Forward applies F.GELU. The result is a new tensor. It panics as F.GELU does.
func (l *GELU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.GELU(x, l.approximate) })
}

// LeakyReLU is x where x is positive, and x times a slope elsewhere. Follows
// torch.nn.LeakyReLU.
type LeakyReLU struct {
	Base
	slope float64
}

// NewLeakyReLU makes a LeakyReLU. It panics with ErrNil for a nil
// option. Follows torch.nn.LeakyReLU.
func NewLeakyReLU(opts ...LeakyReLUOption) *LeakyReLU {
	l := &LeakyReLU{slope: 0.01}
	l.start(l)
	var as Registration
	for _, o := range opts {
		switch o := o.(type) {
		case NegativeSlope:
			l.slope = float64(o)
		case Registration:
			as = o
		default:
			panic(opt.Unknown("NewLeakyReLU", o))
		}
	}
	l.extraf("negative_slope=%s", tensorfmt.PyFloat(l.slope))
	as.register(l)
	return l
}

// Forward applies F.LeakyReLU. The result is a new tensor. It panics as
// F.LeakyReLU does.
func (l *LeakyReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.LeakyReLU(x, F.NegativeSlope(l.slope)) })
}

// Softmax turns numbers along a dimension into probabilities. Follows torch.nn.Softmax.
type Softmax struct {
	Base
	dim int64
}

// NewSoftmax makes a Softmax along dim; a negative dim counts from the end. It
// panics with ErrNil for a nil option. Follows torch.nn.Softmax.
func NewSoftmax(dim int64, opts ...InitOption) *Softmax {
	l := &Softmax{dim: dim}
	l.extraf("dim=%d", dim)
	l.build(l, opts)
	return l
}

// Forward applies F.Softmax. It panics with ErrIndex for an x without that
// dimension.
func (l *Softmax) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Softmax(x, l.dim) })
}

// LogSoftmax is the logarithm of Softmax. Follows torch.nn.LogSoftmax.
type LogSoftmax struct {
	Base
	dim int64
}

// NewLogSoftmax makes a LogSoftmax along dim; a negative dim counts from the
// end. It panics with ErrNil for a nil option. Follows torch.nn.LogSoftmax.
func NewLogSoftmax(dim int64, opts ...InitOption) *LogSoftmax {
	l := &LogSoftmax{dim: dim}
	l.extraf("dim=%d", dim)
	l.build(l, opts)
	return l
}

// Forward applies F.LogSoftmax. It panics with ErrIndex for an x without that
// dimension.
func (l *LogSoftmax) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.LogSoftmax(x, l.dim) })
}
