package functorch

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// A VJPFunc computes vector-Jacobian products of a function: it multiplies vectors with
// the Jacobian from the left. [VJP] returns it. Until it is closed or garbage collected,
// it keeps the tensors that the function saved for its derivative.
type VJPFunc struct {
	leaves, results []*torch.Tensor // the inputs and results of fn, as tensors of a layer that has been popped
	outs            []*torch.Tensor // the results without the layer; cotangents must have their shapes and dtypes
	done            bool
}

// VJP runs fn on primals. It returns fn's results and a [VJPFunc], which computes the
// gradients with respect to all primals. The caller owns both. Close the VJPFunc to free
// its memory early.
//
//	y, vjp := functorch.VJP(fn, []*torch.Tensor{x})
//	grads := vjp.Apply(torch.OnesLike(y[0]))
//
// It panics with ErrNil for a nil fn; with ErrValue for an empty list; with ErrDType for
// integers; with ErrNil or ErrClosed for a nil or closed tensor; with ErrAutograd within
// InferenceMode; and if fn panics. Follows torch.func.vjp.
func VJP(fn Func, primals []*torch.Tensor) ([]*torch.Tensor, *VJPFunc) {
	const op = "functorch.VJP"
	checkFunc(op, fn)
	arguments(op, primals)
	all := every(len(primals))
	chosen(op, primals, all)
	return pullback(op, fn, primals, all)
}

// every returns the positions of all n arguments.
func every(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// pullback implements VJP. It differentiates with respect to the arguments whose
// positions are in at.
func pullback(op string, fn Func, x []*torch.Tensor, at []int) ([]*torch.Tensor, *VJPFunc) {
	v := &VJPFunc{}
	outs := within(op, native.Grad, 0, 0, func(l layer) (out []*torch.Tensor) {
		torch.EnableGrad(func() {
			all, leaves := l.leaves(x, at)
			res := fn.call(op, all)
			out = l.below(res)
			// The VJPFunc needs separate handles, because the program may close the
			// tensors that fn returned.
			v.results, v.leaves = l.own(res), l.own(leaves)
			v.outs = l.own(out)
		})
		return out
	})
	return outs, v
}

// own returns new handles of ts that no scope owns.
func (l layer) own(ts []*torch.Tensor) []*torch.Tensor {
	const none = -1 // a level that no layer has
	out := layer{l.op, none}.below(ts)
	for _, t := range out {
		torch.Disown(t)
	}
	return out
}

// Apply returns the gradient with respect to each primal. cotangents are the gradients
// with respect to each result. Apply may be called any number of times, and is itself a
// [Func]. If gradients are enabled, its results can be differentiated. It panics with
// ErrValue for a wrong number of cotangents; with ErrShape or ErrDType for a cotangent
// that does not match its result; with ErrNil or ErrClosed for a nil or closed tensor;
// and with ErrClosed after Close.
func (v *VJPFunc) Apply(cotangents ...*torch.Tensor) []*torch.Tensor {
	const op = "functorch.VJPFunc.Apply"
	switch {
	case v == nil || v.leaves == nil && !v.done:
		panic(torch.NewError(op, torch.ErrNil, "v", "the VJPFunc was not made by functorch.VJP"))
	case v.done:
		panic(torch.NewError(op, torch.ErrClosed, "v", "the VJPFunc is closed"))
	case len(cotangents) != len(v.outs):
		panic(torch.NewError(op, torch.ErrValue, "cotangents",
			fmt.Sprintf("expected %d, one for each result, got %d", len(v.outs), len(cotangents))))
	}
	torch.Handles(op+"(cotangents)", cotangents, false)
	for i, c := range cotangents {
		like(op, "cotangents", i, c, v.outs[i])
	}
	return torch.TidyAll(func() []*torch.Tensor {
		l := layer{op: op} // the level does not matter, because the layer has been popped
		return l.below(pull(v.results, v.leaves, cotangents, true, torch.IsGradEnabled()))
	})
}

// like panics unless t, element i of argument arg, has the shape and dtype of other.
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
