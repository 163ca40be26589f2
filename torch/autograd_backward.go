package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// RetainGraph says whether the graph keeps its saved tensors for another backward pass.
// The default is the value of [CreateGraph]. It is retain_graph in Python.
type RetainGraph bool

// CreateGraph says whether the backward pass itself is recorded, for higher-order
// derivatives. The default is false. It is create_graph in Python.
//
// After a recorded pass, a leaf and its gradient's graph refer to each other. Nothing
// frees them until you remove the gradient with ZeroGrad or SetGrad(nil); the first such
// pass of a process logs a warning. [Grad] returns the gradients instead and makes no
// cycle.
type CreateGraph bool

// Inputs are the leaves that get gradients; Inputs(nil), the default, means all
// leaves. It is inputs in Python. For [Capture], Inputs are the tensors that
// [Graph.Feed] fills.
type Inputs []*Tensor

type gradient struct{ t *Tensor }

// Gradient is the gradient of the tensor that Backward starts from, in the tensor's
// shape. Gradient(nil), the default, stands for 1, which is allowed only if that tensor
// is a scalar. It is gradient in Python.
func Gradient(t *Tensor) BackwardOption { return gradient{t} }

// GradTensors are the gradients of the tensors that [Backward] starts from, one for
// each. A nil element stands for 1, which is allowed only for a scalar.
// GradTensors(nil), the default, means that all elements are nil. It is grad_tensors in
// Python.
type GradTensors []*Tensor

// GradOutputs are the gradients of the outputs of [Grad], one for each. A nil element
// stands for 1, which is allowed only for a scalar. GradOutputs(nil), the default,
// means that all elements are nil. It is grad_outputs in Python.
type GradOutputs []*Tensor

// AllowUnused says whether [Grad] returns nil, instead of panicking, for inputs that the
// outputs do not depend on. The default is the value of [MaterializeGrads]. It is
// allow_unused in Python.
type AllowUnused bool

// MaterializeGrads says whether [Grad] returns zeros instead of nil gradients. The
// default is false. It is materialize_grads in Python.
type MaterializeGrads bool

// A BackwardOption is an option of [Tensor.Backward]: [Gradient],
// [RetainGraph], [CreateGraph] or [Inputs].
//
//gotorch:options gradient RetainGraph CreateGraph Inputs
type BackwardOption interface{ backwardOption() }

// A BackwardAllOption is an option of the function [Backward]: [GradTensors],
// [RetainGraph], [CreateGraph] or [Inputs].
//
//gotorch:options GradTensors RetainGraph CreateGraph Inputs
type BackwardAllOption interface{ backwardAllOption() }

// A GradOption is an option of [Grad]: [GradOutputs], [RetainGraph],
// [CreateGraph], [AllowUnused] or [MaterializeGrads].
//
//gotorch:options GradOutputs RetainGraph CreateGraph AllowUnused MaterializeGrads
type GradOption interface{ gradOption() }

// graphOptions holds the parsed options of a backward pass.
type graphOptions struct {
	grads, inputs                 []*Tensor
	gradient                      *Tensor
	retain, create, unused, zeros bool
	retainGiven, unusedGiven      bool
}

func readGraph[O any](op string, opts []O) (g graphOptions) {
	for _, o := range opts {
		switch o := any(o).(type) {
		case gradient:
			g.gradient = o.t
		case GradTensors:
			g.grads = o
		case GradOutputs:
			g.grads = o
		case RetainGraph:
			g.retain, g.retainGiven = bool(o), true
		case CreateGraph:
			g.create = bool(o)
		case Inputs:
			g.inputs = o
		case AllowUnused:
			g.unused, g.unusedGiven = bool(o), true
		case MaterializeGrads:
			g.zeros = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	if !g.retainGiven {
		g.retain = g.create
	}
	if !g.unusedGiven {
		g.unused = g.zeros
	}
	return g
}

// gradHandles returns the handles of n gradients. A nil gradient has handle 0,
// and a nil grads means n nil gradients.
func gradHandles(op, arg, what string, grads []*Tensor, n int) []abi.Tensor {
	if grads == nil {
		return make([]abi.Tensor, n)
	}
	if len(grads) != n {
		panic(argError(op, ErrValue, arg, fmt.Sprintf("expected a gradient for each of the %[2]d %[3]s, got %[1]d",
			len(grads), n, what)))
	}
	return Handles(op, grads, true)
}

// Backward computes the gradient of a scalar with respect to every leaf that
// requires gradients, and adds it to the leaf's Grad. It frees the graph's
// saved tensors unless [RetainGraph] is given. A tensor that is not a scalar
// needs a [Gradient] of its shape. Follows Tensor.backward.
//
//	loss.Backward()
//	y.Backward(torch.Gradient(g), torch.RetainGraph(true))
//
// It panics with ErrAutograd if the gradient is missing, if the tensor is not
// part of a graph, or if the graph was freed, and with ErrValue for empty
// [Inputs]. Within a transform of package functorch it panics with ErrNotImplemented; use
// [Grad] there. A panic in a hook becomes an *Error too; see Error.PanicValue.
func (t *Tensor) Backward(opts ...BackwardOption) {
	const op = "Backward(self)"
	g := readGraph(op, opts)
	outs := []abi.Tensor{t.handle(op, 0)}
	grads := []abi.Tensor{g.gradient.OptionalHandleFor("Backward(gradient)", 0)}
	g.run(op, outs, grads, t)
}

// Backward computes the sum of the gradients of several tensors. Each must be a
// scalar or have a gradient in [GradTensors]. Without tensors it does nothing.
// It panics as [Tensor.Backward] does, and with ErrValue unless there are as
// many gradients as tensors. Follows torch.autograd.backward.
func Backward(tensors []*Tensor, opts ...BackwardAllOption) {
	const op = "Backward(tensors)"
	g := readGraph(op, opts)
	outs := Handles(op, tensors, false)
	grads := gradHandles("Backward(gradient)", "GradTensors", "tensors", g.grads, len(tensors))
	if len(tensors) == 0 {
		return
	}
	g.run(op, outs, grads, tensors...)
}

func (g *graphOptions) run(op string, outs, grads []abi.Tensor, tensors ...*Tensor) {
	if g.inputs != nil && len(g.inputs) == 0 {
		panic(argError(op, ErrValue, "Inputs", "expected at least one tensor, got none"))
	}
	ins := Handles("Backward(inputs)", g.inputs, false)
	// Hold these tensors here and not with Raw.Use, which would copy the lists to the
	// heap.
	gradient := [...]*Tensor{g.gradient}
	holdAll("Backward(gradient)", gradient[:])
	defer releaseAll(gradient[:])
	holdAll("Backward(gradient)", g.grads)
	defer releaseAll(g.grads)
	holdAll("Backward(inputs)", g.inputs)
	defer releaseAll(g.inputs)
	var r Raw
	defer r.abandon() // a hook may end the goroutine, and then nothing else releases the arguments
	r = BeginRaw(op, tensors...)
	st := cgotorch.Backward(r.Ctx, outs, grads, ins, g.retain, g.create)
	r.Status(st)
	callback.Sweep()
}

// Grad returns the gradients of the sum of the outputs with respect to inputs,
// and does not change the Grad of any tensor. Follows torch.autograd.grad.
//
// It panics with ErrAutograd for an output that is not a scalar and has no
// gradient in [GradOutputs]. It also panics with ErrAutograd for an input that
// the outputs do not depend on, unless [AllowUnused] or [MaterializeGrads] is
// given. It panics with ErrValue for empty lists, for a wrong number of
// gradients, and for AllowUnused(false) with MaterializeGrads(true).
func Grad(outputs, inputs []*Tensor, opts ...GradOption) []*Tensor {
	const op = "Grad(outputs)"
	g := readGraph(op, opts)
	switch {
	case len(outputs) == 0:
		panic(argError(op, ErrValue, "outputs", "expected at least one tensor, got none"))
	case len(inputs) == 0:
		panic(argError(op, ErrValue, "inputs", "expected at least one tensor, got none"))
	case g.zeros && !g.unused:
		panic(argError(op, ErrValue, "AllowUnused", "false contradicts MaterializeGrads(true)"))
	}
	outs, ins := Handles(op, outputs, false), Handles("Grad(inputs)", inputs, false)
	grads := gradHandles("Grad(grad_outputs)", "GradOutputs", "outputs", g.grads, len(outputs))
	res := make([]abi.Tensor, len(inputs))
	holdAll("Grad(inputs)", inputs)
	defer releaseAll(inputs)
	holdAll("Grad(grad_outputs)", g.grads)
	defer releaseAll(g.grads)
	var r Raw
	defer r.abandon() // a hook may end the goroutine, and then nothing else releases the arguments
	r = BeginRaw(op, outputs...)
	st := cgotorch.Grad(r.Ctx, outs, grads, ins, g.retain, g.create, true, res)
	r.Status(st)
	callback.Sweep()
	// libtorch reports an unused input too, but not its index.
	if i := slices.Index(res, 0); i >= 0 && !g.unused {
		cgotorch.FreeMany(slices.DeleteFunc(res, func(h abi.Tensor) bool { return h == 0 }))
		panic(argError(op, ErrAutograd, "inputs", fmt.Sprintf(
			"the outputs do not depend on element %d; with AllowUnused(true) its gradient is nil, "+
				"and with MaterializeGrads(true) it is zero", i)))
	}
	ts := r.WrapAll(res)
	if g.zeros {
		for i, t := range ts {
			if t == nil {
				ts[i] = ZerosLike(inputs[i])
			}
		}
	}
	return ts
}
