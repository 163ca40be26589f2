package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A ReshapeTransform changes the shape of events. Follows torch.distributions.ReshapeTransform.
type ReshapeTransform struct{ in, out torch.Shape }

// NewReshapeTransform returns the transform from events of shape inShape to events of
// shape outShape. It panics with ErrShape if they have different numbers of elements.
func NewReshapeTransform(inShape, outShape torch.Shape) *ReshapeTransform {
	if inShape.Numel() != outShape.Numel() {
		panic(torch.NewError("distributions.NewReshapeTransform", torch.ErrShape, "outShape",
			fmt.Sprintf("expected as many elements as in shape %v, got shape %v", inShape, outShape)))
	}
	return &ReshapeTransform{in: slices.Clone(inShape), out: slices.Clone(outShape)}
}

// mustBeMade panics with ErrNil if r is nil. The zero value maps numbers to numbers.
func (r *ReshapeTransform) mustBeMade(method string) {
	mustBeMade("ReshapeTransform", method, r != nil)
}

// String formats the transform as Python does.
func (r *ReshapeTransform) String() string { r.mustBeMade("String"); return "ReshapeTransform()" }

// reshaped replaces the event shape at the end of shape. from and to are the old and the
// new event shape.
func reshaped(op, arg string, shape, from, to torch.Shape) torch.Shape {
	cut := len(shape) - len(from)
	if cut < 0 || !shape[cut:].Equal(from) {
		panic(torch.NewError(op, torch.ErrShape, arg,
			fmt.Sprintf("expected a shape that ends in %v, got %v", from, shape)))
	}
	return slices.Concat(shape[:cut], to)
}

// Forward reshapes x; see [Transform]. The result may share the memory of x. Like all
// methods, it panics with ErrShape if the shape does not end in the event shape.
func (r *ReshapeTransform) Forward(x *torch.Tensor) *torch.Tensor {
	r.mustBeMade("Forward")
	const op = "distributions.ReshapeTransform.Forward"
	return newTensor(op, func() *torch.Tensor { return x.Reshape(reshaped(op, "x", x.Shape(), r.in, r.out)...) }, x)
}

// Inverse reshapes y; see [Transform]. The result may share the memory of y.
func (r *ReshapeTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	r.mustBeMade("Inverse")
	const op = "distributions.ReshapeTransform.Inverse"
	return newTensor(op, func() *torch.Tensor { return y.Reshape(reshaped(op, "y", y.Shape(), r.out, r.in)...) }, y)
}

// LogAbsDetJacobian returns 0; see [Transform].
func (r *ReshapeTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	r.mustBeMade("LogAbsDetJacobian")
	const op = "distributions.ReshapeTransform.LogAbsDetJacobian"
	return newTensor(op, func() *torch.Tensor { return x.NewZeros(reshaped(op, "x", x.Shape(), r.in, nil)) }, x, y)
}

// Domain returns the region of x.
func (r *ReshapeTransform) Domain() constraints.Constraint {
	r.mustBeMade("Domain")
	return constraints.Independent(constraints.Real, int64(len(r.in)))
}

// Codomain returns the region of y.
func (r *ReshapeTransform) Codomain() constraints.Constraint {
	r.mustBeMade("Codomain")
	return constraints.Independent(constraints.Real, int64(len(r.out)))
}

// Bijective returns true.
func (r *ReshapeTransform) Bijective() bool { r.mustBeMade("Bijective"); return true }

// Sign panics with ErrNotImplemented, as in PyTorch.
func (r *ReshapeTransform) Sign() any {
	r.mustBeMade("Sign")
	panic(notImplemented("distributions.ReshapeTransform.Sign", "a ReshapeTransform has no sign, as in PyTorch"))
}

// Inv returns the transform from y to x.
func (r *ReshapeTransform) Inv() Transform { r.mustBeMade("Inv"); return &inverse{of: r} }

// ForwardShape returns the shape of y, if x has the given shape; see [Transform].
func (r *ReshapeTransform) ForwardShape(shape torch.Shape) torch.Shape {
	r.mustBeMade("ForwardShape")
	return reshaped("distributions.ReshapeTransform.ForwardShape", "shape", shape, r.in, r.out)
}

// InverseShape returns the shape of x, if y has the given shape; see [Transform].
func (r *ReshapeTransform) InverseShape(shape torch.Shape) torch.Shape {
	r.mustBeMade("InverseShape")
	return reshaped("distributions.ReshapeTransform.InverseShape", "shape", shape, r.out, r.in)
}

// A CumulativeDistributionTransform is the transform y = CDF(x) of a distribution.
// Follows torch.distributions.CumulativeDistributionTransform.
type CumulativeDistributionTransform struct{ distribution Distribution }

// NewCumulativeDistributionTransform returns the transform y = distribution.CDF(x). The
// caller owns the distribution, and closes it after the last use of the transform.
// NewCumulativeDistributionTransform panics with ErrNil for a nil distribution.
func NewCumulativeDistributionTransform(distribution Distribution) *CumulativeDistributionTransform {
	mustBeDistribution("distributions.NewCumulativeDistributionTransform", "distribution", distribution)
	return &CumulativeDistributionTransform{distribution: distribution}
}

// mustBeDistribution panics with ErrNil if d is nil.
func mustBeDistribution(op, arg string, d Distribution) {
	if opt.IsNil(d) {
		panic(torch.NewError(op, torch.ErrNil, arg, "expected a distribution, got nil"))
	}
}

// mustBeMade panics with ErrNil if c is nil or was not made by a constructor.
func (c *CumulativeDistributionTransform) mustBeMade(method string) {
	mustBeMade("CumulativeDistributionTransform", method, c != nil && c.distribution != nil)
}

// String formats the transform as Python does.
func (c *CumulativeDistributionTransform) String() string {
	c.mustBeMade("String")
	return "CumulativeDistributionTransform()"
}

// Forward returns the CDF at x; see [Transform]. It panics as CDF does.
func (c *CumulativeDistributionTransform) Forward(x *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Forward")
	return c.distribution.CDF(x)
}

// Inverse returns the ICDF at y; see [Transform]. It panics as ICDF does.
func (c *CumulativeDistributionTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Inverse")
	return c.distribution.ICDF(y)
}

// LogAbsDetJacobian returns the LogProb at x; see [Transform]. It panics as LogProb does.
func (c *CumulativeDistributionTransform) LogAbsDetJacobian(x, _ *torch.Tensor) *torch.Tensor {
	c.mustBeMade("LogAbsDetJacobian")
	return c.distribution.LogProb(x)
}

// Domain returns the support of the distribution.
func (c *CumulativeDistributionTransform) Domain() constraints.Constraint {
	c.mustBeMade("Domain")
	return c.distribution.Support()
}

// Codomain returns the unit interval.
func (c *CumulativeDistributionTransform) Codomain() constraints.Constraint {
	c.mustBeMade("Codomain")
	return constraints.UnitInterval
}

// Bijective returns true.
func (c *CumulativeDistributionTransform) Bijective() bool { c.mustBeMade("Bijective"); return true }

// Sign returns 1.
func (c *CumulativeDistributionTransform) Sign() any { c.mustBeMade("Sign"); return 1 }

// Inv returns the transform from y to x.
func (c *CumulativeDistributionTransform) Inv() Transform {
	c.mustBeMade("Inv")
	return &inverse{of: c}
}

// ForwardShape returns shape.
func (c *CumulativeDistributionTransform) ForwardShape(shape torch.Shape) torch.Shape {
	c.mustBeMade("ForwardShape")
	return shape
}

// InverseShape returns shape.
func (c *CumulativeDistributionTransform) InverseShape(shape torch.Shape) torch.Shape {
	c.mustBeMade("InverseShape")
	return shape
}
