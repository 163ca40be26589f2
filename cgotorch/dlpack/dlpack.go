// Package dlpack converts tensors to DLPack structs and back. It is a separate cgo
// package, so that changing it recompiles little code. Programs use torch/dlpack.
package dlpack

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback gt_dlpack_export
#cgo nocallback gt_dlpack_refusal
#cgo noescape gt_dlpack_read
#cgo nocallback gt_dlpack_read
#cgo noescape gt_dlpack_import
#cgo nocallback gt_dlpack_import
#include "dlpack.h"
*/
import "C"

import (
	"unsafe"

	_ "github.com/gotorch/gotorch/cgotorch" // contains the queue of released objects
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Refusal is the reason why a tensor cannot be exported, or Exported if it can.
type Refusal int32

// The reasons.
const (
	Exported     Refusal = C.GT_DLPACK_EXPORTED
	RequiresGrad Refusal = C.GT_DLPACK_REQUIRES_GRAD
	Conjugate    Refusal = C.GT_DLPACK_CONJUGATE
	Negative     Refusal = C.GT_DLPACK_NEGATIVE
	Layout       Refusal = C.GT_DLPACK_LAYOUT
	Device       Refusal = C.GT_DLPACK_DEVICE
	DType        Refusal = C.GT_DLPACK_DTYPE
	NoMemory     Refusal = C.GT_DLPACK_NO_MEMORY
)

// Struct is a DLManagedTensor or a DLManagedTensorVersioned.
type Struct struct {
	At        unsafe.Pointer // not a pointer to Go memory
	Versioned bool
}

// Info contains the unchecked fields of a Struct. If the Struct has no version, Flags,
// Major and Minor are 0. If Major is not 1, only Own is set.
type Info struct {
	Data         uintptr
	ByteOffset   uint64
	Flags        uint64
	Shape        *int64 // NDim numbers, or nil
	Strides      *int64
	Major, Minor uint32
	DeviceType   int32
	DeviceID     int32
	NDim         int32
	Lanes        uint16
	Code, Bits   uint8
	DType        int8 // -1 if libtorch has no dtype for Code, Bits and Lanes
	Own          bool // whether Export created it
}

// does not compile if Info and gt_dlpack_info differ in size
var _ = [1]struct{}{}[unsafe.Sizeof(Info{})-C.sizeof_gt_dlpack_info]

// Released is called, on any thread, when a Struct from Export has been deleted. Memory
// outside libtorch may then have become free. Package torch/dlpack sets Released at
// program start.
var Released = func() {}

//export gotorchDLPackReleased
func gotorchDLPackReleased() { Released() }

// Export returns a Struct for t's memory. The Struct keeps the memory alive until its
// deleter is called.
func Export(cx abi.Ctx, t abi.Tensor, versioned bool, flags uint64) (Struct, Refusal, abi.Status) {
	r := C.gt_dlpack_export(C.gt_ctx(cx), C.gt_tensor(t), flag(versioned), C.uint64_t(flags))
	return Struct{pointer(uintptr(r.managed)), versioned}, Refusal(r.refused), abi.Status(r.err)
}

// Refuses returns the Refusal that Export would return.
func Refuses(t abi.Tensor) Refusal { return Refusal(C.gt_dlpack_refusal(C.gt_tensor(t))) }

// Import returns a tensor that uses the memory at data. release is the id of an object of
// package callback, which is released once, after the last tensor with that memory is
// freed. If Import fails, the object is not released.
func Import(cx abi.Ctx, data uintptr, sizes, strides []int64, dtype int8, device int32, release int64) abi.Ret {
	r := C.gt_dlpack_import(C.gt_ctx(cx), C.uintptr_t(data), (*C.int64_t)(unsafe.SliceData(sizes)),
		(*C.int64_t)(unsafe.SliceData(strides)), C.int64_t(len(sizes)), C.int8_t(dtype), C.int32_t(device),
		C.int64_t(release))
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// Read returns the fields of the struct.
func (s Struct) Read() Info {
	var i Info
	C.gt_dlpack_read(C.uintptr_t(uintptr(s.At)), flag(s.Versioned), (*C.gt_dlpack_info)(unsafe.Pointer(&i)))
	return i
}

// Delete calls the deleter, which may be foreign code that waits for a lock.
func (s Struct) Delete() { C.gt_dlpack_delete(C.uintptr_t(uintptr(s.At)), flag(s.Versioned)) }

func flag(b bool) C.int8_t {
	if b {
		return 1
	}
	return 0
}

// pointer converts an address outside Go's heap to a pointer.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
