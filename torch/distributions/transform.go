package distributions

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Transform maps values from one region to another. Its Jacobian determinant can be
// computed; see [TransformedDistribution]. Follows torch.distributions.Transform, but
// keeps no cache: cache_size is always 0.
//
// Methods return new tensors, owned by the innermost scope or else by the garbage
// collector. They panic with ErrNil or ErrClosed for a nil or closed tensor.
type Transform interface {
	// String formats the transform as Python does.
	fmt.Stringer

	// Forward returns y for x, a value of the domain. t(x) in Python.
	Forward(x *torch.Tensor) *torch.Tensor

	// Inverse returns x for y, a value of the codomain. If the transform is not
	// bijective, it returns one of several values of x. t.inv(y) in Python.
	Inverse(y *torch.Tensor) *torch.Tensor

	// LogAbsDetJacobian returns log |dy/dx|, for y = Forward(x). The result lacks the
	// dimensions of the domain's events. It panics with ErrNotImplemented if the
	// transform has no such determinant. log_abs_det_jacobian in Python.
	LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor

	// Domain returns the region of x.
	Domain() constraints.Constraint

	// Codomain returns the region of y.
	Codomain() constraints.Constraint

	// Bijective reports whether each y comes from exactly one x.
	Bijective() bool

	// Sign returns 1 for an increasing and -1 for a decreasing function of numbers: an int, or a
	// new *torch.Tensor of signs. It panics with ErrNotImplemented for other functions.
	Sign() any

	// Inv returns the transform from y to x. inv in Python.
	Inv() Transform

	// ForwardShape returns the shape of y, if x has the given shape. It panics with
	// ErrShape for an invalid shape. forward_shape in Python.
	ForwardShape(shape torch.Shape) torch.Shape

	// InverseShape returns the shape of x, if y has the given shape. It panics with
	// ErrShape for an invalid shape. inverse_shape in Python.
	InverseShape(shape torch.Shape) torch.Shape
}

// NewInverseTransform returns the inverse of t, for the method Inv of user-defined
// transforms. It panics with ErrNil for a nil t.
func NewInverseTransform(t Transform) Transform {
	mustBeTransform("distributions.NewInverseTransform", "t", t)
	return &inverse{of: t}
}

// inverse is the inverse of another transform.
type inverse struct{ of Transform }

func (i *inverse) Forward(y *torch.Tensor) *torch.Tensor { return i.of.Inverse(y) }
func (i *inverse) Inverse(x *torch.Tensor) *torch.Tensor { return i.of.Forward(x) }
func (i *inverse) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor { return i.of.LogAbsDetJacobian(y, x).Neg() })
}
func (i *inverse) Domain() constraints.Constraint             { return i.of.Codomain() }
func (i *inverse) Codomain() constraints.Constraint           { return i.of.Domain() }
func (i *inverse) Bijective() bool                            { return i.of.Bijective() }
func (i *inverse) Sign() any                                  { return i.of.Sign() }
func (i *inverse) Inv() Transform                             { return i.of }
func (i *inverse) ForwardShape(shape torch.Shape) torch.Shape { return i.of.InverseShape(shape) }
func (i *inverse) InverseShape(shape torch.Shape) torch.Shape { return i.of.ForwardShape(shape) }
func (i *inverse) String() string                             { return fmt.Sprintf("_InverseTransform(%v)", i.of) }

// mustBeTransform panics with ErrNil if t is nil.
func mustBeTransform(op, arg string, t Transform) {
	if opt.IsNil(t) {
		panic(torch.NewError(op, torch.ErrNil, arg, "expected a transform, got nil"))
	}
}

// mustBeMade panics with ErrNil unless ok is true. ok says whether a constructor made the
// transform.
func mustBeMade(typ, method string, ok bool) {
	if !ok {
		panic(torch.NewError("distributions."+typ+"."+method, torch.ErrNil, "t",
			"the transform is nil or was not made by a constructor"))
	}
}

// mustBeTransforms panics with ErrNil if one of ts is nil.
func mustBeTransforms(op, arg string, ts []Transform) {
	for i, t := range ts {
		mustBeTransform(op, fmt.Sprintf("%s[%d]", arg, i), t)
	}
}

// newTensor runs fn, which computes a tensor from the tensors in given, and frees the
// temporaries. If fn returns one of these tensors, newTensor returns a view of it, so
// that closing the result leaves the tensor open.
func newTensor(op string, fn func() *torch.Tensor, given ...*torch.Tensor) *torch.Tensor {
	for _, t := range given {
		t.HandleFor(op+"(value)", 0)
	}
	return torch.Tidy(func() *torch.Tensor {
		y := fn()
		for _, t := range given {
			if y == t {
				return alias(y)
			}
		}
		return y
	})
}

// notImplemented returns the error for an operation that PyTorch does not support either.
func notImplemented(op, message string) *torch.Error {
	return &torch.Error{Op: op, Kind: torch.ErrNotImplemented, Message: message}
}

// eventDimOf returns the number of dimensions of an event. It panics if domain and codomain
// differ in that number.
func eventDimOf(op string, t Transform) int64 {
	d := t.Domain().EventDim()
	if c := t.Codomain().EventDim(); c != d {
		panic(torch.NewError(op, torch.ErrValue, "transforms", fmt.Sprintf("%v has events of %d dimensions in its "+
			"domain but %d in its codomain; expected equal numbers", t, d, c)))
	}
	return d
}

// sameTransform reports whether a and b are the same function. Transforms of a type that refers
// to other objects, such as a distribution, are the same only if they are identical.
func sameTransform(a, b Transform) bool {
	switch a := a.(type) {
	case *inverse:
		b, ok := b.(*inverse)
		return ok && sameTransform(a.of, b.of)
	case *ComposeTransform:
		b, ok := b.(*ComposeTransform)
		return ok && sameTransforms(a.parts, b.parts)
	case *PowerTransform:
		b, ok := b.(*PowerTransform)
		return ok && sameNumbers(a.exponent, b.exponent)
	case *AffineTransform:
		b, ok := b.(*AffineTransform)
		return ok && sameNumbers(a.loc, b.loc) && sameNumbers(a.scale, b.scale)
	}
	return reflect.TypeOf(a).Comparable() && a == b
}

func sameTransforms(a, b []Transform) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameTransform(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameNumbers reports whether two numbers or tensors are equal.
func sameNumbers(a, b any) (same bool) {
	x, xIsTensor := a.(*torch.Tensor)
	y, yIsTensor := b.(*torch.Tensor)
	torch.Scope(func() {
		switch {
		case xIsTensor && yIsTensor:
			same = x == y || x.Eq(y).All().ItemBool()
		case xIsTensor:
			same = x.EqScalar(b).All().ItemBool()
		case yIsTensor:
			same = y.EqScalar(a).All().ItemBool()
		default:
			same = float(a) == float(b)
		}
	})
	return same
}

// float converts a real Go number to float64.
func float(v any) float64 {
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return float64(r.Int())
	case r.CanUint():
		return float64(r.Uint())
	}
	return r.Float()
}
