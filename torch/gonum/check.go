package gonum

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// checkDense panics unless x is a dense tensor with numbers and without gradients, of so many
// dimensions, and of sizes that a matrix may have. It returns its shape.
func checkDense(op string, x *torch.Tensor, dims int) torch.Shape {
	switch {
	case x == nil:
		panic(torch.NewError(op, torch.ErrNil, "x", "a nil tensor"))
	case x.IsClosed():
		panic(torch.NewError(op, torch.ErrClosed, "x", "used after Close"))
	case x.Layout() != torch.Strided || x.IsNested():
		panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("expected a dense tensor, got the layout %v", x.Layout())))
	case x.Device().Type() == "meta":
		panic(torch.NewError(op, torch.ErrDevice, "x", "a tensor on meta has no numbers"))
	case x.RequiresGrad():
		panic(torch.NewError(op, torch.ErrAutograd, "x", "it requires gradients, and gonum's results have none; use x.Detach()"))
	}
	shape := x.Shape()
	if len(shape) != dims {
		panic(torch.NewError(op, torch.ErrShape, "x", fmt.Sprintf("expected %d dimensions, got the shape %v", dims, shape)))
	}
	if dims == 2 && (shape[0] == 0) != (shape[1] == 0) {
		panic(torch.NewError(op, torch.ErrShape, "x", fmt.Sprintf("gonum has no matrices of the shape %v", shape)))
	}
	return shape
}

// checkSquare is checkDense for square matrices. It returns how many rows there are.
func checkSquare(op string, x *torch.Tensor) int {
	shape := checkDense(op, x, 2)
	if shape[0] != shape[1] {
		panic(torch.NewError(op, torch.ErrShape, "x", fmt.Sprintf("expected a square matrix, got the shape %v", shape)))
	}
	return int(shape[0])
}

// checkDType panics unless ok says that the dtype fits.
func checkDType(op string, x *torch.Tensor, ok bool, want string) {
	if !ok {
		panic(torch.NewError(op, torch.ErrDType, "x", fmt.Sprintf("expected %s, got %v; convert it with x.To", want, x.DType())))
	}
}

// checkGiven panics for a matrix that is nil, or an interface around nil.
func checkGiven(op string, a any) {
	if v := reflect.ValueOf(a); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(torch.NewError(op, torch.ErrNil, "a", "a nil matrix"))
	}
}
