// Package optim is the native half of the optimizers. One call performs a step for all
// parameters of a group, or removes or clips their gradients. It is a separate cgo
// package, so that changing it recompiles little code. Programs use package optim in the
// root of the module.
package optim

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare
#cgo LDFLAGS: -ldl -lm
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback cos
#cgo nocallback log
#cgo nocallback pow
#cgo noescape gt_zero_grad
#cgo nocallback gt_zero_grad
#cgo noescape gt_clip_grad_norm
#cgo nocallback gt_clip_grad_norm
#cgo noescape gt_grad_norm
#cgo nocallback gt_grad_norm
#cgo noescape gt_clip_grad_value
#cgo nocallback gt_clip_grad_value
#include <math.h>

#include "optim.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Group contains the parameters of a group and the state tensors of each parameter. A
// missing tensor is zero. A step creates missing state, and writes its handles to State;
// the caller owns them.
type Group struct {
	Params, State []abi.Tensor
}

// How contains options for running a step. Foreach and Fused select the implementation as
// in Python: -1 for None, 0 for false, 1 for true. GradScale and FoundInf are the tensors
// of a gradient scaler, or zero.
type How struct {
	Foreach, Fused      int32
	GradScale, FoundInf abi.Tensor
}

func (h *How) native() C.gt_how {
	return C.gt_how{
		foreach: C.int32_t(h.Foreach), fused: C.int32_t(h.Fused),
		grad_scale: C.gt_tensor(h.GradScale), found_inf: C.gt_tensor(h.FoundInf),
	}
}

// ZeroGrad removes the gradients of params or, if setToNone is false, fills them with
// zeros.
func ZeroGrad(cx abi.Ctx, params []abi.Tensor, setToNone bool) abi.Status {
	return abi.Status(C.gt_zero_grad(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.int(flag(setToNone))))
}

// ClipGradNorm scales the gradients of params so that their total norm is at most maxNorm. It
// returns the norm before scaling.
func ClipGradNorm(cx abi.Ctx, params []abi.Tensor, maxNorm, normType float64, errorIfNonfinite, foreach bool) abi.Ret {
	r := C.gt_clip_grad_norm(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.double(maxNorm),
		C.double(normType), C.int(flag(errorIfNonfinite)), C.int(flag(foreach)))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// GradNorm returns the total norm of the gradients of params.
func GradNorm(cx abi.Ctx, params []abi.Tensor, normType float64, errorIfNonfinite, foreach bool) abi.Ret {
	r := C.gt_grad_norm(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.double(normType),
		C.int(flag(errorIfNonfinite)), C.int(flag(foreach)))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// ClipGradValue clamps the gradients of params to [-limit, limit].
func ClipGradValue(cx abi.Ctx, params []abi.Tensor, limit float64, foreach bool) abi.Status {
	return abi.Status(C.gt_clip_grad_value(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.double(limit),
		C.int(flag(foreach))))
}

// Cos returns the cosine of x. Cos, Log and Pow use the C library, as Python's math does.
// Go's results differ in the last bits.
func Cos(x float64) float64 { return float64(C.cos(C.double(x))) }

// Log returns the natural logarithm of x.
func Log(x float64) float64 { return float64(C.log(C.double(x))) }

// Pow returns x to the power of y.
func Pow(x, y float64) float64 { return float64(C.pow(C.double(x), C.double(y))) }

func handles(v []abi.Tensor) *C.gt_tensor {
	return (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(v)))
}

func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}
