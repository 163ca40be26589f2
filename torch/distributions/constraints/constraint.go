package constraints

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A Constraint is a region of values. Follows torch.distributions.constraints.Constraint.
type Constraint interface {
	// String prints the constraint as Python does.
	fmt.Stringer

	// Check returns a Bool tensor that says of each event of value whether it lies in the
	// region. The last EventDim dimensions of value, which make up an event, are gone. The
	// result is a new tensor, owned by the innermost scope, else by the collector. It
	// panics with ErrNil or ErrClosed for a tensor that is nil or closed, and with
	// ErrShape if value has fewer than EventDim dimensions.
	Check(value *torch.Tensor) *torch.Tensor

	// IsDiscrete reports whether the region is one of separate values, as the whole
	// numbers are.
	IsDiscrete() bool

	// EventDim is how many of the last dimensions of a value make up one event: 0 for
	// numbers, 1 for vectors, 2 for matrices.
	EventDim() int64
}

// need panics with ErrNil or ErrClosed for a value that is nil or closed, and with ErrShape
// for one of fewer than dims dimensions.
func need(op string, value *torch.Tensor, dims int64) {
	if value == nil {
		panic(torch.NewError(op, torch.ErrNil, "value", "expected a tensor, got nil"))
	}
	if value.Dim() < dims {
		panic(torch.NewError(op, torch.ErrShape, "value", fmt.Sprintf("expected at least %d dimensions, got %v", dims, value.Shape())))
	}
}

// needBase panics with ErrNil for a constraint that is nil.
func needBase(op, arg string, c Constraint) {
	if opt.IsNil(c) {
		panic(torch.NewError(op, torch.ErrNil, arg, "expected a constraint, got nil"))
	}
}

// allOfLast joins the last n dimensions of a Bool tensor: true where all of them are.
func allOfLast(x *torch.Tensor, n int64) *torch.Tensor {
	shape := x.Shape()
	kept := append(append([]int64{}, shape[:int64(len(shape))-n]...), shape[int64(len(shape))-n:].Numel())
	return x.Reshape(kept...).All(torch.Dim(-1))
}
