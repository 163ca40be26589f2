// Package functorch calls libtorch's functional transforms, such as vmap. Each running
// transform is a layer. It is a separate cgo package, so that changing it recompiles
// little code. Programs use torch/functorch.
//
// The stack of layers belongs to a thread: a goroutine must lock itself to its thread
// before Push, and unlock after Pop.
package functorch

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O1 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -I${SRCDIR}/.. -I${SRCDIR}
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

// Kind is the transform of a layer, such as VMap.
type Kind int

// The kinds.
const (
	VMap Kind = C.GT_FUNCTORCH_VMAP
	Grad Kind = C.GT_FUNCTORCH_GRAD // reverse mode
	JVP  Kind = C.GT_FUNCTORCH_JVP  // forward mode
)

// Randomness selects the behavior of random operators in a layer of kind VMap.
type Randomness int

// The kinds of randomness.
const (
	Error     Randomness = C.GT_FUNCTORCH_ERROR
	Same      Randomness = C.GT_FUNCTORCH_SAME
	Different Randomness = C.GT_FUNCTORCH_DIFFERENT
)

// Push pushes a layer on the thread's stack and returns its level. batch and randomness
// are for VMap.
func Push(cx abi.Ctx, kind Kind, batch int64, randomness Randomness) (level int64, st abi.Status) {
	var out C.int64_t
	st = abi.Status(C.gt_functorch_push(C.gt_ctx(cx), C.int(kind), C.int64_t(batch), C.int(randomness), &out))
	return int64(out), st
}

// Pop pops the layer with the given level.
func Pop(cx abi.Ctx, level int64) abi.Status {
	return abi.Status(C.gt_functorch_pop(C.gt_ctx(cx), C.int64_t(level)))
}

// Depth returns the number of layers on the thread's stack.
func Depth() int64 { return int64(C.gt_functorch_depth()) }

// Batch returns t as a tensor of the layer, which maps over dimension dim. The result
// does not have that dimension.
func Batch(cx abi.Ctx, t abi.Tensor, dim, level int64) abi.Ret {
	return ret(C.gt_functorch_batch(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(dim), C.int64_t(level)))
}

// Unbatch returns t's values for all examples of the layer, along dimension dim.
func Unbatch(cx abi.Ctx, t abi.Tensor, dim, level, batch int64) abi.Ret {
	return ret(C.gt_functorch_unbatch(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(dim), C.int64_t(level), C.int64_t(batch)))
}

// Wrap returns t as a tensor of a layer that computes derivatives. If leaf is set, it is
// a leaf of the layer's graph.
func Wrap(cx abi.Ctx, t abi.Tensor, level int64, leaf bool) abi.Ret {
	is := C.int(0)
	if leaf {
		is = 1
	}
	return ret(C.gt_functorch_wrap(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(level), is))
}

// Unwrap returns the tensor that t wraps in the layer.
func Unwrap(cx abi.Ctx, t abi.Tensor, level int64) abi.Ret {
	return ret(C.gt_functorch_unwrap(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(level)))
}

// Dual returns a tensor with the value of t and the given tangent.
func Dual(cx abi.Ctx, t, tangent abi.Tensor) abi.Ret {
	return ret(C.gt_functorch_dual(C.gt_ctx(cx), C.gt_tensor(t), C.gt_tensor(tangent)))
}

// Undual returns the value and the tangent of t, unwrapped from the layer. The tangent is
// 0 if t has none.
func Undual(cx abi.Ctx, t abi.Tensor, level int64) (value, tangent abi.Tensor, st abi.Status) {
	var v, d C.gt_tensor
	st = abi.Status(C.gt_functorch_undual(C.gt_ctx(cx), C.gt_tensor(t), C.int64_t(level), &v, &d))
	return abi.Tensor(v), abi.Tensor(d), st
}

func ret(r C.gt_ret) abi.Ret { return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)} }
