package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// Backward passes and their options.

// RetainGraph keeps the graph's saved tensors for another backward pass.
// retain_graph in Python; what [CreateGraph] says unless given.
type RetainGraph bool

// CreateGraph records the backward pass itself, for derivatives of higher
// order. create_graph in Python, False unless given. A leaf that gets such a gradient holds it,
// and the gradient's graph holds the leaf: neither Close nor a scope nor the collector frees them
// until the gradient is dropped, by ZeroGrad or SetGrad(nil). The first such pass of a
// process warns of that. [Grad] returns the gradients instead, and leaves no cycle.
type CreateGraph bool

// Inputs are the leaves whose gradients are wanted; no others get one.
// Inputs(nil) is None in Python, all leaves. inputs in Python. Of [Capture] they are the tensors
// that [Graph.Feed] fills.
type Inputs []*Tensor

type gradient struct{ t *Tensor }

// Gradient is the gradient of the tensor that Backward starts from, in its
// shape. Gradient(nil) is None in Python, 1 for a scalar. gradient in Python.
func Gradient(t *Tensor) BackwardOption { return gradient{t} }

// GradTensors are the gradients of the tensors that [Backward] starts from, one
// for each, nil for a scalar's 1. GradTensors(nil) is None in Python, nil for
// all. grad_tensors in Python.
type GradTensors []*Tensor

// GradOutputs are the gradients of the outputs of [Grad], one for each, nil for
// a scalar's 1. GradOutputs(nil) is None in Python, nil for all. grad_outputs in
// Python.
type GradOutputs []*Tensor

// AllowUnused lets [Grad] return nil for inputs that the outputs do not depend
// on, instead of a panic. allow_unused in Python; what [MaterializeGrads] says
// unless given.
type AllowUnused bool

// MaterializeGrads has [Grad] return zeros where a gradient would be nil.
// materialize_grads in Python, False unless given.
type MaterializeGrads bool

// A BackwardOption says how [Tensor.Backward] goes: [Gradient], [RetainGraph],
// [CreateGraph], [Inputs].
//
//gotorch:options gradient RetainGraph CreateGraph Inputs
type BackwardOption interface{ backwardOption() }

// A BackwardAllOption says how the function [Backward] goes: [GradTensors],
// [RetainGraph], [CreateGraph], [Inputs].
//
//gotorch:options GradTensors RetainGraph CreateGraph Inputs
type BackwardAllOption interface{ backwardAllOption() }

// A GradOption says how [Grad] goes: [GradOutputs], [RetainGraph],
// [CreateGraph], [AllowUnused], [MaterializeGrads].
//
//gotorch:options GradOutputs RetainGraph CreateGraph AllowUnused MaterializeGrads
type GradOption interface{ gradOption() }

// graphOptions are the options of a backward pass, read.
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

// gradHandles returns the handles of n gradients, zeros where none are given.
func gradHandles(op, arg, what string, grads []*Tensor, n int) []abi.Tensor {
	if grads == nil {
		return make([]abi.Tensor, n)
	}
	if len(grads) != n {
		panic(argError(op, ErrValue, arg, fmt.Sprintf("%d gradients for %d %s", len(grads), n, what)))
	}
	return Handles(op, grads, true)
}

// Backward computes the gradient of a scalar with respect to every leaf that
// requires one and adds it to the leaf's Grad. It frees the graph's saved
// tensors unless [RetainGraph] keeps them. A tensor that is no scalar needs a
// [Gradient] of its shape. It panics with ErrAutograd if it has none, if the
// tensor is part of no graph or the graph was freed, with ErrValue for empty
// [Inputs], with ErrNil or ErrClosed for a tensor that is nil or closed, and
// passes on what a hook panicked with (Error.PanicValue).
// Follows Tensor.backward.
//
//	loss.Backward()
//	y.Backward(torch.Gradient(g), torch.RetainGraph(true))
func (t *Tensor) Backward(opts ...BackwardOption) {
	const op = "Backward(self)"
	g := readGraph(op, opts)
	outs := []abi.Tensor{t.handle(op, 0)}
	grads := []abi.Tensor{g.gradient.OptionalHandleFor("Backward(gradient)", 0)}
	g.run(op, outs, grads, t)
}

// Backward computes the sum of the gradients of several tensors, each a scalar
// or one with a gradient among [GradTensors]. Without tensors it does nothing.
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
		panic(argError(op, ErrValue, "Inputs", "an empty list"))
	}
	ins := Handles("Backward(inputs)", g.inputs, false)
	// Not the Raw's, which would have to copy lists to the heap.
	gradient := [...]*Tensor{g.gradient}
	holdAll("Backward(gradient)", gradient[:])
	defer releaseAll(gradient[:])
	holdAll("Backward(gradient)", g.grads)
	defer releaseAll(g.grads)
	holdAll("Backward(inputs)", g.inputs)
	defer releaseAll(g.inputs)
	var r Raw
	defer r.abandon() // a hook may end the goroutine
	r = BeginRaw(op, tensors...)
	st := cgotorch.Backward(r.Ctx, outs, grads, ins, g.retain, g.create)
	r.Status(st)
	callback.Sweep()
}

// Grad returns the gradients of the outputs' sum with respect to inputs, and
// touches no Grad field. It panics with ErrAutograd for an output that is no
// scalar and has no gradient among [GradOutputs], and for an input that the
// outputs do not depend on unless [AllowUnused] or [MaterializeGrads] is given;
// with ErrValue for empty lists, for another number of gradients than outputs,
// and for AllowUnused(false) together with MaterializeGrads(true). It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed. The results are
// new tensors, owned by the innermost scope, else by the collector.
// Follows torch.autograd.grad.
func Grad(outputs, inputs []*Tensor, opts ...GradOption) []*Tensor {
	const op = "Grad(outputs)"
	g := readGraph(op, opts)
	switch {
	case len(outputs) == 0:
		panic(argError(op, ErrValue, "outputs", "an empty list"))
	case len(inputs) == 0:
		panic(argError(op, ErrValue, "inputs", "an empty list"))
	case g.zeros && !g.unused:
		panic(argError(op, ErrValue, "AllowUnused", "false, which contradicts MaterializeGrads"))
	}
	outs, ins := Handles(op, outputs, false), Handles("Grad(inputs)", inputs, false)
	grads := gradHandles("Grad(grad_outputs)", "GradOutputs", "outputs", g.grads, len(outputs))
	res := make([]abi.Tensor, len(inputs))
	holdAll("Grad(inputs)", inputs)
	defer releaseAll(inputs)
	holdAll("Grad(grad_outputs)", g.grads)
	defer releaseAll(g.grads)
	var r Raw
	defer r.abandon() // a hook may end the goroutine
	r = BeginRaw(op, outputs...)
	st := cgotorch.Grad(r.Ctx, outs, grads, ins, g.retain, g.create, true, res)
	r.Status(st)
	callback.Sweep()
	// libtorch looks for unused inputs at the end as well, and does not say which.
	if i := slices.Index(res, 0); i >= 0 && !g.unused {
		cgotorch.FreeMany(slices.DeleteFunc(res, func(h abi.Tensor) bool { return h == 0 }))
		panic(argError(op, ErrAutograd, "inputs", fmt.Sprintf(
			"the outputs do not depend on element %d; AllowUnused(true) gives nil for it, MaterializeGrads(true) zeros", i)))
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
