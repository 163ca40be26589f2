package distributions

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// An AffineOption is an option of [NewAffineTransform]: [EventDim].
//
//gotorch:options EventDim
type AffineOption interface{ affineOption() }

// EventDim is the number of trailing dimensions of an event: 0, the default, for numbers,
// 1 for vectors, 2 for matrices. event_dim in Python.
type EventDim int64

// An AffineTransform is the transform y = loc + scale * x. Follows
// torch.distributions.AffineTransform.
type AffineTransform struct {
	loc, scale any
	upper      any // nil, or the upper bound from which width computes scale as upper - loc
	eventDim   int64
}

// NewAffineTransform returns the transform y = loc + scale * x. Each of loc and scale is
// a Go number or a tensor. The caller owns the tensors and must keep them open while the
// transform is used. NewAffineTransform panics with ErrNil or ErrClosed for a nil or
// closed tensor, with ErrType for an argument that is neither a tensor nor a number, and
// with ErrValue for a negative [EventDim].
func NewAffineTransform(loc, scale any, opts ...AffineOption) *AffineTransform {
	const op = "distributions.NewAffineTransform"
	mustBeTensorOrNumber(op, "loc", loc)
	mustBeTensorOrNumber(op, "scale", scale)
	dims := opt.Read(op, opts, EventDim(0))
	if dims < 0 {
		panic(torch.NewError(op, torch.ErrValue, "EventDim", fmt.Sprintf("expected 0 or more, got %d", dims)))
	}
	return &AffineTransform{loc: loc, scale: scale, eventDim: int64(dims)}
}

// mustBeMade panics with ErrNil if a is nil or was not made by a constructor.
func (a *AffineTransform) mustBeMade(method string) {
	mustBeMade("AffineTransform", method, a != nil && a.loc != nil)
}

// String formats the transform as Python does.
func (a *AffineTransform) String() string { a.mustBeMade("String"); return "AffineTransform()" }

func (a *AffineTransform) width() any {
	if a.upper == nil {
		return a.scale
	}
	_, isTensor := a.loc.(*torch.Tensor)
	if _, ok := a.upper.(*torch.Tensor); ok || isTensor {
		return minus(a.upper, a.loc)
	}
	return float(a.upper) - float(a.loc)
}

// Forward returns loc + scale * x; see [Transform].
func (a *AffineTransform) Forward(x *torch.Tensor) *torch.Tensor {
	a.mustBeMade("Forward")
	return newTensor("distributions.AffineTransform.Forward", func() *torch.Tensor {
		return plus(a.loc, times(a.width(), x))
	}, x)
}

// Inverse returns (y - loc) / scale; see [Transform].
func (a *AffineTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	a.mustBeMade("Inverse")
	return newTensor("distributions.AffineTransform.Inverse", func() *torch.Tensor {
		return over(minus(y, a.loc), a.width())
	}, y)
}

// LogAbsDetJacobian returns log |scale|; see [Transform].
func (a *AffineTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	a.mustBeMade("LogAbsDetJacobian")
	return newTensor("distributions.AffineTransform.LogAbsDetJacobian", func() *torch.Tensor {
		shape := x.Shape()
		var result *torch.Tensor
		if scale, ok := a.width().(*torch.Tensor); ok {
			result = scale.Abs().Log()
		} else {
			result = torch.FullLike(x, math.Log(math.Abs(float(a.width()))))
		}
		if a.eventDim > 0 {
			result = sumRightmost(result, a.eventDim)
			shape = shape[:max(int64(len(shape))-a.eventDim, 0)]
		}
		return result.Expand(shape...)
	}, x, y)
}

func (a *AffineTransform) region() constraints.Constraint {
	if a.eventDim == 0 {
		return constraints.Real
	}
	return constraints.Independent(constraints.Real, a.eventDim)
}

// Domain returns the region of x.
func (a *AffineTransform) Domain() constraints.Constraint { a.mustBeMade("Domain"); return a.region() }

// Codomain returns the region of y.
func (a *AffineTransform) Codomain() constraints.Constraint {
	a.mustBeMade("Codomain")
	return a.region()
}

// Bijective returns true.
func (a *AffineTransform) Bijective() bool { a.mustBeMade("Bijective"); return true }

// Sign returns the sign of the scale: an int if the scale is a number, or a new tensor.
func (a *AffineTransform) Sign() any {
	a.mustBeMade("Sign")
	var number any
	t := torch.Tidy(func() *torch.Tensor {
		if scale, ok := a.width().(*torch.Tensor); ok {
			return scale.Sign()
		}
		number = a.width()
		return nil
	})
	if t != nil {
		return t
	}
	switch f := float(number); {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}

// Inv returns the transform from y to x.
func (a *AffineTransform) Inv() Transform { a.mustBeMade("Inv"); return &inverse{of: a} }

func (a *AffineTransform) broadcast(shape torch.Shape) torch.Shape {
	return torch.BroadcastShapes(shape, shapeOf(a.loc), shapeOf(a.scale), shapeOf(a.upper))
}

// ForwardShape returns shape broadcast with loc and scale; see [Transform].
func (a *AffineTransform) ForwardShape(shape torch.Shape) torch.Shape {
	a.mustBeMade("ForwardShape")
	return a.broadcast(shape)
}

// InverseShape returns shape broadcast with loc and scale; see [Transform].
func (a *AffineTransform) InverseShape(shape torch.Shape) torch.Shape {
	a.mustBeMade("InverseShape")
	return a.broadcast(shape)
}

// A PowerTransform is the transform y = x^exponent of positive numbers. Follows
// torch.distributions.PowerTransform.
type PowerTransform struct{ exponent any }

// NewPowerTransform returns the transform y = x^exponent. exponent is a Go number or a
// tensor. The caller owns the tensor and must keep it open while the transform is used.
// NewPowerTransform panics with ErrNil or ErrClosed for a nil or closed tensor, and with
// ErrType for an argument that is neither a tensor nor a number.
func NewPowerTransform(exponent any) *PowerTransform {
	mustBeTensorOrNumber("distributions.NewPowerTransform", "exponent", exponent)
	return &PowerTransform{exponent: exponent}
}

// mustBeMade panics with ErrNil if p is nil or was not made by a constructor.
func (p *PowerTransform) mustBeMade(method string) {
	mustBeMade("PowerTransform", method, p != nil && p.exponent != nil)
}

// String formats the transform as Python does.
func (p *PowerTransform) String() string { p.mustBeMade("String"); return "PowerTransform()" }

// tensor returns the exponent as a tensor. As in Python, a number becomes a tensor of the
// default dtype.
func (p *PowerTransform) tensor() *torch.Tensor {
	if t, ok := p.exponent.(*torch.Tensor); ok {
		return t
	}
	return torch.ScalarTensor(p.exponent, torch.DefaultDType())
}

// Forward returns x to the power of the exponent; see [Transform].
func (p *PowerTransform) Forward(x *torch.Tensor) *torch.Tensor {
	p.mustBeMade("Forward")
	return newTensor("distributions.PowerTransform.Forward", func() *torch.Tensor { return x.Pow(p.tensor()) }, x)
}

// Inverse returns y to the power of 1 / exponent; see [Transform].
func (p *PowerTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	p.mustBeMade("Inverse")
	return newTensor("distributions.PowerTransform.Inverse", func() *torch.Tensor {
		return y.Pow(over(1, p.tensor()))
	}, y)
}

// LogAbsDetJacobian returns log |exponent * y / x|; see [Transform].
func (p *PowerTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	p.mustBeMade("LogAbsDetJacobian")
	return newTensor("distributions.PowerTransform.LogAbsDetJacobian", func() *torch.Tensor {
		return p.tensor().Mul(y).Div(x).Abs().Log()
	}, x, y)
}

// Domain returns the region of x: positive numbers.
func (p *PowerTransform) Domain() constraints.Constraint {
	p.mustBeMade("Domain")
	return constraints.Positive
}

// Codomain returns the region of y: positive numbers.
func (p *PowerTransform) Codomain() constraints.Constraint {
	p.mustBeMade("Codomain")
	return constraints.Positive
}

// Bijective returns true.
func (p *PowerTransform) Bijective() bool { p.mustBeMade("Bijective"); return true }

// Sign returns the sign of the exponent, a new tensor.
func (p *PowerTransform) Sign() any {
	p.mustBeMade("Sign")
	return torch.Tidy(func() *torch.Tensor { return p.tensor().Sign() })
}

// Inv returns the transform from y to x.
func (p *PowerTransform) Inv() Transform { p.mustBeMade("Inv"); return &inverse{of: p} }

// ForwardShape returns shape broadcast with the exponent; see [Transform].
func (p *PowerTransform) ForwardShape(shape torch.Shape) torch.Shape {
	p.mustBeMade("ForwardShape")
	return torch.BroadcastShapes(shape, shapeOf(p.exponent))
}

// InverseShape returns shape broadcast with the exponent; see [Transform].
func (p *PowerTransform) InverseShape(shape torch.Shape) torch.Shape {
	p.mustBeMade("InverseShape")
	return torch.BroadcastShapes(shape, shapeOf(p.exponent))
}
