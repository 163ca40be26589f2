// Package foreign simulates another library that creates DLPack structs, for tests. Its
// arrays have their own memory. Their deleter counts its calls and may take a lock, as
// the deleters of Python libraries do.
package foreign

/*
#cgo pkg-config: --short-errors ../../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#include "foreign.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/dlpack"
)

// MaxDims is the largest number of dimensions in a Tensor's Shape and Strides.
const MaxDims = C.FOREIGN_MAX_DIMS

// Tensor is a DLTensor.
type Tensor struct {
	Data       unsafe.Pointer
	DeviceType int32
	DeviceID   int32
	NDim       int32
	Code, Bits uint8
	Lanes      uint16
	Shape      *[MaxDims]int64
	Strides    *[MaxDims]int64
	ByteOffset uint64
}

// Head contains the fields of a DLManagedTensorVersioned that precede its DLTensor.
type Head struct {
	Major, Minor uint32
	Context      unsafe.Pointer
	Deleter      unsafe.Pointer
	Flags        uint64
}

var ( // These do not compile if the layouts in Go and C differ.
	_ = [1]struct{}{}[unsafe.Sizeof(Tensor{})-C.sizeof_DLTensor]
	_ = [1]struct{}{}[unsafe.Sizeof(Head{})+unsafe.Sizeof(Tensor{})-C.sizeof_DLManagedTensorVersioned]
)

// Array is an array of the foreign library.
type Array struct {
	a *C.foreign_array

	Struct dlpack.Struct // the array's struct, which may be passed to one importer
	Tensor *Tensor       // fields of Struct; valid until the deleter is called
	Head   *Head         // fields before Tensor; nil if the struct has no version
}

// New returns a one-dimensional array of float32 zeros. If locks is set, its deleter
// takes the library's lock.
func New(versioned, locks bool, n int) *Array {
	a := C.foreign_new(flag(versioned), flag(locks), C.int64_t(n)*4)
	if a == nil {
		panic("foreign: out of memory")
	}
	r := &Array{a: a, Tensor: (*Tensor)(unsafe.Pointer(C.foreign_tensor(a)))}
	r.Struct = dlpack.Struct{At: unsafe.Pointer(r.Tensor), Versioned: versioned}
	if versioned {
		r.Struct.At = unsafe.Add(r.Struct.At, -int(unsafe.Sizeof(Head{})))
		r.Head = (*Head)(r.Struct.At)
	}
	t := r.Tensor
	t.NDim, t.Code, t.Bits, t.Lanes = 1, C.kDLFloat, 32, 1
	t.Shape[0], t.Strides[0] = int64(n), 1
	return r
}

// Floats returns the elements. They are valid until the deleter is called.
func (a *Array) Floats() []float32 {
	return unsafe.Slice((*float32)(a.Tensor.Data), a.Tensor.Shape[0])
}

// Deleted returns how often the deleter was called.
func (a *Array) Deleted() int { return int(C.foreign_deleted(a.a)) }

// Free frees what remains of the array. Call it after the deleter.
func (a *Array) Free() { C.foreign_free(a.a) }

// Taker simulates a foreign library that has received a struct from gotorch.
type Taker struct {
	At        unsafe.Pointer
	Versioned bool
}

// DeleteElsewhere calls the deleter on a thread not created by Go, and waits for it.
func (t Taker) DeleteElsewhere() { C.foreign_delete_elsewhere(t.At, flag(t.Versioned)) }

// Locked calls fn while holding the library's lock. The lock belongs to the thread, so
// the caller must have locked the goroutine to its thread.
func Locked(fn func()) {
	C.foreign_lock()
	defer C.foreign_unlock()
	fn()
}

func flag(b bool) C.int8_t {
	if b {
		return 1
	}
	return 0
}
