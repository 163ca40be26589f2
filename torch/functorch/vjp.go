package functorch

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// A VJPFunc multiplies vectors with the Jacobian of a function, from the left:
// vector-Jacobian products. [VJP] makes it. It holds what the function saved for its
// derivative until it is closed or collected.
type VJPFunc struct {
	leaves, results []*torch.Tensor // of a layer that has ended
	outs            []*torch.Tensor // shapes and dtypes of what was returned
	done            bool
}

// VJP runs fn on primals and returns its results and a [VJPFunc], which computes the
// gradients with respect to all primals. The caller owns the results and the VJPFunc:
// close it to free its memory early.
//
//	y, vjp := functorch.VJP(fn, []*torch.Tensor{x})
//	grads := vjp.Apply(torch.OnesLike(y[0]))
//
// It panics with ErrNil for a nil fn; with ErrValue for an empty list; with ErrDType for
// integers; with ErrNil or ErrClosed for a nil or closed tensor; with ErrAutograd within
// InferenceMode; and with the panics of fn. Follows torch.func.vjp.
func VJP(fn Func, primals []*torch.Tensor) ([]*torch.Tensor, *VJPFunc) {
	const op = "functorch.VJP"
	checkFunc(op, fn)
	arguments(op, primals)
	all := every(len(primals))
	chosen(op, primals, all)
	return pullback(op, fn, primals, all)
}

// every returns the positions of n arguments.
func every(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// pullback is VJP by the arguments at some positions.
func pullback(op string, fn Func, x []*torch.Tensor, at []int) ([]*torch.Tensor, *VJPFunc) {
	v := &VJPFunc{}
	outs := within(op, native.Grad, 0, 0, func(l layer) (out []*torch.Tensor) {
		torch.EnableGrad(func() {
			all, leaves := l.leaves(x, at)
			res := fn.call(op, all)
			out = l.below(res)
			// Handles of their own: a result may be a tensor that lives elsewhere, and is
			// closed there.
			v.results, v.leaves = l.own(res), l.own(leaves)
			v.outs = l.own(out)
		})
		return out
	})
	return outs, v
}

// own returns further handles of ts that no scope owns.
func (l layer) own(ts []*torch.Tensor) []*torch.Tensor {
	const none = -1 // a level that no layer has
	out := layer{l.op, none}.below(ts)
	for _, t := range out {
		torch.Disown(t)
	}
	return out
}

// Apply returns the gradients with respect to each primal, given the gradients with
// respect to each result, cotangents. It may be called any number of times, is a [Func],
// and its results are recorded if gradients are enabled. It panics with ErrValue for a
// wrong number of cotangents; with ErrShape or ErrDType for one that does not match its
// result; with ErrNil or ErrClosed for a nil or closed tensor; and with ErrClosed after
// Close.
func (v *VJPFunc) Apply(cotangents ...*torch.Tensor) []*torch.Tensor {
	const op = "functorch.VJPFunc.Apply"
	switch {
	case v == nil || v.leaves == nil && !v.done:
		panic(torch.NewError(op, torch.ErrNil, "v", "a VJPFunc that was not made by functorch.VJP"))
	case v.done:
		panic(torch.NewError(op, torch.ErrClosed, "v", "it was closed by Close"))
	case len(cotangents) != len(v.outs):
		panic(torch.NewError(op, torch.ErrValue, "cotangents",
			fmt.Sprintf("expected %d, one for each result, got %d", len(v.outs), len(cotangents))))
	}
	torch.Handles(op+"(cotangents)", cotangents, false)
	for i, c := range cotangents {
		like(op, "cotangents", i, c, v.outs[i])
	}
	return torch.TidyAll(func() []*torch.Tensor {
		l := layer{op: op} // ended
		return l.below(pull(v.results, v.leaves, cotangents, true, torch.IsGradEnabled()))
	})
}

// like panics unless element i of an argument has the shape and dtype of another tensor.
func like(op, arg string, i int, t, other *torch.Tensor) {
	if !t.Shape().Equal(other.Shape()) {
		panic(torch.NewError(op, torch.ErrShape, arg,
			fmt.Sprintf("expected shape %v for element %d, got %v", other.Shape(), i, t.Shape())))
	}
	if t.DType() != other.DType() {
		panic(torch.NewError(op, torch.ErrDType, arg,
			fmt.Sprintf("expected dtype %v for element %d, got %v", other.DType(), i, t.DType())))
	}
}

// Close frees the saved graph. Closing again does nothing.
func (v *VJPFunc) Close() error {
	if v == nil || v.done {
		return nil
	}
	v.done = true
	for _, ts := range [][]*torch.Tensor{v.results, v.leaves, v.outs} {
		for _, t := range ts {
			_ = t.Close()
		}
	}
	return nil
}
