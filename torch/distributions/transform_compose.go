package distributions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A ComposeTransform is a chain of transforms, applied in order. Follows
// torch.distributions.ComposeTransform.
type ComposeTransform struct{ parts []Transform }

// NewComposeTransform returns the chain of parts. Without parts it is the identity. It
// panics with ErrNil if a part is nil.
func NewComposeTransform(parts ...Transform) *ComposeTransform {
	mustBeTransforms("distributions.NewComposeTransform", "parts", parts)
	return &ComposeTransform{parts: slices.Clone(parts)}
}

// Parts returns the transforms of the chain. parts in Python.
func (c *ComposeTransform) Parts() []Transform { c.mustBeMade("Parts"); return slices.Clone(c.parts) }

// mustBeMade panics with ErrNil if c is nil. The zero value is a chain without parts.
func (c *ComposeTransform) mustBeMade(method string) {
	mustBeMade("ComposeTransform", method, c != nil)
}

// String formats the transform as Python does.
func (c *ComposeTransform) String() string {
	c.mustBeMade("String")
	list := make([]string, len(c.parts))
	for i, p := range c.parts {
		list[i] = p.String()
	}
	return "ComposeTransform(\n    " + strings.Join(list, ",\n    ") + "\n)"
}

// Forward applies all parts to x in order; see [Transform].
func (c *ComposeTransform) Forward(x *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Forward")
	return newTensor("distributions.ComposeTransform.Forward", func() *torch.Tensor {
		return forwardAll(c.parts, x)
	}, x)
}

// Inverse applies the inverses of all parts to y in reverse order; see [Transform].
func (c *ComposeTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Inverse")
	return newTensor("distributions.ComposeTransform.Inverse", func() *torch.Tensor {
		return inverseAll(c.parts, y)
	}, y)
}

// forwardAll applies the parts to x in order.
func forwardAll(parts []Transform, x *torch.Tensor) *torch.Tensor {
	for _, p := range parts {
		x = p.Forward(x)
	}
	return x
}

// inverseAll applies the inverses of the parts to y in reverse order.
func inverseAll(parts []Transform, y *torch.Tensor) *torch.Tensor {
	for _, p := range slices.Backward(parts) {
		y = p.Inverse(y)
	}
	return y
}

// LogAbsDetJacobian returns the sum of the parts' LogAbsDetJacobian; see [Transform].
func (c *ComposeTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	c.mustBeMade("LogAbsDetJacobian")
	return newTensor("distributions.ComposeTransform.LogAbsDetJacobian", func() *torch.Tensor {
		if len(c.parts) == 0 {
			return torch.ZerosLike(x)
		}
		var sum *torch.Tensor
		event, in := c.Domain().EventDim(), x
		for i, p := range c.parts {
			out := y
			if i < len(c.parts)-1 {
				out = p.Forward(in)
			}
			domain := p.Domain().EventDim()
			term := sumRightmost(p.LogAbsDetJacobian(in, out), event-domain)
			if sum != nil {
				term = sum.Add(term)
			}
			sum, in = term, out
			event += p.Codomain().EventDim() - domain
		}
		return sum
	}, x, y)
}

// Domain returns the region of x, whose events have as many dimensions as the parts need.
func (c *ComposeTransform) Domain() constraints.Constraint {
	c.mustBeMade("Domain")
	if len(c.parts) == 0 {
		return constraints.Real
	}
	event := c.parts[len(c.parts)-1].Codomain().EventDim()
	for _, p := range slices.Backward(c.parts) {
		domain := p.Domain().EventDim()
		event = max(event+domain-p.Codomain().EventDim(), domain)
	}
	return widened(c.parts[0].Domain(), event)
}

// Codomain returns the region of y, whose events have as many dimensions as the parts need.
func (c *ComposeTransform) Codomain() constraints.Constraint {
	c.mustBeMade("Codomain")
	if len(c.parts) == 0 {
		return constraints.Real
	}
	event := c.parts[0].Domain().EventDim()
	for _, p := range c.parts {
		codomain := p.Codomain().EventDim()
		event = max(event+codomain-p.Domain().EventDim(), codomain)
	}
	return widened(c.parts[len(c.parts)-1].Codomain(), event)
}

// widened returns c with events of at least the given number of dimensions.
func widened(c constraints.Constraint, event int64) constraints.Constraint {
	if n := event - c.EventDim(); n > 0 {
		return constraints.Independent(c, n)
	}
	return c
}

// Bijective reports whether all parts are bijective.
func (c *ComposeTransform) Bijective() bool { c.mustBeMade("Bijective"); return allBijective(c.parts) }

func allBijective(ts []Transform) bool {
	return !slices.ContainsFunc(ts, func(t Transform) bool { return !t.Bijective() })
}

// Sign returns the product of the parts' signs; see [Transform].
func (c *ComposeTransform) Sign() any { c.mustBeMade("Sign"); return signOf(c.parts) }

// signOf returns the product of the signs: an int, or a new tensor if one of the signs is a tensor.
func signOf(parts []Transform) any {
	number := 1
	sign := torch.Tidy(func() *torch.Tensor {
		var sign *torch.Tensor
		for _, p := range parts {
			switch s := p.Sign().(type) {
			case int:
				number *= s
			case *torch.Tensor:
				if sign != nil {
					s = sign.Mul(s)
				}
				sign = s
			}
		}
		if sign != nil && number != 1 {
			sign = sign.MulScalar(number)
		}
		return sign
	})
	if sign != nil {
		return sign
	}
	return number
}

// Inv returns the chain of the inverses, in reverse order.
func (c *ComposeTransform) Inv() Transform {
	c.mustBeMade("Inv")
	parts := make([]Transform, 0, len(c.parts))
	for _, p := range slices.Backward(c.parts) {
		parts = append(parts, p.Inv())
	}
	return &ComposeTransform{parts: parts}
}

// ForwardShape returns the shape of y, if x has the given shape; see [Transform].
func (c *ComposeTransform) ForwardShape(shape torch.Shape) torch.Shape {
	c.mustBeMade("ForwardShape")
	for _, p := range c.parts {
		shape = p.ForwardShape(shape)
	}
	return shape
}

// InverseShape returns the shape of x, if y has the given shape; see [Transform].
func (c *ComposeTransform) InverseShape(shape torch.Shape) torch.Shape {
	c.mustBeMade("InverseShape")
	for _, p := range slices.Backward(c.parts) {
		shape = p.InverseShape(shape)
	}
	return shape
}

// An IndependentTransform treats additional dimensions of another transform as part of
// the event, and sums the log determinant of the Jacobian over them. Follows
// torch.distributions.IndependentTransform.
type IndependentTransform struct {
	base  Transform
	ndims int64
}

// NewIndependentTransform returns base with the last reinterpretedBatchNdims dimensions
// before its event as part of the event. It panics with ErrNil for a nil base and with
// ErrValue for a negative number.
func NewIndependentTransform(base Transform, reinterpretedBatchNdims int64) *IndependentTransform {
	const op = "distributions.NewIndependentTransform"
	mustBeTransform(op, "base", base)
	if reinterpretedBatchNdims < 0 {
		panic(torch.NewError(op, torch.ErrValue, "reinterpretedBatchNdims",
			fmt.Sprintf("expected 0 or more, got %d", reinterpretedBatchNdims)))
	}
	return &IndependentTransform{base: base, ndims: reinterpretedBatchNdims}
}

// BaseTransform returns the base transform. base_transform in Python.
func (t *IndependentTransform) BaseTransform() Transform {
	t.mustBeMade("BaseTransform")
	return t.base
}

// mustBeMade panics with ErrNil if t is nil or was not made by a constructor.
func (t *IndependentTransform) mustBeMade(method string) {
	mustBeMade("IndependentTransform", method, t != nil && t.base != nil)
}

// String formats the transform as Python does.
func (t *IndependentTransform) String() string {
	t.mustBeMade("String")
	return fmt.Sprintf("IndependentTransform(%v, %d)", t.base, t.ndims)
}

// Forward applies the base; see [Transform]. It panics with ErrShape if x has fewer
// dimensions than an event.
func (t *IndependentTransform) Forward(x *torch.Tensor) *torch.Tensor {
	t.mustBeMade("Forward")
	const op = "distributions.IndependentTransform.Forward"
	return newTensor(op, func() *torch.Tensor {
		if n := t.Domain().EventDim(); x.Dim() < n {
			panic(torch.NewError(op, torch.ErrShape, "x", tooFew(n, x.Shape())))
		}
		return t.base.Forward(x)
	}, x)
}

// Inverse applies the inverse of the base; see [Transform]. It panics with ErrShape if y
// has fewer dimensions than an event.
func (t *IndependentTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	t.mustBeMade("Inverse")
	const op = "distributions.IndependentTransform.Inverse"
	return newTensor(op, func() *torch.Tensor {
		if n := t.Codomain().EventDim(); y.Dim() < n {
			panic(torch.NewError(op, torch.ErrShape, "y", tooFew(n, y.Shape())))
		}
		return t.base.Inverse(y)
	}, y)
}

// LogAbsDetJacobian returns LogAbsDetJacobian of the base, summed over the additional
// dimensions; see [Transform].
func (t *IndependentTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	t.mustBeMade("LogAbsDetJacobian")
	return newTensor("distributions.IndependentTransform.LogAbsDetJacobian", func() *torch.Tensor {
		return sumRightmost(t.base.LogAbsDetJacobian(x, y), t.ndims)
	}, x, y)
}

// Domain returns the region of x.
func (t *IndependentTransform) Domain() constraints.Constraint {
	t.mustBeMade("Domain")
	return constraints.Independent(t.base.Domain(), t.ndims)
}

// Codomain returns the region of y.
func (t *IndependentTransform) Codomain() constraints.Constraint {
	t.mustBeMade("Codomain")
	return constraints.Independent(t.base.Codomain(), t.ndims)
}

// Bijective reports whether the base is bijective.
func (t *IndependentTransform) Bijective() bool { t.mustBeMade("Bijective"); return t.base.Bijective() }

// Sign returns the sign of the base.
func (t *IndependentTransform) Sign() any { t.mustBeMade("Sign"); return t.base.Sign() }

// Inv returns the transform from y to x.
func (t *IndependentTransform) Inv() Transform { t.mustBeMade("Inv"); return &inverse{of: t} }

// ForwardShape returns ForwardShape of the base; see [Transform].
func (t *IndependentTransform) ForwardShape(shape torch.Shape) torch.Shape {
	t.mustBeMade("ForwardShape")
	return t.base.ForwardShape(shape)
}

// InverseShape returns InverseShape of the base; see [Transform].
func (t *IndependentTransform) InverseShape(shape torch.Shape) torch.Shape {
	t.mustBeMade("InverseShape")
	return t.base.InverseShape(shape)
}
