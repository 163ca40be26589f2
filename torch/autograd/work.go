package autograd

import (
	"fmt"

	layers "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// work is one call of a function of this package.
type work struct {
	settings
	op string
}

// begin checks the function and the inputs that the caller passed.
func (w work) begin(fn Func, inputs []*torch.Tensor) {
	if fn == nil {
		panic(torch.NilFunc(w.op, "fn"))
	}
	if layers.Depth() > 0 {
		panic(torch.NewError(w.op, torch.ErrNotImplemented, "fn",
			"the function cannot run within a functional transform; use functorch.Jacrev and similar functions"))
	}
	if len(inputs) == 0 {
		panic(torch.NewError(w.op, torch.ErrValue, "inputs", "expected at least one tensor"))
	}
	torch.Handles(w.op+"(inputs)", inputs, false)
	for i, t := range inputs {
		if d := t.DType(); !d.IsFloatingPoint() && !d.IsComplex() {
			panic(torch.NewError(w.op, torch.ErrDType, "inputs", fmt.Sprintf("expected floating-point or complex "+
				"numbers, but element %d has dtype %v, which has no gradients", i, d)))
		}
	}
	if torch.IsInferenceMode() {
		panic(torch.NewError(w.op, torch.ErrAutograd, "inputs", "InferenceMode disables automatic differentiation"))
	}
}

// leaves returns the tensors that fn is called with: detached leaf tensors, or views in
// the graph of the caller if create is set and an input requires gradients.
func (w work) leaves(inputs []*torch.Tensor, create bool) []*torch.Tensor {
	own := make([]*torch.Tensor, len(inputs))
	for i, t := range inputs {
		if create && t.RequiresGrad() {
			own[i] = t.ViewAs(t)
		} else {
			own[i] = t.Detach().RequiresGrad_()
		}
	}
	return own
}

// run calls the function, and checks its results.
func (w work) run(fn Func, x []*torch.Tensor) []*torch.Tensor {
	outs := fn(x...)
	if len(outs) == 0 {
		panic(torch.NewError(w.op, torch.ErrValue, "fn", "the function returned no tensors"))
	}
	torch.Handles(w.op+"(result)", outs, false)
	w.depend("result", outs)
	return outs
}

// depend panics in strict mode unless all of ts require gradients.
func (w work) depend(what string, ts []*torch.Tensor) {
	if !w.strict {
		return
	}
	for i, t := range ts {
		if t == nil || !t.RequiresGrad() {
			panic(torch.NewError(w.op, torch.ErrAutograd, "fn",
				fmt.Sprintf("%s %d does not depend on the inputs, which Strict refuses", what, i)))
		}
	}
}

// grads returns the gradients of outs with respect to leaves, or nil for a leaf without
// a gradient.
func grads(outs, leaves, v []*torch.Tensor, create bool) []*torch.Tensor {
	var by, with []*torch.Tensor
	for i, o := range outs {
		if o != nil && o.RequiresGrad() {
			by = append(by, o)
			if v != nil {
				with = append(with, v[i])
			}
		}
	}
	if len(by) == 0 {
		return make([]*torch.Tensor, len(leaves))
	}
	return torch.Grad(by, leaves, torch.GradOutputs(with), torch.RetainGraph(true), torch.CreateGraph(create),
		torch.AllowUnused(true))
}

// blame holds the errors of strict mode: for a missing derivative and for a constant
// derivative. Both contain %d for the index of the input or result.
type blame struct{ missing, constant string }

// perInput returns the errors for derivatives with respect to each input. what names the
// differentiated value, such as "the result".
func perInput(what string) blame {
	return blame{
		what + " does not depend on input %d",
		"the derivative of " + what + " with respect to input %d is constant",
	}
}

// perResult has the errors for the derivatives of each result.
var perResult = blame{"result %d does not depend on the inputs", "the derivative of result %d is constant"}

// filled replaces missing derivatives with zeros. In strict mode a missing derivative is
// an error, and so is a constant derivative that should have a graph.
func (w work) filled(got, like []*torch.Tensor, b blame) []*torch.Tensor {
	out := make([]*torch.Tensor, len(got))
	for i, g := range got {
		switch {
		case g == nil && w.strict:
			panic(torch.NewError(w.op, torch.ErrAutograd, "fn", fmt.Sprintf(b.missing, i)+", which Strict refuses"))
		case g == nil:
			out[i] = torch.ZerosLike(like[i])
		case w.strict && w.create && !g.RequiresGrad():
			panic(torch.NewError(w.op, torch.ErrAutograd, "fn",
				fmt.Sprintf(b.constant, i)+", which Strict refuses here"))
		default:
			out[i] = g
		}
	}
	return out
}

// finish detaches ts unless CreateGraph is set.
func (w work) finish(ts []*torch.Tensor) []*torch.Tensor {
	if w.create {
		return ts
	}
	out := make([]*torch.Tensor, len(ts))
	for i, t := range ts {
		out[i] = t.Detach()
	}
	return out
}

// vector checks v, the vector of a product. It needs one tensor for each tensor in like.
// If like is a single number, a nil v stands for the number one.
func (w work) vector(v, like []*torch.Tensor) []*torch.Tensor {
	if v == nil {
		if len(like) != 1 || like[0].Numel() != 1 {
			panic(torch.NewError(w.op, torch.ErrValue, "v", "nil is only allowed for a single number"))
		}
		return []*torch.Tensor{torch.OnesLike(like[0])}
	}
	if len(v) != len(like) {
		panic(torch.NewError(w.op, torch.ErrValue, "v", fmt.Sprintf("expected %d tensors, got %d", len(like), len(v))))
	}
	torch.Handles(w.op+"(v)", v, false)
	for i, t := range v {
		if !t.Shape().Equal(like[i].Shape()) {
			panic(torch.NewError(w.op, torch.ErrShape, "v",
				fmt.Sprintf("expected shape %v for element %d, got %v", like[i].Shape(), i, t.Shape())))
		}
	}
	return v
}

// scalar calls a function whose result is a single number.
func (w work) scalar(fn Func, x []*torch.Tensor) *torch.Tensor {
	outs := w.run(fn, x)
	if len(outs) != 1 {
		panic(torch.NewError(w.op, torch.ErrValue, "fn", fmt.Sprintf(
			"expected a function that returns one tensor, got %d tensors", len(outs))))
	}
	if outs[0].Numel() != 1 {
		panic(torch.NewError(w.op, torch.ErrShape, "fn",
			fmt.Sprintf("expected a function that returns a single number, got shape %v", outs[0].Shape())))
	}
	return outs[0]
}

// do runs fn with gradients enabled, and frees all tensors that it makes except its
// results.
func do(fn func() []*torch.Tensor) []*torch.Tensor {
	return torch.TidyAll(func() (out []*torch.Tensor) {
		torch.EnableGrad(func() { out = fn() })
		return out
	})
}
