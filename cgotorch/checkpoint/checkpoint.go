// Package checkpoint is the native part of activation checkpointing: hooks on the tensors
// that operators save for the backward pass. It is a separate cgo package, so that
// changing it recompiles little code. Programs use torch/recompute.
package checkpoint

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O1 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_checkpoint_begin
#cgo nocallback gt_checkpoint_begin
#cgo nocallback gt_checkpoint_end
#include "checkpoint.h"
*/
import "C"

import (
	"unsafe"

	_ "github.com/gotorch/gotorch/cgotorch" // contains the queue of released objects
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Recompute is called when a backward pass needs the saved tensors of the function with
// this id. It runs the function again, with borrowed inputs. It must not panic; instead
// it returns the tag of the panic. Once *stopped is set, an error of the function is
// ignored. Package torch/recompute sets Recompute.
var Recompute func(id int64, inputs []abi.Tensor, stopped *bool) (tag int64)

//export gotorchRecompute
func gotorchRecompute(id C.int64_t, inputs *C.gt_tensor, n C.int64_t, stopped *C.uint8_t) C.int64_t {
	return C.int64_t(Recompute(int64(id), unsafe.Slice((*abi.Tensor)(unsafe.Pointer(inputs)), int(n)),
		(*bool)(unsafe.Pointer(stopped))))
}

// Begin starts the first run of the function with this id on this thread. The goroutine
// must stay locked to its thread until End. If frame is not 0, the caller must pass it to
// End.
func Begin(cx abi.Ctx, id int64, inputs []abi.Tensor) (frame uintptr, st abi.Status) {
	var f C.uintptr_t
	st = abi.Status(C.gt_checkpoint_begin(C.gt_ctx(cx), C.int64_t(id),
		(*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(inputs))), C.int64_t(len(inputs)), &f))
	return uintptr(f), st
}

// End ends the first run. completed says whether the function returned normally.
func End(frame uintptr, completed bool) {
	done := C.int(0)
	if completed {
		done = 1
	}
	C.gt_checkpoint_end(C.uintptr_t(frame), done)
}
