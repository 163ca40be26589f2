package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A CatTransform applies a transform to each piece of a tensor along a dimension. Follows
// torch.distributions.CatTransform.
type CatTransform struct {
	transforms []Transform
	dim        int64
	lengths    []int64
}

// NewCatTransform returns the transform that splits a tensor along dim, applies each
// transform to its piece, and joins the results as torch.Cat does. lengths are the sizes
// of the pieces, by default 1 each. It panics with ErrNil if a transform is nil, and with
// ErrValue if there is no transform or the number of lengths differs from the number of
// transforms.
func NewCatTransform(transforms []Transform, dim int64, lengths ...int64) *CatTransform {
	const op = "distributions.NewCatTransform"
	mustHaveSome(op, transforms)
	if len(lengths) == 0 {
		lengths = slices.Repeat([]int64{1}, len(transforms))
	}
	if len(lengths) != len(transforms) {
		panic(torch.NewError(op, torch.ErrValue, "lengths",
			fmt.Sprintf("expected a length for each of the %d transforms, got %d", len(transforms), len(lengths))))
	}
	return &CatTransform{transforms: slices.Clone(transforms), dim: dim, lengths: slices.Clone(lengths)}
}

func mustHaveSome(op string, transforms []Transform) {
	if len(transforms) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "transforms", "expected at least one transform"))
	}
	mustBeTransforms(op, "transforms", transforms)
}

// Transforms returns the transforms of the pieces. transforms in Python.
func (c *CatTransform) Transforms() []Transform {
	c.mustBeMade("Transforms")
	return slices.Clone(c.transforms)
}

// mustBeMade panics with ErrNil if c is nil or was not made by a constructor.
func (c *CatTransform) mustBeMade(method string) {
	mustBeMade("CatTransform", method, c != nil && c.transforms != nil)
}

// String formats the transform as Python does.
func (c *CatTransform) String() string { c.mustBeMade("String"); return "CatTransform()" }

func (c *CatTransform) pieces(op, arg string, v *torch.Tensor) []*torch.Tensor {
	var total int64
	for _, n := range c.lengths {
		total += n
	}
	checkAlong(op, arg, v, c.dim, total)
	out := make([]*torch.Tensor, len(c.lengths))
	var start int64
	for i, n := range c.lengths {
		out[i] = v.Narrow(c.dim, start, n)
		start += n
	}
	return out
}

// checkAlong panics with ErrShape unless v has a dimension dim of size n.
func checkAlong(op, arg string, v *torch.Tensor, dim, n int64) {
	if dim < -v.Dim() || dim >= v.Dim() || v.Size(dim) != n {
		panic(torch.NewError(op, torch.ErrShape, arg,
			fmt.Sprintf("expected size %d along dimension %d, got shape %v", n, dim, v.Shape())))
	}
}

// each applies fn to each transform and its piece.
func each(ts []Transform, pieces []*torch.Tensor, fn func(Transform, *torch.Tensor) *torch.Tensor) []*torch.Tensor {
	out := make([]*torch.Tensor, len(ts))
	for i, t := range ts {
		out[i] = fn(t, pieces[i])
	}
	return out
}

// Forward applies each transform to its piece of x; see [Transform]. It panics with
// ErrShape if the size of x along the dimension is not the sum of the lengths.
func (c *CatTransform) Forward(x *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Forward")
	const op = "distributions.CatTransform.Forward"
	return newTensor(op, func() *torch.Tensor {
		return torch.Cat(each(c.transforms, c.pieces(op, "x", x), Transform.Forward), torch.Dim(c.dim))
	}, x)
}

// Inverse applies the inverse of each transform to its piece of y; see [Transform]. It
// panics as Forward does.
func (c *CatTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Inverse")
	const op = "distributions.CatTransform.Inverse"
	return newTensor(op, func() *torch.Tensor {
		return torch.Cat(each(c.transforms, c.pieces(op, "y", y), Transform.Inverse), torch.Dim(c.dim))
	}, y)
}

// LogAbsDetJacobian joins the terms of the pieces. If the pieces are joined along a dimension of the
// event, it adds the terms instead; see [Transform]. It panics as Forward does, and with ErrValue if the
// events of a transform's domain and codomain differ in their number of dimensions.
func (c *CatTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	c.mustBeMade("LogAbsDetJacobian")
	const op = "distributions.CatTransform.LogAbsDetJacobian"
	return newTensor(op, func() *torch.Tensor {
		var event int64
		for _, t := range c.transforms {
			event = max(event, eventDimOf(op, t))
		}
		xs, ys := c.pieces(op, "x", x), c.pieces(op, "y", y)
		terms := make([]*torch.Tensor, len(c.transforms))
		for i, t := range c.transforms {
			terms[i] = sumRightmost(t.LogAbsDetJacobian(xs[i], ys[i]), event-eventDimOf(op, t))
		}
		dim := c.dim
		if dim >= 0 {
			dim -= x.Dim()
		}
		if dim += event; dim < 0 {
			return torch.Cat(terms, torch.Dim(dim))
		}
		sum := terms[0]
		for _, term := range terms[1:] {
			sum = sum.Add(term)
		}
		return sum
	}, x, y)
}

// regions returns the domains or codomains of transforms.
func regions(ts []Transform, of func(Transform) constraints.Constraint) []constraints.Constraint {
	out := make([]constraints.Constraint, len(ts))
	for i, t := range ts {
		out[i] = of(t)
	}
	return out
}

// Domain returns the region of x.
func (c *CatTransform) Domain() constraints.Constraint {
	c.mustBeMade("Domain")
	return constraints.Cat(regions(c.transforms, Transform.Domain), c.dim, c.lengths...)
}

// Codomain returns the region of y.
func (c *CatTransform) Codomain() constraints.Constraint {
	c.mustBeMade("Codomain")
	return constraints.Cat(regions(c.transforms, Transform.Codomain), c.dim, c.lengths...)
}

// Bijective reports whether all transforms are bijective.
func (c *CatTransform) Bijective() bool { c.mustBeMade("Bijective"); return allBijective(c.transforms) }

// Sign panics with ErrNotImplemented, as in PyTorch.
func (c *CatTransform) Sign() any {
	c.mustBeMade("Sign")
	panic(notImplemented("distributions.CatTransform.Sign", "a CatTransform has no sign, as in PyTorch"))
}

// Inv returns the transform from y to x.
func (c *CatTransform) Inv() Transform { c.mustBeMade("Inv"); return &inverse{of: c} }

// ForwardShape returns shape.
func (c *CatTransform) ForwardShape(shape torch.Shape) torch.Shape {
	c.mustBeMade("ForwardShape")
	return shape
}

// InverseShape returns shape.
func (c *CatTransform) InverseShape(shape torch.Shape) torch.Shape {
	c.mustBeMade("InverseShape")
	return shape
}

// A StackTransform applies a transform to each position of a tensor along a dimension.
// Follows torch.distributions.StackTransform.
type StackTransform struct {
	transforms []Transform
	dim        int64
}

// NewStackTransform returns the transform that applies each of transforms to one position
// along dim, and joins the results as torch.Stack does. It panics with ErrNil if a
// transform is nil, and with ErrValue if transforms is empty.
func NewStackTransform(transforms []Transform, dim int64) *StackTransform {
	mustHaveSome("distributions.NewStackTransform", transforms)
	return &StackTransform{transforms: slices.Clone(transforms), dim: dim}
}

// Transforms returns the transforms of the positions. transforms in Python.
func (s *StackTransform) Transforms() []Transform {
	s.mustBeMade("Transforms")
	return slices.Clone(s.transforms)
}

// mustBeMade panics with ErrNil if s is nil or was not made by a constructor.
func (s *StackTransform) mustBeMade(method string) {
	mustBeMade("StackTransform", method, s != nil && s.transforms != nil)
}

// String formats the transform as Python does.
func (s *StackTransform) String() string { s.mustBeMade("String"); return "StackTransform()" }

func (s *StackTransform) places(op, arg string, v *torch.Tensor) []*torch.Tensor {
	checkAlong(op, arg, v, s.dim, int64(len(s.transforms)))
	return v.Unbind(torch.Dim(s.dim))
}

// Forward applies each transform to its position of x; see [Transform]. It panics with
// ErrShape if the size of x along the dimension is not the number of transforms.
func (s *StackTransform) Forward(x *torch.Tensor) *torch.Tensor {
	s.mustBeMade("Forward")
	const op = "distributions.StackTransform.Forward"
	return newTensor(op, func() *torch.Tensor {
		return torch.Stack(each(s.transforms, s.places(op, "x", x), Transform.Forward), torch.Dim(s.dim))
	}, x)
}

// Inverse applies the inverse of each transform to its position of y; see [Transform]. It
// panics as Forward does.
func (s *StackTransform) Inverse(y *torch.Tensor) *torch.Tensor {
	s.mustBeMade("Inverse")
	const op = "distributions.StackTransform.Inverse"
	return newTensor(op, func() *torch.Tensor {
		return torch.Stack(each(s.transforms, s.places(op, "y", y), Transform.Inverse), torch.Dim(s.dim))
	}, y)
}

// LogAbsDetJacobian stacks the terms of the transforms; see [Transform]. It panics as Forward does.
func (s *StackTransform) LogAbsDetJacobian(x, y *torch.Tensor) *torch.Tensor {
	s.mustBeMade("LogAbsDetJacobian")
	const op = "distributions.StackTransform.LogAbsDetJacobian"
	return newTensor(op, func() *torch.Tensor {
		xs, ys := s.places(op, "x", x), s.places(op, "y", y)
		terms := make([]*torch.Tensor, len(s.transforms))
		for i, t := range s.transforms {
			terms[i] = t.LogAbsDetJacobian(xs[i], ys[i])
		}
		return torch.Stack(terms, torch.Dim(s.dim))
	}, x, y)
}

// Domain returns the region of x.
func (s *StackTransform) Domain() constraints.Constraint {
	s.mustBeMade("Domain")
	return constraints.Stack(regions(s.transforms, Transform.Domain), s.dim)
}

// Codomain returns the region of y.
func (s *StackTransform) Codomain() constraints.Constraint {
	s.mustBeMade("Codomain")
	return constraints.Stack(regions(s.transforms, Transform.Codomain), s.dim)
}

// Bijective reports whether all transforms are bijective.
func (s *StackTransform) Bijective() bool {
	s.mustBeMade("Bijective")
	return allBijective(s.transforms)
}

// Sign panics with ErrNotImplemented, as in PyTorch.
func (s *StackTransform) Sign() any {
	s.mustBeMade("Sign")
	panic(notImplemented("distributions.StackTransform.Sign", "a StackTransform has no sign, as in PyTorch"))
}

// Inv returns the transform from y to x.
func (s *StackTransform) Inv() Transform { s.mustBeMade("Inv"); return &inverse{of: s} }

// ForwardShape returns shape.
func (s *StackTransform) ForwardShape(shape torch.Shape) torch.Shape {
	s.mustBeMade("ForwardShape")
	return shape
}

// InverseShape returns shape.
func (s *StackTransform) InverseShape(shape torch.Shape) torch.Shape {
	s.mustBeMade("InverseShape")
	return shape
}
