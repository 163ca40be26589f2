package constraints

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A Constraint is a region of values. Follows torch.distributions.constraints.Constraint.
type Constraint interface {
	// String formats the constraint as Python does.
	fmt.Stringer

	// Check returns a Bool tensor that reports, for each event of value, whether it is
	// in the region. The result lacks the last EventDim dimensions of value, which make
	// up an event. It is a new tensor, owned by the innermost scope or else by the
	// garbage collector. Check panics with ErrNil or ErrClosed for a nil or closed
	// tensor, and with ErrShape if value has fewer than EventDim dimensions.
	Check(value *torch.Tensor) *torch.Tensor

	// IsDiscrete reports whether the region is discrete, like the integers.
	IsDiscrete() bool

	// EventDim returns the number of trailing dimensions of a value that make up one
	// event: 0 for numbers, 1 for vectors, 2 for matrices.
	EventDim() int64
}

// need panics with ErrNil or ErrClosed if value is nil or closed, and with ErrShape if it
// has fewer than dims dimensions.
func need(op string, value *torch.Tensor, dims int64) {
	if value == nil {
		panic(torch.NewError(op, torch.ErrNil, "value", "expected a tensor, got nil"))
	}
	if value.Dim() < dims {
		panic(torch.NewError(op, torch.ErrShape, "value",
			fmt.Sprintf("expected at least %d dimensions, got %v", dims, value.Shape())))
	}
}

// mustBeConstraint panics with ErrNil if c is nil.
func mustBeConstraint(op, arg string, c Constraint) {
	if opt.IsNil(c) {
		panic(torch.NewError(op, torch.ErrNil, arg, "expected a constraint, got nil"))
	}
}

// allOfLast reports whether all elements of a Bool tensor's last n dimensions are true.
func allOfLast(x *torch.Tensor, n int64) *torch.Tensor {
	shape := x.Shape()
	kept := append(append([]int64{}, shape[:int64(len(shape))-n]...), shape[int64(len(shape))-n:].Numel())
	return x.Reshape(kept...).All(torch.Dim(-1))
}
