package constraints_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

func Example() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{-0.5, 0.5, 1.5})
		fmt.Println(constraints.UnitInterval)
		fmt.Println(constraints.UnitInterval.Check(x))
		fmt.Println(constraints.RealVector.Check(x)) // one result for the vector
	})
	// Output:
	// Interval(lower_bound=0.0, upper_bound=1.0)
	// tensor([False,  True, False])
	// tensor(True)
}

func ExampleRegion() {
	torch.Scope(func() {
		m := torch.FromSlice([]float32{2, 1, 1, 2}, 2, 2)
		fmt.Println(constraints.PositiveDefinite.Check(m), constraints.PositiveDefinite.EventDim())
		fmt.Println(constraints.Boolean.IsDiscrete())
	})
	// Output:
	// tensor(True) 2
	// true
}

// A tensor as the upper bound gives each column its own bound.
func ExampleInterval() {
	torch.Scope(func() {
		upper := torch.FromSlice([]float32{1, 2})
		c := constraints.Interval(0.0, upper)
		fmt.Println(c)
		fmt.Println(c.Check(torch.FromSlice([]float32{1.5, 1.5, 0.5, 2.5}, 2, 2)))
	})
	// Output:
	// Interval(lower_bound=0.0, upper_bound=tensor([1., 2.]))
	// tensor([[False,  True],
	//         [ True, False]])
}

func ExampleIndependent() {
	torch.Scope(func() {
		c := constraints.Independent(constraints.Positive, 1)
		fmt.Println(c)
		fmt.Println(c.Check(torch.FromSlice([]float32{1, 2, -1, 2}, 2, 2)))
	})
	// Output:
	// IndependentConstraint(GreaterThan(lower_bound=0.0), 1)
	// tensor([ True, False])
}

func ExampleMixtureSameFamily() {
	torch.Scope(func() {
		c := constraints.MixtureSameFamily(constraints.NonNegative)
		fmt.Println(c)
		fmt.Println(c.Check(torch.FromSlice([]float32{1, -1})))
	})
	// Output:
	// MixtureSameFamilyConstraint(GreaterThanEq(lower_bound=0.0))
	// tensor([ True, False])
}

// The first column is positive, the other two are 0 or 1.
func ExampleCat() {
	torch.Scope(func() {
		c := constraints.Cat([]constraints.Constraint{constraints.Positive, constraints.Boolean}, 1, 1, 2)
		fmt.Println(c.Check(torch.FromSlice([]float32{0.5, 0, 1, -1, 1, 2}, 2, 3)))
	})
	// Output:
	// tensor([[ True,  True,  True],
	//         [False,  True, False]])
}
