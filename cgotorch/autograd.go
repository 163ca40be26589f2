package cgotorch

// #include <stdlib.h>
// #include "autograd.h"
//
// #cgo noescape gt_tensor_get_grad
// #cgo nocallback gt_tensor_get_grad
// #cgo noescape gt_zero_grads
// #cgo nocallback gt_zero_grads
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Backward runs a backward pass; see gt_backward. grads is nil or has one entry per
// output.
func Backward(cx abi.Ctx, outputs, grads, inputs []abi.Tensor, retainGraph, createGraph bool) abi.Status {
	return abi.Status(C.gt_backward(C.gt_ctx(cx), ptr[C.gt_tensor](outputs), ptr[C.gt_tensor](grads),
		C.int64_t(len(outputs)), ptr[C.gt_tensor](inputs), C.int64_t(len(inputs)),
		cbool(retainGraph), cbool(createGraph)))
}

// Grad writes the gradients of outputs with respect to inputs to out, which has one entry
// per input.
func Grad(cx abi.Ctx, outputs, grads, inputs []abi.Tensor, retainGraph, createGraph, allowUnused bool,
	out []abi.Tensor,
) abi.Status {
	return abi.Status(C.gt_grad(C.gt_ctx(cx), ptr[C.gt_tensor](outputs), ptr[C.gt_tensor](grads),
		C.int64_t(len(outputs)), ptr[C.gt_tensor](inputs), C.int64_t(len(inputs)),
		cbool(retainGraph), cbool(createGraph), cbool(allowUnused), ptr[C.gt_tensor](out)))
}

// SetRequiresGrad sets whether the leaf t requires gradients.
func SetRequiresGrad(cx abi.Ctx, t abi.Tensor, on bool) abi.Status {
	return abi.Status(C.gt_tensor_set_requires_grad(C.gt_ctx(cx), C.gt_tensor(t), cbool(on)))
}

// GetGrad returns a new reference to the gradient of t, or zero if t has none.
func GetGrad(cx abi.Ctx, t abi.Tensor) abi.Ret {
	return ret(C.gt_tensor_get_grad(C.gt_ctx(cx), C.gt_tensor(t)))
}

// SetGrad replaces the gradient of t. If grad is zero, it removes the gradient.
func SetGrad(cx abi.Ctx, t, grad abi.Tensor) abi.Status {
	return abi.Status(C.gt_tensor_set_grad(C.gt_ctx(cx), C.gt_tensor(t), C.gt_tensor(grad)))
}

// ZeroGrads removes the gradients of ts or, if setToNone is false, fills them with zeros.
func ZeroGrads(cx abi.Ctx, ts []abi.Tensor, setToNone bool) abi.Status {
	return abi.Status(C.gt_zero_grads(C.gt_ctx(cx), ptr[C.gt_tensor](ts), C.int64_t(len(ts)), cbool(setToNone)))
}

// RetainGrad makes t, which is not a leaf, keep its gradient.
func RetainGrad(cx abi.Ctx, t abi.Tensor) abi.Status {
	return abi.Status(C.gt_tensor_retain_grad(C.gt_ctx(cx), C.gt_tensor(t)))
}

// RetainsGrad reports whether a non-leaf keeps its gradient.
func RetainsGrad(t abi.Tensor) bool { return C.gt_tensor_retains_grad(C.gt_tensor(t)) != 0 }

// SetData replaces the data of t. The tensor keeps its identity.
func SetData(cx abi.Ctx, t, data abi.Tensor) abi.Status {
	return abi.Status(C.gt_tensor_set_data(C.gt_ctx(cx), C.gt_tensor(t), C.gt_tensor(data)))
}

// TensorVersion returns how many times t was modified in place.
func TensorVersion(t abi.Tensor) (int64, abi.Status) {
	var err C.uintptr_t
	v := C.gt_tensor_version(C.gt_tensor(t), &err)
	return int64(v), abi.Status(err)
}

// GradFnName returns the name of the node that created t, or "".
func GradFnName(t abi.Tensor) string { return takeString(C.gt_tensor_grad_fn_name(C.gt_tensor(t))) }

// RegisterHook makes libtorch call Callbacks.Hook with id for each gradient of t. If
// accumulated is set, t must be a leaf. libtorch then calls the hook with id and t
// whenever it has accumulated t's gradient. RegisterHook returns the position for
// RemoveHook.
func RegisterHook(cx abi.Ctx, t abi.Tensor, id int64, accumulated bool) (int64, abi.Status) {
	var pos C.int64_t
	var st C.uintptr_t
	if accumulated {
		st = C.gt_tensor_register_accumulated_hook(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(id), &pos)
	} else {
		st = C.gt_tensor_register_hook(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(id), &pos)
	}
	return int64(pos), abi.Status(st)
}

// RemoveHook removes a hook.
func RemoveHook(cx abi.Ctx, t abi.Tensor, pos int64, accumulated bool) abi.Status {
	if accumulated {
		return abi.Status(C.gt_tensor_remove_accumulated_hook(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(pos)))
	}
	return abi.Status(C.gt_tensor_remove_hook(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(pos)))
}

// GradDType returns the dtype that the gradients of a leaf must have, or -1 if any is
// allowed.
func GradDType(t abi.Tensor) (int8, abi.Status) {
	var err C.uintptr_t
	d := C.gt_tensor_grad_dtype(C.gt_tensor(t), &err)
	return int8(d), abi.Status(err)
}

// SetGradDType sets the dtype that the gradients of a leaf must have.
func SetGradDType(cx abi.Ctx, t abi.Tensor, dtype int8) abi.Status {
	return abi.Status(C.gt_tensor_set_grad_dtype(C.gt_ctx(cx), C.gt_tensor(t), C.int8_t(dtype)))
}

// SetAnomaly turns anomaly detection on or off for the whole process.
func SetAnomaly(enabled, checkNaN bool) { C.gt_set_anomaly(cbool(enabled), cbool(checkNaN)) }

// Anomaly reports whether anomaly detection is on, and whether it checks for NaN.
func Anomaly() (on, checkNaN bool) { return C.gt_anomaly() != 0, C.gt_anomaly_checks_nan() != 0 }

// FunctionCall describes one application of a custom function, after its forward has run.
type FunctionCall struct {
	ID             int64
	Name           string
	Inputs         []abi.Tensor
	Outputs        []abi.Tensor // as returned by forward
	Saved          []abi.Tensor
	NonDiff, Dirty []abi.Tensor
	Materialize    bool
}

// FunctionApply connects the outputs to the graph and writes the connected outputs to
// out.
func FunctionApply(cx abi.Ctx, f FunctionCall, out []abi.Tensor) abi.Status {
	name := C.CString(f.Name)
	defer C.free(unsafe.Pointer(name))
	return abi.Status(C.gt_function_apply(C.gt_ctx(cx), C.int64_t(f.ID), name,
		ptr[C.gt_tensor](f.Inputs), C.int64_t(len(f.Inputs)),
		ptr[C.gt_tensor](f.Outputs), C.int64_t(len(f.Outputs)),
		ptr[C.gt_tensor](f.Saved), C.int64_t(len(f.Saved)),
		ptr[C.gt_tensor](f.NonDiff), C.int64_t(len(f.NonDiff)),
		ptr[C.gt_tensor](f.Dirty), C.int64_t(len(f.Dirty)),
		cbool(f.Materialize), ptr[C.gt_tensor](out)))
}

// FunctionSaved returns a new reference to saved tensor i of the node whose backward
// callback is running.
func FunctionSaved(cx abi.Ctx, node uintptr, i int) abi.Ret {
	r := C.gt_function_saved(C.gt_ctx(cx), C.uintptr_t(node), C.int64_t(i))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func takeString(s *C.char) string {
	if s == nil {
		return ""
	}
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s)
}
