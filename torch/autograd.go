package torch

import (
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/gradfn"
)

// RequiresGrad reports whether gradients are recorded for the tensor.
func (t *Tensor) RequiresGrad() bool { return t.info("RequiresGrad(self)").RequiresGrad }

// SetRequiresGrad switches the recording of gradients for a leaf and returns
// it, requires_grad_ in Python. It panics with ErrAutograd for a tensor that
// is part of a graph, and with ErrRuntime for integers.
func (t *Tensor) SetRequiresGrad(on bool) *Tensor {
	const op = "SetRequiresGrad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op)
	r.Status(cgotorch.SetRequiresGrad(r.Ctx, h, on), t)
	return t
}

// IsLeaf reports whether the tensor was made by the program rather than by an
// operator that records gradients.
func (t *Tensor) IsLeaf() bool { return t.info("IsLeaf(self)").IsLeaf }

// GradFn returns the name of the operator that made the tensor in the autograd
// graph, such as "AddBackward0", or "".
func (t *Tensor) GradFn() string {
	s := cgotorch.GradFnName(t.handle("GradFn(self)", 0))
	runtime.KeepAlive(t)
	return gradfn.Name(s)
}

// Grad returns the accumulated gradient, or nil if there is none yet. The
// result is a handle of its own on the same memory, owned like any new tensor:
// closing it does not touch the gradient.
func (t *Tensor) Grad() *Tensor {
	const op = "Grad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op)
	return r.Tensor(cgotorch.GetGrad(r.Ctx, h), t)
}

// SetGrad replaces the accumulated gradient; nil removes it. The gradient
// shares grad's memory from then on. Shape, dtype and device must be t's.
func (t *Tensor) SetGrad(grad *Tensor) {
	const op = "SetGrad(self, grad)"
	h := t.handle(op, 0)
	g := abi.Tensor(0)
	if grad != nil {
		g = grad.handle(op, 1)
	}
	r := BeginRaw(op)
	r.Status(cgotorch.SetGrad(r.Ctx, h, g), t, grad)
}

// ZeroGrad removes the gradients of ts, so that the next Backward starts
// afresh. Nil elements are skipped. Optimizers do this for their parameters.
func ZeroGrad(ts ...*Tensor) {
	const op = "ZeroGrad()"
	hs := make([]abi.Tensor, 0, len(ts))
	for i, t := range ts {
		if t != nil {
			hs = append(hs, t.handle(op, i))
		}
	}
	r := BeginRaw(op)
	r.Status(cgotorch.ZeroGrads(r.Ctx, hs, true))
	runtime.KeepAlive(ts)
}

// RetainGrad keeps the gradient of a tensor that is no leaf, for Grad to
// return after Backward.
func (t *Tensor) RetainGrad() {
	const op = "RetainGrad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op)
	r.Status(cgotorch.RetainGrad(r.Ctx, h), t)
}

// RetainsGrad reports whether RetainGrad was called on a tensor that is no
// leaf.
func (t *Tensor) RetainsGrad() bool {
	b := cgotorch.RetainsGrad(t.handle("RetainsGrad(self)", 0))
	runtime.KeepAlive(t)
	return b
}

// TensorVersion returns how often the tensor was changed in place, _version in
// Python.
func (t *Tensor) TensorVersion() int64 {
	const op = "TensorVersion(self)"
	v, st := cgotorch.TensorVersion(t.handle(op, 0))
	if st != 0 {
		panic(statusError(op, st, []*Tensor{t}))
	}
	runtime.KeepAlive(t)
	return v
}

// SetData makes t look at the memory of data while it keeps its identity,
// gradient and requires-grad flag, tensor.data = data in Python.
func (t *Tensor) SetData(data *Tensor) {
	const op = "SetData(self, data)"
	h, d := t.handle(op, 0), data.handle(op, 1)
	r := BeginRaw(op)
	r.Status(cgotorch.SetData(r.Ctx, h, d), t, data)
}

// BackwardOptions are the rarer arguments of [Tensor.BackwardWith].
type BackwardOptions struct {
	Gradient    *Tensor   // of the tensor itself; nil: 1, for a scalar
	RetainGraph bool      // keep the graph for another Backward
	CreateGraph bool      // record the backward pass, for derivatives of higher order
	Inputs      []*Tensor // accumulate into these leaves only; nil: into all
}

// Backward computes the gradient of a scalar with respect to every leaf that
// requires one and adds it to the leaf's Grad. It frees the graph's saved
// tensors. It panics with ErrAutograd if the tensor is no scalar or part of no
// graph, and passes on what a hook panicked with (Error.PanicValue).
func (t *Tensor) Backward() { t.BackwardWith(BackwardOptions{}) }

// BackwardWith is Backward with options.
func (t *Tensor) BackwardWith(o BackwardOptions) {
	Backward([]*Tensor{t}, []*Tensor{o.Gradient}, o)
}

// Backward computes the sum of the gradients of several tensors, as Python's
// torch.autograd.backward. grads holds a gradient, or nil, for each; a nil
// grads means all nil. The Gradient of the options is not used.
func Backward(ts, grads []*Tensor, o BackwardOptions) {
	const op = "Backward(self)"
	if grads != nil && len(grads) != len(ts) {
		panic(argError(op, ErrValue, "grads", fmt.Sprintf("%d gradients for %d tensors", len(grads), len(ts))))
	}
	outs, gs, ins := Handles(op, ts, false), Handles("Backward(gradient)", grads, true), Handles("Backward(inputs)", o.Inputs, false)
	if len(ts) == 0 {
		return
	}
	if len(gs) == 0 {
		gs = make([]abi.Tensor, len(ts))
	}
	r := BeginRaw(op)
	st := cgotorch.Backward(r.Ctx, outs, gs, ins, o.RetainGraph || o.CreateGraph, o.CreateGraph)
	runtime.KeepAlive(grads)
	runtime.KeepAlive(o.Inputs)
	r.Status(st, ts...)
	sweepCallbacks()
}

// GradOptions are the rarer arguments of [Grad].
type GradOptions struct {
	GradOutputs []*Tensor // gradients of the outputs; nil: ones, for scalars
	RetainGraph bool      // keep the graph for another pass
	CreateGraph bool      // record the pass, for derivatives of higher order
	AllowUnused bool      // nil for inputs that the outputs do not depend on, instead of a panic
}

// Grad returns the gradients of the outputs' sum with respect to inputs, and
// touches no Grad field. Entries are nil for unused inputs if the options
// allow them. Follows torch.autograd.grad.
func Grad(outputs, inputs []*Tensor, o GradOptions) []*Tensor {
	const op = "Grad(outputs)"
	if o.GradOutputs != nil && len(o.GradOutputs) != len(outputs) {
		panic(argError(op, ErrValue, "GradOutputs", fmt.Sprintf("%d gradients for %d outputs", len(o.GradOutputs), len(outputs))))
	}
	if len(outputs) == 0 {
		panic(argError(op, ErrValue, "outputs", "an empty list"))
	}
	if len(inputs) == 0 {
		panic(argError(op, ErrValue, "inputs", "an empty list"))
	}
	outs, ins, gs := Handles(op, outputs, false), Handles("Grad(inputs)", inputs, false), Handles(op, o.GradOutputs, true)
	if len(gs) == 0 {
		gs = make([]abi.Tensor, len(outs))
	}
	res := make([]abi.Tensor, len(inputs))
	r := BeginRaw(op)
	st := cgotorch.Grad(r.Ctx, outs, gs, ins, o.RetainGraph || o.CreateGraph, o.CreateGraph, o.AllowUnused, res)
	runtime.KeepAlive(inputs)
	runtime.KeepAlive(o.GradOutputs)
	r.Status(st, outputs...)
	sweepCallbacks()
	return r.WrapAll(res)
}

// SetDetectAnomaly switches anomaly detection for the whole process and
// returns how to switch it back: Backward then reports which operator of the
// forward pass a failure or, with checkNaN, a NaN comes from. It is slow.
// Follows torch.autograd.set_detect_anomaly.
func SetDetectAnomaly(enabled, checkNaN bool) (restore func()) {
	was, checked := cgotorch.Anomaly()
	cgotorch.SetAnomaly(enabled, checkNaN)
	return func() { cgotorch.SetAnomaly(was, checked) }
}
