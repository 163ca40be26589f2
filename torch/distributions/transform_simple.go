package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A SimpleTransform is a [Transform] without parameters: one of the constants of this
// package. Methods of any other value panic with ErrValue.
type SimpleTransform int

// These are the transforms without parameters.
const (
	_ SimpleTransform = iota

	// IdentityTransform is y = x. identity_transform in Python.
	IdentityTransform

	// ExpTransform is y = exp(x). ExpTransform() in Python.
	ExpTransform

	// SigmoidTransform is y = 1 / (1 + exp(-x)), clamped away from 0 and 1.
	// SigmoidTransform() in Python.
	SigmoidTransform

	// SoftplusTransform is y = log(1 + exp(x)). SoftplusTransform() in Python.
	SoftplusTransform

	// TanhTransform is y = tanh(x). Its inverse is infinite at -1 and 1.
	// TanhTransform() in Python.
	TanhTransform

	// AbsTransform is y = |x|; its inverse returns y. AbsTransform() in Python.
	AbsTransform

	// SoftmaxTransform maps vectors to the simplex, y = exp(x) / sum(exp(x)). It is not
	// bijective. SoftmaxTransform() in Python.
	SoftmaxTransform

	// StickBreakingTransform maps vectors of n elements to the simplex of vectors of n+1
	// elements. It divides the number 1: each element takes a fraction of the remainder
	// that the elements before it left. The fraction is the sigmoid of the element after
	// a shift. StickBreakingTransform() in Python.
	StickBreakingTransform

	// LowerCholeskyTransform maps square matrices to LowerCholesky matrices: elements
	// above the diagonal become 0, and the diagonal becomes its exponential.
	// LowerCholeskyTransform() in Python.
	LowerCholeskyTransform

	// CorrCholeskyTransform maps vectors of D(D-1)/2 numbers to Cholesky factors of D x D
	// correlation matrices. CorrCholeskyTransform() in Python.
	CorrCholeskyTransform

	// PositiveDefiniteTransform maps square matrices to positive definite ones: L L^T,
	// where L is their LowerCholeskyTransform. PositiveDefiniteTransform() in Python.
	PositiveDefiniteTransform
)

// simpleFacts describes a SimpleTransform.
type simpleFacts struct {
	repr             string
	domain, codomain constraints.Constraint
	bijective        bool
	sign             int // 0 if the transform has no sign
	forward, inverse func(*torch.Tensor) *torch.Tensor
	jacobian         func(x, y *torch.Tensor) *torch.Tensor                       // nil if PyTorch has none
	shape            func(op string, shape torch.Shape, forward bool) torch.Shape // nil if the shape does not change
}

// facts returns the properties of t; method is the called method, for errors.
func (t SimpleTransform) facts(method string) simpleFacts {
	switch t {
	case IdentityTransform:
		return simpleFacts{
			"ComposeTransform(\n    \n)", constraints.Real, constraints.Real, true, 1, same, same,
			func(x, _ *torch.Tensor) *torch.Tensor {
				return torch.ZerosLike(x)
			}, nil,
		}
	case ExpTransform:
		return simpleFacts{
			"ExpTransform()", constraints.Real, constraints.Positive, true, 1, (*torch.Tensor).Exp,
			(*torch.Tensor).Log, func(x, _ *torch.Tensor) *torch.Tensor {
				return x
			}, nil,
		}
	case SigmoidTransform:
		return simpleFacts{
			"SigmoidTransform()", constraints.Real, constraints.UnitInterval, true, 1, clippedSigmoid,
			clippedLogit, func(x, _ *torch.Tensor) *torch.Tensor {
				return minus(softplus(x.Neg()).Neg(), softplus(x))
			}, nil,
		}
	case SoftplusTransform:
		return simpleFacts{
			"SoftplusTransform()", constraints.Real, constraints.Positive, true, 1, softplus,
			inverseSoftplus, func(x, _ *torch.Tensor) *torch.Tensor {
				return softplus(x.Neg()).Neg()
			}, nil,
		}
	case TanhTransform:
		return simpleFacts{
			"TanhTransform()", constraints.Real, constraints.Interval(-1.0, 1.0), true, 1,
			(*torch.Tensor).Tanh, (*torch.Tensor).Atanh, tanhJacobian, nil,
		}
	case AbsTransform:
		return simpleFacts{
			"AbsTransform()", constraints.Real, constraints.Positive, false, 0, (*torch.Tensor).Abs,
			same, nil, nil,
		}
	case SoftmaxTransform:
		return simpleFacts{
			"SoftmaxTransform()", constraints.RealVector, constraints.Simplex, false, 0, softmaxOf,
			(*torch.Tensor).Log, nil, vectorShape,
		}
	case StickBreakingTransform:
		return simpleFacts{
			"StickBreakingTransform()", constraints.RealVector, constraints.Simplex, true, 0,
			stickBreaking, unbrokenStick, stickBreakingJacobian, stickBreakingShape,
		}
	case LowerCholeskyTransform:
		return simpleFacts{
			"LowerCholeskyTransform()", realMatrix(), constraints.LowerCholesky, false, 0, lowerCholesky,
			inverseLowerCholesky, nil, nil,
		}
	case CorrCholeskyTransform:
		return simpleFacts{
			"CorrCholeskyTransform()", constraints.RealVector, constraints.CorrCholesky, true, 0,
			corrCholesky, inverseCorrCholesky, corrCholeskyJacobian, corrCholeskyShape,
		}
	case PositiveDefiniteTransform:
		return simpleFacts{
			"PositiveDefiniteTransform()", realMatrix(), constraints.PositiveDefinite, false, 0,
			positiveDefinite, inversePositiveDefinite, nil, nil,
		}
	}
	panic(torch.NewError("distributions.SimpleTransform."+method, torch.ErrValue, "t",
		"is not one of the constants of the package"))
}

// String formats the transform as Python does.
func (t SimpleTransform) String() string { return t.facts("String").repr }

// Forward returns y for x; see [Transform]. It also panics with ErrShape if x has an unsupported shape.
func (t SimpleTransform) Forward(x *torch.Tensor) *torch.Tensor {
	const op = "distributions.SimpleTransform.Forward"
	f := t.facts("Forward")
	x.HandleFor(op+"(x)", 0)
	f.checkShape(op, x, true)
	return newTensor(op, func() *torch.Tensor { return f.forward(x) }, x)
}

// Inverse returns x for y; see [Transform]. It panics as Forward does.
func (t SimpleTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	const op = "distributions.SimpleTransform.Inverse"
	f := t.facts("Inverse")
	y.HandleFor(op+"(y)", 0)
	f.checkShape(op, y, false)
	return newTensor(op, func() *torch.Tensor { return f.inverse(y) }, y)
}

// checkShape panics with ErrShape if the transform does not support the shape of v.
func (f simpleFacts) checkShape(op string, v *torch.Tensor, forward bool) {
	arg, in := "y", f.codomain
	if forward {
		arg, in = "x", f.domain
	}
	if v.Dim() < in.EventDim() {
		panic(torch.NewError(op, torch.ErrShape, arg, tooFew(in.EventDim(), v.Shape())))
	}
	if f.shape != nil {
		f.shape(op, v.Shape(), forward)
	}
}

// LogAbsDetJacobian returns log |dy/dx|; see [Transform].
func (t SimpleTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	const op = "distributions.SimpleTransform.LogAbsDetJacobian"
	f := t.facts("LogAbsDetJacobian")
	if f.jacobian == nil {
		panic(notImplemented(op, f.repr+" has no Jacobian, as in PyTorch"))
	}
	return newTensor(op, func() *torch.Tensor { return f.jacobian(x, y) }, x, y)
}

// Domain returns the region of x.
func (t SimpleTransform) Domain() constraints.Constraint { return t.facts("Domain").domain }

// Codomain returns the region of y.
func (t SimpleTransform) Codomain() constraints.Constraint { return t.facts("Codomain").codomain }

// Bijective reports whether each y comes from exactly one x.
func (t SimpleTransform) Bijective() bool { return t.facts("Bijective").bijective }

// Sign returns 1, an int; see [Transform].
func (t SimpleTransform) Sign() any {
	f := t.facts("Sign")
	if f.sign == 0 {
		panic(notImplemented("distributions.SimpleTransform.Sign", f.repr+" has no sign, as in PyTorch"))
	}
	return f.sign
}

// Inv returns the transform from y to x.
func (t SimpleTransform) Inv() Transform {
	t.facts("Inv")
	if t == IdentityTransform {
		return t
	}
	return &inverse{of: t}
}

// ForwardShape returns the shape of y, if x has the given shape; see [Transform].
func (t SimpleTransform) ForwardShape(shape torch.Shape) torch.Shape {
	f := t.facts("ForwardShape")
	if f.shape == nil {
		return shape
	}
	return f.shape("distributions.SimpleTransform.ForwardShape", shape, true)
}

// InverseShape returns the shape of x, if y has the given shape; see [Transform].
func (t SimpleTransform) InverseShape(shape torch.Shape) torch.Shape {
	f := t.facts("InverseShape")
	if f.shape == nil {
		return shape
	}
	return f.shape("distributions.SimpleTransform.InverseShape", shape, false)
}

func realMatrix() constraints.Constraint { return constraints.Independent(constraints.Real, 2) }

func same(x *torch.Tensor) *torch.Tensor { return x }

func softplus(x *torch.Tensor) *torch.Tensor { return x.Softplus() }

func inverseSoftplus(y *torch.Tensor) *torch.Tensor { return y.Neg().Expm1().Neg().Log().Add(y) }

func clippedSigmoid(x *torch.Tensor) *torch.Tensor {
	f := torch.Finfo(x.DType())
	return x.Sigmoid().Clamp(f.Tiny, 1-f.Eps)
}

func clippedLogit(y *torch.Tensor) *torch.Tensor {
	f := torch.Finfo(y.DType())
	y = y.Clamp(f.Tiny, 1-f.Eps)
	return y.Log().Sub(y.Neg().Log1p())
}

// tanhJacobian uses a formula that does not lose precision where tanh is nearly 1.
func tanhJacobian(x, _ *torch.Tensor) *torch.Tensor {
	return times(2.0, minus(minus(math.Log(2), x), softplus(times(-2.0, x))))
}

func softmaxOf(x *torch.Tensor) *torch.Tensor {
	most, _ := x.MaxDim(-1, torch.KeepDim(true))
	p := x.Sub(most).Exp()
	return p.Div(p.Sum(torch.Dim(-1), torch.KeepDim(true)))
}
