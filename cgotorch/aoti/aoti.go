// Package aoti runs models that Python compiled to shared libraries. It is a separate cgo
// package, so that changing it recompiles little code. Programs use torch/aoti.
package aoti

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_aoti_load
#cgo nocallback gt_aoti_load
#cgo nocallback gt_aoti_free
#cgo noescape gt_aoti_describe
#cgo nocallback gt_aoti_describe
#cgo noescape gt_aoti_info_free
#cgo nocallback gt_aoti_info_free
#cgo noescape gt_aoti_run
#cgo nocallback gt_aoti_run
#cgo noescape gt_aoti_constant_copy
#cgo nocallback gt_aoti_constant_copy
#cgo nocallback gt_aoti_update
#cgo nocallback free
#include <stdlib.h>
#include "aoti.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Model is a loaded library. The caller must free it.
type Model uintptr

// Constant is a parameter or a buffer of a model, or a tensor created by tracing.
type Constant struct {
	Name     string // name of the constant in the Python module
	CodeName string // name of the constant in the compiled library
	Bytes    int64  // size in the library
	Missing  bool   // The constant has no value yet, so Shape and Strides are unknown.
	Shape    []int64
	Strides  []int64
	DType    int8
	Folded   bool // The first run computes it from other constants, so it cannot be set.
	Param    bool // It is a parameter of the module, not a buffer.
}

// Info is the description that a library gives of itself.
type Info struct {
	InSpec, OutSpec string // formats of the arguments and results, as written by Python's pytree
	Inputs, Outputs int
	Constants       []Constant
}

// Load loads a library and runs its initializers. device is for example "cpu" or
// "cuda:1". dir is the directory that contains the device's kernels, if it has any. blob
// is the file of the model's constants, or "". The files of a CPU model are not needed
// after Load.
func Load(library, device, dir, blob string, runners int, singleThreaded bool) (Model, abi.Status) {
	lib, dev, d := C.CString(library), C.CString(device), C.CString(dir)
	defer C.free(unsafe.Pointer(lib))
	defer C.free(unsafe.Pointer(dev))
	defer C.free(unsafe.Pointer(d))
	var b *C.char
	if blob != "" {
		b = C.CString(blob)
		defer C.free(unsafe.Pointer(b))
	}
	var m C.gt_aoti
	st := abi.Status(C.gt_aoti_load(lib, dev, d, b, C.int64_t(runners), flag(singleThreaded), &m))
	return Model(m), st
}

// Free unloads a model that is not in use.
func Free(m Model) { C.gt_aoti_free(C.gt_aoti(m)) }

// Describe returns the description that the library gives of itself.
func Describe(m Model) (*Info, abi.Status) {
	var raw C.gt_aoti_info
	if st := abi.Status(C.gt_aoti_describe(C.gt_aoti(m), &raw)); st != 0 {
		return nil, st
	}
	defer C.gt_aoti_info_free(&raw)
	info := &Info{
		InSpec: C.GoString(raw.in_spec), OutSpec: C.GoString(raw.out_spec),
		Inputs: int(raw.inputs), Outputs: int(raw.outputs),
	}
	for _, c := range unsafe.Slice(raw.constants, int(raw.n_constants)) {
		info.Constants = append(info.Constants, Constant{
			Name: C.GoString(c.name), CodeName: C.GoString(c.code_name),
			Bytes: int64(c.bytes), Missing: c.n_sizes < 0,
			Shape: numbers(c.sizes, c.n_sizes), Strides: numbers(c.strides, c.n_sizes),
			DType: int8(c.dtype), Folded: c.folded != 0, Param: c.parameter != 0,
		})
	}
	return info, 0
}

func numbers(p *C.int64_t, n C.int64_t) []int64 {
	if n <= 0 {
		return nil
	}
	return append([]int64(nil), unsafe.Slice((*int64)(p), int(n))...)
}

// Run runs the model. The inputs are borrowed, and the library checks only how many there
// are. The results are new references. No more calls may run at once than the number of
// runners given to Load.
func Run(cx abi.Ctx, m Model, inputs []abi.Tensor) ([]abi.Tensor, abi.Status) {
	r := C.gt_aoti_run(C.gt_ctx(cx), C.gt_aoti(m), (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(inputs))),
		C.int64_t(len(inputs)))
	if r.err != 0 {
		return nil, abi.Status(r.err)
	}
	results := append([]abi.Tensor(nil), unsafe.Slice((*abi.Tensor)(unsafe.Pointer(r.items)), int(r.n))...)
	C.free(unsafe.Pointer(r.items))
	return results, 0
}

// ConstantCopy returns a copy of the constant called name in the Python module, or zero
// if the model does not have it.
func ConstantCopy(cx abi.Ctx, m Model, name string) abi.Ret {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	r := C.gt_aoti_constant_copy(C.gt_ctx(cx), C.gt_aoti(m), s)
	return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}
}

// Update replaces constants. names are the library's names. The tensors must be dense, on
// the model's device, and have the dtypes, sizes and strides of the constants. If shared
// is set, the model keeps the tensors; otherwise it copies them. Nothing else may use the
// model during the call.
func Update(cx abi.Ctx, m Model, names []string, tensors []abi.Tensor, shared bool) abi.Status {
	list := make([]*C.char, len(names)+1)
	for i, name := range names {
		list[i] = C.CString(name)
		defer C.free(unsafe.Pointer(list[i]))
	}
	return abi.Status(C.gt_aoti_update(C.gt_ctx(cx), C.gt_aoti(m), &list[0],
		(*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(tensors))), C.int64_t(len(names)), flag(shared)))
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
