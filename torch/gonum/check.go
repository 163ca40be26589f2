package gonum

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// checkDense panics unless x is a dense tensor with elements, without gradients, with the
// given number of dimensions, and with sizes that a gonum matrix can have. It returns the
// shape.
func checkDense(op string, x *torch.Tensor, dims int) torch.Shape {
	switch {
	case x == nil:
		panic(torch.NewError(op, torch.ErrNil, "x", "a nil tensor"))
	case x.IsClosed():
		panic(torch.NewError(op, torch.ErrClosed, "x", "used after Close"))
	case x.Layout() != torch.Strided || x.IsNested():
		panic(torch.NewError(op, torch.ErrValue, "x",
			fmt.Sprintf("expected a dense tensor, got layout %v", x.Layout())))
	case x.Device().Type() == "meta":
		panic(torch.NewError(op, torch.ErrDevice, "x", "a meta tensor has no elements"))
	case x.RequiresGrad():
		panic(torch.NewError(op, torch.ErrAutograd, "x",
			"the tensor requires gradients, which gonum does not support; use x.Detach()"))
	}
	shape := x.Shape()
	if len(shape) != dims {
		panic(torch.NewError(op, torch.ErrShape, "x", fmt.Sprintf("expected %d dimensions, got shape %v", dims, shape)))
	}
	if dims == 2 && (shape[0] == 0) != (shape[1] == 0) {
		panic(torch.NewError(op, torch.ErrShape, "x",
			fmt.Sprintf("gonum does not support matrices of shape %v", shape)))
	}
	return shape
}

// checkSquare is checkDense for square matrices. It returns the number of rows.
func checkSquare(op string, x *torch.Tensor) int {
	shape := checkDense(op, x, 2)
	if shape[0] != shape[1] {
		panic(torch.NewError(op, torch.ErrShape, "x", fmt.Sprintf("expected a square matrix, got shape %v", shape)))
	}
	return int(shape[0])
}

// checkDType panics with ErrDType unless ok is true.
func checkDType(op string, x *torch.Tensor, ok bool, want string) {
	if !ok {
		panic(torch.NewError(op, torch.ErrDType, "x",
			fmt.Sprintf("expected %s, got %v; convert it with x.To", want, x.DType())))
	}
}

// checkGiven panics if a matrix is nil or a nil pointer in an interface.
func checkGiven(op string, a any) {
	if v := reflect.ValueOf(a); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(torch.NewError(op, torch.ErrNil, "a", "a nil matrix"))
	}
}
