package constraints

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// An IndependentConstraint applies another constraint to all parts of a larger event.
// [Independent] returns it.
type IndependentConstraint struct {
	base  Constraint
	ndims int64
}

// Independent treats ndims more trailing dimensions as part of the event: an event is
// valid if all its parts satisfy base. It panics with ErrNil for a nil base and with
// ErrValue for a negative ndims. Follows torch.distributions.constraints.independent.
func Independent(base Constraint, ndims int64) *IndependentConstraint {
	const op = "constraints.Independent"
	mustBeConstraint(op, "base", base)
	if ndims < 0 {
		panic(torch.NewError(op, torch.ErrValue, "ndims", fmt.Sprintf("expected 0 or more, got %d", ndims)))
	}
	return &IndependentConstraint{base: base, ndims: ndims}
}

// Base returns the constraint on the parts. base_constraint in Python.
func (c *IndependentConstraint) Base() Constraint { return c.mustBeMade("Base").base }

// Ndims returns the number of dimensions added to the event. reinterpreted_batch_ndims in
// Python.
func (c *IndependentConstraint) Ndims() int64 { return c.mustBeMade("Ndims").ndims }

// IsDiscrete reports whether the region is discrete.
func (c *IndependentConstraint) IsDiscrete() bool {
	return c.mustBeMade("IsDiscrete").base.IsDiscrete()
}

// EventDim returns the number of trailing dimensions of a value that make up one event.
func (c *IndependentConstraint) EventDim() int64 {
	return c.mustBeMade("EventDim").base.EventDim() + c.ndims
}

// Check reports, for each event of value, whether all its parts are in the region; see [Constraint].
func (c *IndependentConstraint) Check(value *torch.Tensor) *torch.Tensor {
	c.mustBeMade("Check")
	need("constraints.IndependentConstraint.Check", value, c.EventDim())
	return torch.Tidy(func() *torch.Tensor { return allOfLast(c.base.Check(value), c.ndims) })
}

// String formats the constraint as Python does.
func (c *IndependentConstraint) String() string {
	return fmt.Sprintf("IndependentConstraint(%v, %d)", c.mustBeMade("String").base, c.ndims)
}

func (c *IndependentConstraint) mustBeMade(method string) *IndependentConstraint {
	if c == nil || c.base == nil {
		panic(unmade("IndependentConstraint", method))
	}
	return c
}

// unmade returns the error for a value of type typ that was not made by this package.
func unmade(typ, method string) *torch.Error {
	return torch.NewError("constraints."+typ+"."+method, torch.ErrNil, "c",
		"the value was not made by a function of the package")
}

// A MixtureConstraint is the constraint on the values of a mixture of distributions.
// [MixtureSameFamily] returns it.
type MixtureConstraint struct{ base Constraint }

// MixtureSameFamily is the constraint on the values of a mixture whose components have
// the constraint base: a value is valid if it is valid for every component. It panics
// with ErrNil for a nil base. Follows
// torch.distributions.constraints.MixtureSameFamilyConstraint.
func MixtureSameFamily(base Constraint) *MixtureConstraint {
	mustBeConstraint("constraints.MixtureSameFamily", "base", base)
	return &MixtureConstraint{base: base}
}

// IsDiscrete reports whether the region is discrete.
func (c *MixtureConstraint) IsDiscrete() bool { return c.mustBeMade("IsDiscrete").base.IsDiscrete() }

// EventDim returns the number of trailing dimensions of a value that make up one event.
func (c *MixtureConstraint) EventDim() int64 { return c.mustBeMade("EventDim").base.EventDim() }

// Check reports, for each event of value, whether it is valid for all components; see [Constraint].
func (c *MixtureConstraint) Check(value *torch.Tensor) *torch.Tensor {
	event := c.mustBeMade("Check").base.EventDim()
	need("constraints.MixtureConstraint.Check", value, event)
	return torch.Tidy(func() *torch.Tensor {
		result := c.base.Check(value.Unsqueeze(-1 - event))
		return allOfLast(result, result.Dim()-(value.Dim()-event))
	})
}

// String formats the constraint as Python does.
func (c *MixtureConstraint) String() string {
	return fmt.Sprintf("MixtureSameFamilyConstraint(%v)", c.mustBeMade("String").base)
}

func (c *MixtureConstraint) mustBeMade(method string) *MixtureConstraint {
	if c == nil || c.base == nil {
		panic(unmade("MixtureConstraint", method))
	}
	return c
}

// A Joined applies each of several constraints to its own part of a value. [Cat] and [Stack] return it.
type Joined struct {
	parts   []Constraint
	dim     int64
	lengths []int64 // for Cat
}

// Cat splits a value along dim into pieces, as if torch.Cat had joined them, and applies
// each of parts to its piece. lengths are the sizes of the pieces, by default 1 each. It
// panics with ErrNil for a nil part, and with ErrValue if there is no part or the number
// of lengths differs from the number of parts. Follows
// torch.distributions.constraints.cat.
func Cat(parts []Constraint, dim int64, lengths ...int64) *Joined {
	const op = "constraints.Cat"
	checkParts(op, parts)
	if len(lengths) == 0 {
		lengths = slices.Repeat([]int64{1}, len(parts))
	}
	if len(lengths) != len(parts) {
		panic(torch.NewError(op, torch.ErrValue, "lengths",
			fmt.Sprintf("expected a length for each of the %d parts, got %d", len(parts), len(lengths))))
	}
	return &Joined{parts: slices.Clone(parts), dim: dim, lengths: slices.Clone(lengths)}
}

// Stack applies each of parts to one position of a value along dim, where torch.Stack
// puts its tensors. It panics with ErrNil for a nil part, and with ErrValue if parts is
// empty. Follows torch.distributions.constraints.stack.
func Stack(parts []Constraint, dim int64) *Joined {
	checkParts("constraints.Stack", parts)
	return &Joined{parts: slices.Clone(parts), dim: dim}
}

func checkParts(op string, parts []Constraint) {
	if len(parts) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "parts", "expected at least one constraint"))
	}
	for i, c := range parts {
		mustBeConstraint(op, fmt.Sprintf("parts[%d]", i), c)
	}
}

// Parts returns the constraints. cseq in Python.
func (c *Joined) Parts() []Constraint { return slices.Clone(c.mustBeMade("Parts").parts) }

// Dim returns the dimension along which the parts are joined.
func (c *Joined) Dim() int64 { return c.mustBeMade("Dim").dim }

// Lengths returns the sizes of the pieces for [Cat], and nil for [Stack].
func (c *Joined) Lengths() []int64 { return slices.Clone(c.mustBeMade("Lengths").lengths) }

// IsDiscrete reports whether at least one part is discrete.
func (c *Joined) IsDiscrete() bool {
	return slices.ContainsFunc(c.mustBeMade("IsDiscrete").parts, Constraint.IsDiscrete)
}

// EventDim returns the number of trailing dimensions of a value that make up one event.
func (c *Joined) EventDim() int64 {
	var most int64
	for _, p := range c.mustBeMade("EventDim").parts {
		most = max(most, p.EventDim())
	}
	if c.lengths == nil && c.dim+most < 0 {
		most++
	}
	return most
}

// Check reports, for each event of value, whether it is in the region of its part; see
// [Constraint]. It panics with ErrIndex if value does not have the dimension Dim, and
// with ErrShape or ErrIndex if value is too short along that dimension.
func (c *Joined) Check(value *torch.Tensor) *torch.Tensor {
	const op = "constraints.Joined.Check"
	c.mustBeMade("Check")
	need(op, value, 0)
	if c.dim < -value.Dim() || c.dim >= value.Dim() {
		panic(torch.NewError(op, torch.ErrIndex, "value",
			fmt.Sprintf("expected a tensor with dimension %d, got shape %v", c.dim, value.Shape())))
	}
	return torch.Tidy(func() *torch.Tensor {
		checks := make([]*torch.Tensor, len(c.parts))
		if c.lengths == nil {
			for i, p := range c.parts {
				checks[i] = p.Check(value.Select(c.dim, int64(i)))
			}
			return torch.Stack(checks, torch.Dim(c.dim))
		}
		var start int64
		for i, p := range c.parts {
			checks[i] = p.Check(value.Narrow(c.dim, start, c.lengths[i]))
			start += c.lengths[i]
		}
		return torch.Cat(checks, torch.Dim(c.dim))
	})
}

// String formats the constraint as Python does.
func (c *Joined) String() string {
	if c.mustBeMade("String").lengths == nil {
		return "Stack()"
	}
	return "Cat()"
}

func (c *Joined) mustBeMade(method string) *Joined {
	if c == nil || c.parts == nil {
		panic(unmade("Joined", method))
	}
	return c
}
