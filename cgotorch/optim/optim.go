// Package optim is the native half of the optimizers: a step over a whole
// parameter group, the gradients' removal and their clipping are one crossing
// each. It is a cgo package of its own so that a change here recompiles little.
// Programs use package optim at the root of the module.
package optim

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -fno-strict-aliasing -Wall -Wno-sign-compare
#cgo LDFLAGS: -ldl -lstdc++
#cgo noescape gt_group_new
#cgo nocallback gt_group_new
#cgo nocallback gt_group_free
#cgo noescape gt_group_adam
#cgo nocallback gt_group_adam
#cgo noescape gt_group_sgd
#cgo nocallback gt_group_sgd
#cgo nocallback gt_group_zero_grad
#cgo nocallback gt_group_state
#cgo nocallback gt_group_set_state
#cgo noescape gt_clip_grad_norm
#cgo nocallback gt_clip_grad_norm
#cgo noescape gt_grad_norm
#cgo nocallback gt_grad_norm
#cgo noescape gt_clip_grad_value
#cgo nocallback gt_clip_grad_value
#include "optim.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Group is a parameter group with its state in native memory, freed by Free
// and nothing else. One goroutine at a time may use it.
type Group uintptr

// New makes a group. It holds a reference of its own to each parameter.
func New(params []abi.Tensor) (Group, abi.Status) {
	r := C.gt_group_new(handles(params), C.int64_t(len(params)))
	return Group(r.g), abi.Status(r.err)
}

// Free frees the group, its state and its references.
func (g Group) Free() { C.gt_group_free(C.gt_group(g)) }

// AdamOptions are the settings of a step of Adam, or of AdamW if Decoupled.
type AdamOptions struct {
	LR, Beta1, Beta2, Eps, WeightDecay float64
	Decoupled, Amsgrad, Maximize       bool
}

// Adam does one step for every parameter with a gradient. gradScale and
// foundInf are zero, or the tensors of a gradient scaler.
func (g Group) Adam(cx abi.Ctx, o *AdamOptions, gradScale, foundInf abi.Tensor) abi.Status {
	c := C.gt_adam{
		lr: C.double(o.LR), beta1: C.double(o.Beta1), beta2: C.double(o.Beta2),
		eps: C.double(o.Eps), weight_decay: C.double(o.WeightDecay),
		decoupled: flag(o.Decoupled), amsgrad: flag(o.Amsgrad), maximize: flag(o.Maximize),
	}
	return abi.Status(C.gt_group_adam(C.gt_ctx(cx), C.gt_group(g), &c, C.gt_tensor(gradScale), C.gt_tensor(foundInf)))
}

// SGDOptions are the settings of a step of SGD.
type SGDOptions struct {
	LR, Momentum, Dampening, WeightDecay float64
	Nesterov, Maximize                   bool
}

// SGD does one step for every parameter with a gradient. gradScale and
// foundInf are those of Adam.
func (g Group) SGD(cx abi.Ctx, o *SGDOptions, gradScale, foundInf abi.Tensor) abi.Status {
	c := C.gt_sgd{
		lr: C.double(o.LR), momentum: C.double(o.Momentum), dampening: C.double(o.Dampening),
		weight_decay: C.double(o.WeightDecay), nesterov: flag(o.Nesterov), maximize: flag(o.Maximize),
	}
	return abi.Status(C.gt_group_sgd(C.gt_ctx(cx), C.gt_group(g), &c, C.gt_tensor(gradScale), C.gt_tensor(foundInf)))
}

// ZeroGrad drops the gradients, or fills them with zeros.
func (g Group) ZeroGrad(cx abi.Ctx, setToNone bool) abi.Status {
	return abi.Status(C.gt_group_zero_grad(C.gt_ctx(cx), C.gt_group(g), C.int(flag(setToNone))))
}

// The state tensors of a parameter.
const (
	StateStep      = C.GT_STATE_STEP
	StateAvg       = C.GT_STATE_AVG
	StateSquare    = C.GT_STATE_SQUARE
	StateMaxSquare = C.GT_STATE_MAX_SQUARE
	StateMomentum  = C.GT_STATE_MOMENTUM
)

// State returns a state tensor of parameter i, zero if there is none: a copy
// of StateStep, a new reference to any other.
func (g Group) State(cx abi.Ctx, i, which int) abi.Ret {
	r := C.gt_group_state(C.gt_ctx(cx), C.gt_group(g), C.int64_t(i), C.int(which))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// SetState replaces a state tensor of parameter i by a copy of t; zero removes
// it.
func (g Group) SetState(cx abi.Ctx, i, which int, t abi.Tensor) abi.Status {
	return abi.Status(C.gt_group_set_state(C.gt_ctx(cx), C.gt_group(g), C.int64_t(i), C.int(which), C.gt_tensor(t)))
}

// ClipGradNorm scales the gradients of params so that their common norm is at
// most maxNorm and returns the norm that they had.
func ClipGradNorm(cx abi.Ctx, params []abi.Tensor, maxNorm, normType float64, errorIfNonfinite bool) abi.Ret {
	r := C.gt_clip_grad_norm(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.double(maxNorm),
		C.double(normType), C.int(flag(errorIfNonfinite)))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// GradNorm returns the common norm of the gradients of params.
func GradNorm(cx abi.Ctx, params []abi.Tensor, normType float64) abi.Ret {
	r := C.gt_grad_norm(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.double(normType))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// ClipGradValue clamps the gradients of params to [-limit, limit].
func ClipGradValue(cx abi.Ctx, params []abi.Tensor, limit float64) abi.Status {
	return abi.Status(C.gt_clip_grad_value(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.double(limit)))
}

func handles(v []abi.Tensor) *C.gt_tensor {
	return (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(v)))
}

func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}
