package optim

/*
#cgo noescape gt_flat_grad
#cgo nocallback gt_flat_grad
#cgo noescape gt_add_flat
#cgo nocallback gt_add_flat
#cgo noescape gt_save_params
#cgo nocallback gt_save_params
#cgo noescape gt_restore_params
#cgo nocallback gt_restore_params
#cgo noescape gt_lbfgs_direction
#cgo nocallback gt_lbfgs_direction
#include "optim.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// FlatGrad returns the gradients of all parameters as one vector, with zeros for missing
// gradients.
func FlatGrad(cx abi.Ctx, params []abi.Tensor) abi.Ret {
	r := C.gt_flat_grad(C.gt_ctx(cx), handles(params), C.int64_t(len(params)))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// AddFlat adds step times the vector update to the parameters.
func AddFlat(cx abi.Ctx, params []abi.Tensor, update abi.Tensor, step float64) abi.Status {
	return abi.Status(C.gt_add_flat(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), C.gt_tensor(update),
		C.double(step)))
}

// SaveParams writes copies of the parameters to its last argument. The caller owns the
// copies.
func SaveParams(cx abi.Ctx, params, to []abi.Tensor) abi.Status {
	return abi.Status(C.gt_save_params(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), handles(to)))
}

// RestoreParams sets the parameters to copies that SaveParams has written.
func RestoreParams(cx abi.Ctx, params, from []abi.Tensor) abi.Status {
	return abi.Status(C.gt_restore_params(C.gt_ctx(cx), handles(params), C.int64_t(len(params)), handles(from)))
}

// Direction returns the descent direction. It is computed from the gradient, and from how
// the gradient and the parameters changed in earlier steps.
func Direction(cx abi.Ctx, grad abi.Tensor, changes, steps []abi.Tensor, ro []float64, diagonal float64) abi.Ret {
	r := C.gt_lbfgs_direction(C.gt_ctx(cx), C.gt_tensor(grad), handles(changes), handles(steps),
		(*C.double)(unsafe.Pointer(unsafe.SliceData(ro))), C.int64_t(len(changes)), C.double(diagonal))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}
