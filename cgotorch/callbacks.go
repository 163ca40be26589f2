package cgotorch

// #include "abi.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Callbacks are called by libtorch. Package torch sets them once, before any hook exists.
// They must not panic; instead they return the tag of the panic. Otherwise they return
// zero. C++ passes a tag on as an exception. The operator that led to the callback then
// fails with an Error of KindGoPanic.
var Callbacks struct {
	// Hook runs the hook with this id on a borrowed gradient. It returns a new reference
	// that replaces the gradient, or zero.
	Hook func(id int64, cx abi.Ctx, grad abi.Tensor) (replacement abi.Tensor, tag int64)

	// Backward runs the backward function of the custom function with this id. grads are
	// borrowed. Backward writes a new reference to each element of outs, or zero if there
	// is no gradient. needs says which elements of outs are needed.
	Backward func(id int64, cx abi.Ctx, node uintptr, grads, outs []abi.Tensor, needs []bool) (tag int64)
}

//export gotorchHook
func gotorchHook(id C.int64_t, cx C.gt_ctx, grad C.gt_tensor, out *C.gt_tensor) C.int64_t {
	t, tag := Callbacks.Hook(int64(id), abi.Ctx(cx), abi.Tensor(grad))
	*out = C.gt_tensor(t)
	return C.int64_t(tag)
}

//export gotorchBackward
func gotorchBackward(id C.int64_t, cx C.gt_ctx, node C.uintptr_t, grads *C.gt_tensor, n C.int64_t,
	outs *C.gt_tensor, needs *C.uint8_t, m C.int64_t,
) C.int64_t {
	return C.int64_t(Callbacks.Backward(int64(id), abi.Ctx(cx), uintptr(node),
		unsafe.Slice((*abi.Tensor)(unsafe.Pointer(grads)), int(n)),
		unsafe.Slice((*abi.Tensor)(unsafe.Pointer(outs)), int(m)),
		unsafe.Slice((*bool)(unsafe.Pointer(needs)), int(m))))
}
