package functorch

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A Func is a function that transforms take and return. It takes tensors and returns a
// list of tensors. A function literal with this signature is a Func. A Func must not keep
// tensors that it makes: when the function returns, the transform frees them, except the
// results.
type Func func(x ...*torch.Tensor) []*torch.Tensor

// Of makes a Func from a function of one tensor with one result. The Func panics with
// ErrValue unless it is called with one tensor. Of panics with ErrNil for a nil fn.
func Of(fn func(x *torch.Tensor) *torch.Tensor) Func {
	const op = "functorch.Of"
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	return func(x ...*torch.Tensor) []*torch.Tensor {
		if len(x) != 1 {
			panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("expected one tensor, got %d", len(x))))
		}
		return []*torch.Tensor{fn(x[0])}
	}
}

// OfMany makes a Func from a function of several tensors with one result. It panics with
// ErrNil for a nil fn.
func OfMany(fn func(x ...*torch.Tensor) *torch.Tensor) Func {
	if fn == nil {
		panic(torch.NilFunc("functorch.OfMany", "fn"))
	}
	return func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(x...)} }
}

// One calls the function and returns its only result. It panics with ErrValue unless
// there is exactly one result.
func (f Func) One(x ...*torch.Tensor) *torch.Tensor {
	const op = "functorch.Func.One"
	if f == nil {
		panic(torch.NilFunc(op, "f"))
	}
	res := f(x...)
	if len(res) != 1 {
		panic(torch.NewError(op, torch.ErrValue, "f", fmt.Sprintf(
			"expected a function that returns one tensor, got %d tensors", len(res))))
	}
	return res[0]
}

// call runs the function and checks its results. op is the transform, for errors.
func (f Func) call(op string, x []*torch.Tensor) []*torch.Tensor {
	res := f(x...)
	if len(res) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "fn", "the function returned no tensors"))
	}
	torch.Handles(op+"(result)", res, false)
	return res
}

// arguments checks the arguments with which a transformed function is called.
func arguments(op string, x []*torch.Tensor) {
	if len(x) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "x", "expected at least one tensor"))
	}
	torch.Handles(op+"(x)", x, false)
}

// chosen returns the tensors at the positions args, with respect to which the derivative is taken.
func chosen(op string, x []*torch.Tensor, args []int) []*torch.Tensor {
	var ts []*torch.Tensor
	for _, i := range position(op, args, len(x)) {
		if d := x[i].DType(); !d.IsFloatingPoint() && !d.IsComplex() {
			panic(torch.NewError(op, torch.ErrDType, "x", fmt.Sprintf("expected floating-point or complex "+
				"numbers, but element %d has dtype %v, which has no gradients", i, d)))
		}
		ts = append(ts, x[i])
	}
	return ts
}

// position converts args, positions in a list of n elements, so that none is negative.
// It panics with ErrIndex or ErrValue for invalid ones.
func position(op string, args []int, n int) []int {
	var at []int
	seen := map[int]bool{}
	for _, i := range args {
		wrapped := i
		if i < 0 {
			wrapped += n
		}
		if wrapped < 0 || wrapped >= n {
			panic(torch.NewError(op, torch.ErrIndex, "ArgNums",
				fmt.Sprintf("%d is out of range for %d arguments", i, n)))
		}
		if seen[wrapped] {
			panic(torch.NewError(op, torch.ErrValue, "ArgNums", fmt.Sprintf("%d is listed twice", i)))
		}
		seen[wrapped] = true
		at = append(at, wrapped)
	}
	if len(at) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "ArgNums", "expected at least one number"))
	}
	return at
}

// with returns a copy of x in which ts replace the tensors whose positions are in at.
func with(x []*torch.Tensor, at []int, ts []*torch.Tensor) []*torch.Tensor {
	all := append([]*torch.Tensor(nil), x...)
	for i, p := range at {
		all[p] = ts[i]
	}
	return all
}
