package torch

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/gradfn"
)

// RequiresGrad reports whether gradients are recorded for the tensor,
// requires_grad in Python. It panics with ErrNil or ErrClosed for a tensor that
// is nil or closed.
func (t *Tensor) RequiresGrad() bool { return t.info("RequiresGrad(self)").RequiresGrad }

// SetRequiresGrad switches the recording of gradients for a leaf. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrAutograd
// for a tensor that is part of a graph, and with ErrDType for integers.
// Follows the assignment to Tensor.requires_grad.
func (t *Tensor) SetRequiresGrad(on bool) { t.requireGrad("SetRequiresGrad(self)", on) }

// RequiresGrad_ is [Tensor.SetRequiresGrad] and returns t. It panics as
// SetRequiresGrad does. Follows Tensor.requires_grad_.
func (t *Tensor) RequiresGrad_(requiresGrad ...RequiresGrad) *Tensor {
	on := len(requiresGrad) == 0 || bool(requiresGrad[len(requiresGrad)-1])
	t.requireGrad("RequiresGrad_(self)", on)
	return t
}

func (t *Tensor) requireGrad(op string, on bool) {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	r.Status(cgotorch.SetRequiresGrad(r.Ctx, h, on))
}

// IsLeaf reports whether the tensor was made by the program rather than by an
// operator that records gradients, is_leaf in Python. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed.
func (t *Tensor) IsLeaf() bool { return t.info("IsLeaf(self)").IsLeaf }

// GradFn returns the name of the operator that made the tensor in the autograd
// graph, such as "AddBackward0", or ""; the name of grad_fn in Python. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed.
func (t *Tensor) GradFn() string {
	s := cgotorch.GradFnName(t.hold("GradFn(self)", 0))
	t.release()
	return gradfn.Name(s)
}

// Grad returns the accumulated gradient, or nil if there is none yet. The
// result is a handle of its own that shares the gradient's memory, owned by the
// innermost scope, else by the collector: closing it does not touch the
// gradient. It panics with ErrNil or ErrClosed for an unusable t.
func (t *Tensor) Grad() *Tensor {
	const op = "Grad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	return r.Tensor(cgotorch.GetGrad(r.Ctx, h))
}

// SetGrad replaces the accumulated gradient; nil removes it. The gradient
// shares grad's memory from then on. Shape, dtype and device must be t's, unless
// SetGradDType says otherwise of the dtype. It panics with ErrShape, ErrDType or ErrDevice
// if they are not, and with ErrNil or ErrClosed for an unusable t or grad.
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

// GradDType returns the dtype that gradients of the tensor, a leaf, have to have: its
// own one unless SetGradDType said otherwise. The zero DType, None in Python, is any.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrAutograd for one that is no leaf. Follows Tensor.grad_dtype.
func (t *Tensor) GradDType() DType {
	const op = "GradDType(self)"
	code, st := cgotorch.GradDType(t.hold(op, 0))
	t.release()
	if st != 0 {
		panic(statusError(op, st, []*Tensor{t}))
	}
	return DTypeOf(code)
}

// SetGradDType sets the dtype that gradients of the tensor, a leaf, have to have; the
// zero DType is any. Backward converts to it. What expects gradients of the tensor's
// own dtype, such as an optimizer, may refuse others. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrAutograd for one that is no leaf, and with
// ErrDType if there is a gradient of another dtype. Follows Tensor.grad_dtype.
func (t *Tensor) SetGradDType(dtype DType) {
	const op = "SetGradDType(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	r.Status(cgotorch.SetGradDType(r.Ctx, h, dtype.code()))
}

// ZeroGrad removes the gradients of ts, so that the next Backward starts
// afresh. Nil elements are skipped. Optimizers do this for their parameters. It
// panics with ErrClosed for a closed element.
func ZeroGrad(ts ...*Tensor) {
	const op = "ZeroGrad()"
	hs := slices.DeleteFunc(Handles(op, ts, true), func(h abi.Tensor) bool { return h == 0 })
	r := BeginRaw(op)
	r.Use(ts...)
	r.Status(cgotorch.ZeroGrads(r.Ctx, hs, true))
}

// RetainGrad keeps the gradient of a tensor that is no leaf, for Grad to return
// after Backward; on a leaf it does nothing. Follows Tensor.retain_grad. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrAutograd for a tensor that does not require gradients.
func (t *Tensor) RetainGrad() {
	const op = "RetainGrad(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	r.Status(cgotorch.RetainGrad(r.Ctx, h))
}

// RetainsGrad reports whether RetainGrad was called on a tensor that is no
// leaf, retains_grad in Python. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed.
func (t *Tensor) RetainsGrad() bool {
	b := cgotorch.RetainsGrad(t.hold("RetainsGrad(self)", 0))
	t.release()
	return b
}

// TensorVersion returns how often the tensor was changed in place, _version in
// Python. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, and with ErrAutograd for a tensor made in InferenceMode.
func (t *Tensor) TensorVersion() int64 {
	const op = "TensorVersion(self)"
	v, st := cgotorch.TensorVersion(t.hold(op, 0))
	t.release()
	if st != 0 {
		panic(statusError(op, st, []*Tensor{t}))
	}
	return v
}

// SetData makes t look at the memory of data while it keeps its identity,
// gradient and requires-grad flag, tensor.data = data in Python. The two share
// memory from then on, and data stays its owner's to close. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, and with ErrDType for
// integers if t requires gradients.
func (t *Tensor) SetData(data *Tensor) {
	const op = "SetData(self, data)"
	h := t.hold(op, 0) // beyond the crossing: the list of tensors reads the new storage
	defer t.release()
	d := data.handle(op, 1)
	r := BeginRaw(op, t, data)
	r.Status(cgotorch.SetData(r.Ctx, h, d))
	t.entry.Moved()
}

// An AnomalyOption says what [SetDetectAnomaly] looks for: [CheckNaN].
//
//gotorch:options CheckNaN
type AnomalyOption interface{ anomalyOption() }

// CheckNaN says that a NaN in a gradient is a failure, check_nan in Python. The
// default is true.
type CheckNaN bool

// SetDetectAnomaly switches anomaly detection for the whole process and
// returns how to switch it back: Backward then reports which operator of the
// forward pass a failure comes from, and with [CheckNaN] panics with ErrRuntime
// for a NaN. It is slow. It panics with ErrNil for a nil option.
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
