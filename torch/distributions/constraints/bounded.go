package constraints

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/internal/native/recording"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// A Bounded is a constraint by bounds, such as the result of [Interval] or
// [GreaterThan]. Methods of the zero value panic with ErrNil.
type Bounded struct {
	name                  string // Python's name of the class
	lower, upper          any    // numbers, tensors, or nil where there is no bound
	withoutLow, withoutUp bool   // whether the bound itself is excluded
	whole, vector         bool   // whether only integers are valid; whether values are vectors whose sum is bounded
}

// Interval is the constraint lower <= x <= upper. A bound is a number or a tensor, whose
// shape broadcasts with the shape of a value. The result refers to the tensors and does
// not own them. Like all functions with bounds, Interval panics with ErrNil for a nil
// bound, and with ErrType if a bound is neither a tensor nor a real number. Follows
// torch.distributions.constraints.interval.
func Interval(lower, upper any) *Bounded {
	const op = "constraints.Interval"
	return &Bounded{name: "Interval", lower: bound(op, "lower", lower), upper: bound(op, "upper", upper)}
}

// HalfOpenInterval is the constraint lower <= x < upper; see [Interval]. Follows
// torch.distributions.constraints.half_open_interval.
func HalfOpenInterval(lower, upper any) *Bounded {
	const op = "constraints.HalfOpenInterval"
	return &Bounded{
		name: "HalfOpenInterval", lower: bound(op, "lower", lower), upper: bound(op, "upper", upper),
		withoutUp: true,
	}
}

// IntegerInterval is the set of integers from lower to upper, both included; see
// [Interval]. Follows torch.distributions.constraints.integer_interval.
func IntegerInterval(lower, upper any) *Bounded {
	const op = "constraints.IntegerInterval"
	return &Bounded{
		name: "IntegerInterval", lower: bound(op, "lower", lower), upper: bound(op, "upper", upper),
		whole: true,
	}
}

// GreaterThan is the constraint x > lower; see [Interval]. Follows
// torch.distributions.constraints.greater_than.
func GreaterThan(lower any) *Bounded {
	return &Bounded{name: "GreaterThan", lower: bound("constraints.GreaterThan", "lower", lower), withoutLow: true}
}

// GreaterThanEq is the constraint x >= lower; see [Interval]. Follows
// torch.distributions.constraints.greater_than_eq.
func GreaterThanEq(lower any) *Bounded {
	return &Bounded{name: "GreaterThanEq", lower: bound("constraints.GreaterThanEq", "lower", lower)}
}

// LessThan is the constraint x < upper; see [Interval]. Follows
// torch.distributions.constraints.less_than.
func LessThan(upper any) *Bounded {
	return &Bounded{name: "LessThan", upper: bound("constraints.LessThan", "upper", upper), withoutUp: true}
}

// Multinomial is the set of vectors of non-negative numbers that add up to at most upper;
// see [Interval]. As in Python, Check does not require the numbers to be integers.
// Follows torch.distributions.constraints.multinomial.
func Multinomial(upper any) *Bounded {
	return &Bounded{name: "Multinomial", upper: bound("constraints.Multinomial", "upper", upper), vector: true}
}

// LowerBound returns the lower bound that was passed, or nil. lower_bound in Python.
func (b *Bounded) LowerBound() any { return b.mustBeMade("LowerBound").lower }

// UpperBound returns the upper bound that was passed, or nil. upper_bound in Python.
func (b *Bounded) UpperBound() any { return b.mustBeMade("UpperBound").upper }

// IsDiscrete reports whether the region is discrete.
func (b *Bounded) IsDiscrete() bool { b.mustBeMade("IsDiscrete"); return b.whole || b.vector }

// EventDim returns the number of trailing dimensions of a value that make up one event.
func (b *Bounded) EventDim() int64 {
	if b.mustBeMade("EventDim").vector {
		return 1
	}
	return 0
}

// Check reports, for each event of value, whether it is within the bounds; see
// [Constraint]. It also panics with ErrShape if the shapes of value and the bounds do
// not broadcast.
func (b *Bounded) Check(value *torch.Tensor) *torch.Tensor {
	b.mustBeMade("Check")
	need("constraints.Bounded.Check", value, b.EventDim())
	return torch.Tidy(func() *torch.Tensor {
		if b.vector {
			return value.GeScalar(0).All(torch.Dim(-1)).LogicalAnd(below(value.Sum(torch.Dim(-1)), b.upper, false))
		}
		var ok *torch.Tensor
		if b.lower != nil {
			ok = above(value, b.lower, b.withoutLow)
		}
		if b.upper != nil {
			up := below(value, b.upper, b.withoutUp)
			if ok != nil {
				up = ok.LogicalAnd(up)
			}
			ok = up
		}
		if b.whole {
			ok = isWhole(value).LogicalAnd(ok)
		}
		return ok
	})
}

// String formats the constraint as Python does.
func (b *Bounded) String() string {
	b.mustBeMade("String")
	if b.vector {
		return b.name + "()" // Python does not print the bound of a Multinomial
	}
	var parts []string
	if b.lower != nil {
		parts = append(parts, "lower_bound="+boundText(b.lower))
	}
	if b.upper != nil {
		parts = append(parts, "upper_bound="+boundText(b.upper))
	}
	return b.name + "(" + strings.Join(parts, ", ") + ")"
}

// mustBeMade returns b, or panics with ErrNil if no function of the package made it.
func (b *Bounded) mustBeMade(method string) *Bounded {
	if b == nil || b.name == "" {
		panic(torch.NewError("constraints.Bounded."+method, torch.ErrNil, "b",
			"the value was not made by a function of the package"))
	}
	return b
}

// bound returns v after a check that it is a tensor or a real number.
func bound(op, arg string, v any) any {
	if opt.IsNil(v) {
		panic(torch.NewError(op, torch.ErrNil, arg, "expected a tensor or a real number, got nil"))
	}
	if t, ok := v.(*torch.Tensor); ok {
		return t
	}
	if r := reflect.ValueOf(v); !r.CanInt() && !r.CanUint() && !r.CanFloat() {
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected a tensor or a real number, got %T", v)))
	}
	return v
}

// above returns value >= bound, or value > bound if the bound is excluded.
func above(value *torch.Tensor, bound any, without bool) *torch.Tensor {
	t, ok := bound.(*torch.Tensor)
	switch {
	case ok && without:
		return value.Gt(t)
	case ok:
		return value.Ge(t)
	case without:
		return value.GtScalar(bound)
	}
	return value.GeScalar(bound)
}

// below returns value <= bound, or value < bound if the bound is excluded.
func below(value *torch.Tensor, bound any, without bool) *torch.Tensor {
	t, ok := bound.(*torch.Tensor)
	switch {
	case ok && without:
		return value.Lt(t)
	case ok:
		return value.Le(t)
	case without:
		return value.LtScalar(bound)
	}
	return value.LeScalar(bound)
}

// boundText formats a bound as Python does: a tensor without dimensions as a number.
// While a step is captured, tensors have no values, so it prints the shape instead.
func boundText(v any) string {
	if t, ok := v.(*torch.Tensor); ok {
		if recording.Current() != nil {
			return fmt.Sprintf("a tensor of shape %v", t.Shape())
		}
		if t.Dim() != 0 {
			return t.String()
		}
		if !t.IsFloatingPoint() {
			return fmt.Sprint(t.ItemInt())
		}
		v = t.Item()
	}
	switch f := v.(type) {
	case float64:
		return tensorfmt.PyFloat(f)
	case float32:
		return tensorfmt.PyFloat(float64(f))
	}
	return fmt.Sprint(v)
}
