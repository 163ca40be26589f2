package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Activations with a gate or with a smooth curve.

// GELU is x times the cumulative distribution function of the standard normal
// distribution at x. Follows torch.nn.GELU.
type GELU struct {
	Base
	Approximate Approximate
}

// NewGELU makes a GELU. It panics with ErrValue for an unknown [Approximate].
// Follows torch.nn.GELU.
func NewGELU(opts ...GELUOption) *GELU {
	const op = "NewGELU"
	var a activationOptions
	l := &GELU{Approximate: opt.ReadOr(op, opts, a.read, ApproximateNone)}
	if w := l.Approximate; w != ApproximateNone && w != ApproximateTanh {
		panic(torch.NewError(op, torch.ErrValue, "Approximate",
			fmt.Sprintf(`expected "none" or "tanh", got %q`, string(w))))
	}
	a.start(l)
	return l
}

func (l *GELU) describe() string { return fmt.Sprintf("approximate='%s'", string(l.Approximate)) }

// Forward applies F.GELU. The result is a new tensor. It panics as F.GELU does.
func (l *GELU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.GELU(x, l.Approximate) })
}

// Softplus is log(1 + exp(Beta * x)) / Beta. Follows torch.nn.Softplus.
type Softplus struct {
	Base
	Beta, Threshold float64
}

// NewSoftplus makes a Softplus. Follows torch.nn.Softplus.
func NewSoftplus(opts ...SoftplusOption) *Softplus {
	const op = "NewSoftplus"
	var a activationOptions
	beta, threshold := opt.ReadOr2(op, opts, a.read, Beta(1), WithThreshold(20))
	l := &Softplus{Beta: float64(beta), Threshold: float64(threshold)}
	a.start(l)
	return l
}

func (l *Softplus) describe() string {
	return fmt.Sprintf("beta=%s, threshold=%s", tensorfmt.PyFloat(l.Beta), tensorfmt.PyFloat(l.Threshold))
}

// Forward applies F.Softplus. The result is a new tensor. It panics as F.Softplus
// does.
func (l *Softplus) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.Softplus(x, F.Beta(l.Beta), F.WithThreshold(l.Threshold))
	})
}

// Hardshrink is x, with the values between -Lambd and Lambd replaced by 0.
// Follows torch.nn.Hardshrink.
type Hardshrink struct {
	Base
	Lambd float64
}

// NewHardshrink makes a Hardshrink. Follows torch.nn.Hardshrink.
func NewHardshrink(opts ...ShrinkOption) *Hardshrink {
	const op = "NewHardshrink"
	var a activationOptions
	l := &Hardshrink{Lambd: float64(opt.ReadOr(op, opts, a.read, Lambd(0.5)))}
	a.start(l)
	return l
}

func (l *Hardshrink) describe() string { return tensorfmt.PyFloat(l.Lambd) }

// Forward applies F.Hardshrink. The result is a new tensor. It panics as F.Hardshrink
// does.
func (l *Hardshrink) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Hardshrink(x, F.Lambd(l.Lambd)) })
}

// Softshrink moves x towards 0 by Lambd. Follows torch.nn.Softshrink.
type Softshrink struct {
	Base
	Lambd float64
}

// NewSoftshrink makes a Softshrink. Follows torch.nn.Softshrink.
func NewSoftshrink(opts ...ShrinkOption) *Softshrink {
	const op = "NewSoftshrink"
	var a activationOptions
	l := &Softshrink{Lambd: float64(opt.ReadOr(op, opts, a.read, Lambd(0.5)))}
	a.start(l)
	return l
}

func (l *Softshrink) describe() string { return tensorfmt.PyFloat(l.Lambd) }

// Forward applies F.Softshrink. The result is a new tensor. It panics as F.Softshrink
// does.
func (l *Softshrink) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Softshrink(x, F.Lambd(l.Lambd)) })
}

// GLU splits x along a dimension into two halves, a and b, and returns a * sigmoid(b).
// Follows torch.nn.GLU.
type GLU struct {
	Base
	Dim int64
}

// NewGLU makes a GLU. Follows torch.nn.GLU.
func NewGLU(opts ...GLUOption) *GLU {
	const op = "NewGLU"
	var a activationOptions
	l := &GLU{Dim: int64(opt.ReadOr(op, opts, a.read, Dim(-1)))}
	a.start(l)
	return l
}

func (l *GLU) describe() string { return fmt.Sprintf("dim=%d", l.Dim) }

// Forward applies F.GLU. The result is a new tensor. It panics as F.GLU
// does.
func (l *GLU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.GLU(x, F.Dim(l.Dim)) })
}
