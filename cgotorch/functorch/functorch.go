// Package functorch drives the layers of libtorch's functional transforms. It is a cgo
// package of its own so that a change here recompiles little. Programs use
// torch/functorch.
//
// The stack of layers is a thread's: a goroutine locks itself to its thread before Push,
// and unlocks after Pop.
package functorch

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O1 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS -I${SRCDIR}/.. -I${SRCDIR}
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_functorch_push
#cgo nocallback gt_functorch_push
#cgo nocallback gt_functorch_pop
#cgo nocallback gt_functorch_depth
#cgo nocallback gt_functorch_batch
#cgo nocallback gt_functorch_unbatch
#cgo nocallback gt_functorch_wrap
#cgo nocallback gt_functorch_unwrap
#cgo nocallback gt_functorch_dual
#cgo noescape gt_functorch_undual
#cgo nocallback gt_functorch_undual
#include "functorch.h"
*/
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// Kind is what a layer does.
type Kind int

// The kinds.
const (
	VMap Kind = C.GT_FUNCTORCH_VMAP
	Grad Kind = C.GT_FUNCTORCH_GRAD // reverse mode
	JVP  Kind = C.GT_FUNCTORCH_JVP  // forward mode
)

// Randomness is what drawing numbers does in a layer of kind VMap.
type Randomness int

// The kinds of randomness.
const (
	Error     Randomness = C.GT_FUNCTORCH_ERROR
	Same      Randomness = C.GT_FUNCTORCH_SAME
	Different Randomness = C.GT_FUNCTORCH_DIFFERENT
)

// Push puts a layer on top of the thread's stack and returns its level. batch and
// randomness are for VMap.
func Push(cx abi.Ctx, kind Kind, batch int64, randomness Randomness) (level int64, st abi.Status) {
	var out C.int64_t
	st = abi.Status(C.gt_functorch_push(C.gt_ctx(cx), C.int(kind), C.int64_t(batch), C.int(randomness), &out))
	return int64(out), st
}

// Pop takes the layer of level off the top.
func Pop(cx abi.Ctx, level int64) abi.Status {
	return abi.Status(C.gt_functorch_pop(C.gt_ctx(cx), C.int64_t(level)))
}

// Depth returns how many layers the thread has.
func Depth() int64 { return int64(C.gt_functorch_depth()) }

// Batch returns t without dimension dim, which the layer goes over.
func Batch(cx abi.Ctx, t abi.Tensor, dim, level int64) abi.Ret {
	return ret(C.gt_functorch_batch(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(dim), C.int64_t(level)))
}

// Unbatch returns t for all examples, as dimension dim.
func Unbatch(cx abi.Ctx, t abi.Tensor, dim, level, batch int64) abi.Ret {
	return ret(C.gt_functorch_unbatch(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(dim), C.int64_t(level), C.int64_t(batch)))
}

// Wrap returns t as a tensor of a layer of derivatives, a leaf of its graph if leaf is set.
func Wrap(cx abi.Ctx, t abi.Tensor, level int64, leaf bool) abi.Ret {
	is := C.int(0)
	if leaf {
		is = 1
	}
	return ret(C.gt_functorch_wrap(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(level), is))
}

// Unwrap returns what t is below the layer.
func Unwrap(cx abi.Ctx, t abi.Tensor, level int64) abi.Ret {
	return ret(C.gt_functorch_unwrap(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(level)))
}

// Dual returns t with a tangent.
func Dual(cx abi.Ctx, t, tangent abi.Tensor) abi.Ret {
	return ret(C.gt_functorch_dual(C.gt_ctx(cx), C.gt_tensor(t), C.gt_tensor(tangent)))
}

// Undual returns the value and the tangent of t below the layer; the tangent is 0 if t
// has none.
func Undual(cx abi.Ctx, t abi.Tensor, level int64) (value, tangent abi.Tensor, st abi.Status) {
	var v, d C.gt_tensor
	st = abi.Status(C.gt_functorch_undual(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(level), &v, &d))
	return abi.Tensor(v), abi.Tensor(d), st
}

func ret(r C.gt_ret) abi.Ret { return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)} }
