package distributions

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// These functions do arithmetic on two operands. One of them may be a number; the other
// is a tensor. With these functions, formulas read like Python's.

func plus(a, b any) *torch.Tensor {
	x, isTensor := a.(*torch.Tensor)
	if !isTensor {
		return b.(*torch.Tensor).AddScalar(a)
	}
	if y, ok := b.(*torch.Tensor); ok {
		return x.Add(y)
	}
	return x.AddScalar(b)
}

func minus(a, b any) *torch.Tensor {
	x, isTensor := a.(*torch.Tensor)
	if !isTensor {
		return b.(*torch.Tensor).RSubScalar(a)
	}
	if y, ok := b.(*torch.Tensor); ok {
		return x.Sub(y)
	}
	return x.SubScalar(b)
}

func times(a, b any) *torch.Tensor {
	x, isTensor := a.(*torch.Tensor)
	if !isTensor {
		return b.(*torch.Tensor).MulScalar(a)
	}
	if y, ok := b.(*torch.Tensor); ok {
		return x.Mul(y)
	}
	return x.MulScalar(b)
}

func over(a, b any) *torch.Tensor {
	x, isTensor := a.(*torch.Tensor)
	if !isTensor {
		return b.(*torch.Tensor).Reciprocal().MulScalar(a)
	}
	if y, ok := b.(*torch.Tensor); ok {
		return x.Div(y)
	}
	return x.DivScalar(b)
}

// sumRightmost returns the sums of x over its last n dimensions.
func sumRightmost(x *torch.Tensor, n int64) *torch.Tensor {
	if n == 0 {
		return x
	}
	shape := x.Shape()
	kept := max(int64(len(shape))-n, 0)
	return x.Reshape(append(append([]int64{}, shape[:kept]...), shape[kept:].Numel())...).Sum(torch.Dim(-1))
}

// shapeOf returns the shape of a tensor, and the empty shape for a number.
func shapeOf(v any) torch.Shape {
	if t, ok := v.(*torch.Tensor); ok {
		return t.Shape()
	}
	return torch.Shape{}
}

// mustBeTensorOrNumber panics with ErrNil or ErrClosed for a nil or closed tensor, and with
// ErrType if v is neither a tensor nor a real number.
func mustBeTensorOrNumber(op, arg string, v any) {
	if t, ok := v.(*torch.Tensor); ok {
		t.HandleFor(op+"("+arg+")", 0)
		return
	}
	if opt.IsNil(v) {
		panic(torch.NewError(op, torch.ErrNil, arg, "expected a tensor or a number, got nil"))
	}
	if r := reflect.ValueOf(v); !r.CanInt() && !r.CanUint() && !r.CanFloat() {
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected a tensor or a real number, got %T", v)))
	}
}
