package torch

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/gradfn"
)

// RequiresGrad reports whether autograd records operators on the tensor.
// Follows Tensor.requires_grad.
func (t *Tensor) RequiresGrad() bool { return t.info("RequiresGrad(self)").RequiresGrad }

// SetRequiresGrad turns recording on or off for a leaf. It panics with
// ErrAutograd for a tensor that is part of a graph, and with ErrDType for
// integers. Follows the assignment to Tensor.requires_grad.
func (t *Tensor) SetRequiresGrad(on bool) { t.requireGrad("SetRequiresGrad(self)", on) }

// RequiresGrad_ calls [Tensor.SetRequiresGrad], with true by default, and
// returns t. It panics as SetRequiresGrad does. Follows Tensor.requires_grad_.
func (t *Tensor) RequiresGrad_(requiresGrad ...RequiresGrad) *Tensor {
	on := bool(lastOf(requiresGrad, true))
	t.requireGrad("RequiresGrad_(self)", on)
	return t
}

func (t *Tensor) requireGrad(op string, on bool) {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	r.Status(cgotorch.SetRequiresGrad(r.Ctx, h, on))
}

// IsLeaf reports whether the tensor is a leaf of the autograd graph: made by
// the program, not by a recorded operator. Follows Tensor.is_leaf.
func (t *Tensor) IsLeaf() bool { return t.info("IsLeaf(self)").IsLeaf }

// GradFn returns the name of the recorded operator that made the tensor, such
// as "AddBackward0", or "". Follows Tensor.grad_fn.
func (t *Tensor) GradFn() string {
	s := cgotorch.GradFnName(t.hold("GradFn(self)", 0))
	t.release()
	return gradfn.Name(s)
}

// Grad returns the accumulated gradient, or nil if there is none. The result is
// a new handle that shares the gradient's memory; closing it does not change
// the gradient. Follows Tensor.grad.
func (t *Tensor) Grad() *Tensor {
	const op = "Grad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	return r.Tensor(cgotorch.GetGrad(r.Ctx, h))
}

// SetGrad replaces the accumulated gradient with grad, whose memory it shares; nil
// removes the gradient. grad must have t's shape, dtype (see [Tensor.SetGradDType]) and
// device. Otherwise it panics with ErrShape, ErrDType or ErrDevice.
func (t *Tensor) SetGrad(grad *Tensor) {
	const op = "SetGrad(self, grad)"
	h := t.handle(op, 0)
	g := abi.Tensor(0)
	if grad != nil {
		g = grad.handle(op, 1)
	}
	r := BeginRaw(op, t, grad)
	r.Status(cgotorch.SetGrad(r.Ctx, h, g))
}

// GradDType returns the dtype of a leaf's gradients: the tensor's own unless
// SetGradDType changed it. The zero DType, None in Python, means any dtype. It
// panics with ErrAutograd if t is not a leaf. Follows Tensor.grad_dtype.
func (t *Tensor) GradDType() DType {
	const op = "GradDType(self)"
	code, st := cgotorch.GradDType(t.hold(op, 0))
	t.release()
	if st != 0 {
		panic(statusError(op, st, []*Tensor{t}))
	}
	return DTypeOf(code)
}

// SetGradDType sets the dtype to which Backward converts a leaf's gradients. The zero
// DType allows any dtype. An optimizer may refuse gradients that do not have the tensor's
// dtype. It panics with ErrAutograd if t is not a leaf, and with ErrDType if t has a
// gradient of a different dtype. Follows Tensor.grad_dtype.
func (t *Tensor) SetGradDType(dtype DType) {
	const op = "SetGradDType(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	r.Status(cgotorch.SetGradDType(r.Ctx, h, dtype.code()))
}

// ZeroGrad removes the gradients of ts, so that the next Backward starts from
// zero. It skips nil elements. For the parameters of an optimizer, use the
// optimizer's ZeroGrad. It panics with ErrClosed for a closed element.
func ZeroGrad(ts ...*Tensor) {
	const op = "ZeroGrad()"
	hs := slices.DeleteFunc(Handles(op, ts, true), func(h abi.Tensor) bool { return h == 0 })
	r := BeginRaw(op)
	r.Use(ts...)
	r.Status(cgotorch.ZeroGrads(r.Ctx, hs, true))
}

// RetainGrad makes Backward store the gradient of a tensor that is not a leaf,
// so that Grad returns it. It does nothing for a leaf. It panics with
// ErrAutograd if t does not require gradients. Follows Tensor.retain_grad.
func (t *Tensor) RetainGrad() {
	const op = "RetainGrad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	r.Status(cgotorch.RetainGrad(r.Ctx, h))
}

// RetainsGrad reports whether RetainGrad was called on a tensor that is not a
// leaf. Follows Tensor.retains_grad.
func (t *Tensor) RetainsGrad() bool {
	b := cgotorch.RetainsGrad(t.hold("RetainsGrad(self)", 0))
	t.release()
	return b
}

// TensorVersion returns how often the tensor was modified in place. It panics
// with ErrAutograd for a tensor made in InferenceMode. Follows Tensor._version.
func (t *Tensor) TensorVersion() int64 {
	const op = "TensorVersion(self)"
	v, st := cgotorch.TensorVersion(t.hold(op, 0))
	t.release()
	if st != 0 {
		panic(statusError(op, st, []*Tensor{t}))
	}
	return v
}

// SetData makes t share the memory of data and keeps t's identity, gradient and
// requires-grad flag. data stays open and keeps its owner. It panics with
// ErrDType for integers if t requires gradients. Follows the assignment to
// Tensor.data.
func (t *Tensor) SetData(data *Tensor) {
	const op = "SetData(self, data)"
	h := t.hold(op, 0) // held until after the native call, because Moved reads the new storage
	defer t.release()
	d := data.handle(op, 1)
	r := BeginRaw(op, t, data)
	r.Status(cgotorch.SetData(r.Ctx, h, d))
	t.entry.Moved()
}

// An AnomalyOption is an option of [SetDetectAnomaly]: [CheckNaN].
//
//gotorch:options CheckNaN
type AnomalyOption interface{ anomalyOption() }

// CheckNaN says whether Backward panics for a NaN in a gradient while anomaly detection
// is on. The default is true. It is check_nan in Python.
type CheckNaN bool

// SetDetectAnomaly turns anomaly detection on or off for the whole process and
// returns a function that restores the previous setting. If it is on, an error
// of Backward names the operator of the forward pass, and with [CheckNaN]
// Backward panics with ErrRuntime for a NaN in a gradient. Anomaly detection is
// slow. It panics with ErrNil for a nil option.
// Follows torch.autograd.set_detect_anomaly.
func SetDetectAnomaly(enabled bool, opts ...AnomalyOption) (restore func()) {
	var check CheckNaN = true
	for _, o := range opts {
		c, ok := o.(CheckNaN)
		if !ok {
			panic(badOption("SetDetectAnomaly()", o))
		}
		check = c
	}
	was, checked := cgotorch.Anomaly()
	cgotorch.SetAnomaly(enabled, bool(check))
	return func() { cgotorch.SetAnomaly(was, checked) }
}
