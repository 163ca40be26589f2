// Package export runs graphs of operators that torch.export wrote, and calls operators by
// name. It is a separate cgo package, so that changing it recompiles little code. Programs
// use torch/export and torch/ops.
package export

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O1 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -DNDEBUG -I${SRCDIR}/.. -I${SRCDIR}/../functorch
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_export_build
#cgo noescape gt_export_run
#cgo noescape gt_export_out_free
#cgo noescape gt_export_call
#cgo noescape gt_export_schemas
#cgo noescape gt_export_record_begin
#cgo noescape gt_export_record_end
#cgo nocallback gt_export_build
#cgo nocallback gt_export_out_free
#cgo nocallback gt_export_schemas
#cgo nocallback gt_export_record_begin
#cgo nocallback gt_export_record_end
#cgo nocallback gt_export_record_module
#cgo nocallback gt_export_record_abort
#include <stdlib.h>
#include "export.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// libtorch is built with NDEBUG, so it is defined here too. Otherwise RecordFunction
// would have an additional field.

// Program is a program. Free frees it.
type Program uintptr

// The tags of values; see export.h.
const (
	None    = C.GT_EXPORT_NONE
	Slot    = C.GT_EXPORT_SLOT
	Tensor  = C.GT_EXPORT_TENSOR
	Bool    = C.GT_EXPORT_BOOL
	Int     = C.GT_EXPORT_INT
	Float   = C.GT_EXPORT_FLOAT
	Complex = C.GT_EXPORT_COMPLEX
	String  = C.GT_EXPORT_STRING
	List    = C.GT_EXPORT_LIST
	Device  = C.GT_EXPORT_DEVICE
	Train   = C.GT_EXPORT_TRAIN
)

// The kinds of nodes; see export.h.
const (
	CallNode = C.GT_EXPORT_OPERATOR
	Symbol   = C.GT_EXPORT_SYMBOL
	Cond     = C.GT_EXPORT_COND
	While    = C.GT_EXPORT_WHILE
	Grad     = C.GT_EXPORT_GRAD
	Autocast = C.GT_EXPORT_AUTOCAST
)

// The modes of a module.
const (
	AsExported = C.GT_EXPORT_AS_EXPORTED
	Training   = C.GT_EXPORT_TRAINING
	Evaluation = C.GT_EXPORT_EVALUATION
)

// Build builds a program, outside of inference mode. After an error, node is the number of the node to which the error
// belongs, or -1.
func Build(cx abi.Ctx, words []uint64) (p Program, node int64, st abi.Status) {
	var out C.gt_program
	at := C.int64_t(-1)
	st = abi.Status(C.gt_export_build(C.gt_ctx(cx), (*C.uint64_t)(unsafe.SliceData(words)), C.int64_t(len(words)), &out,
		&at))
	return Program(out), int64(at), st
}

// Free frees a program.
func Free(p Program) { C.gt_export_free(C.gt_program(p)) }

// Run runs a program; modes are the modes of its modules. The caller owns the tensors. After
// an error, node is the number of the node that failed, or -1.
func Run(cx abi.Ctx, p Program, modes []byte, words []uint64, tensors []abi.Tensor) (out []uint64,
	results []abi.Tensor, node int64, st abi.Status,
) {
	var o C.gt_export_out
	at := C.int64_t(-1)
	st = abi.Status(C.gt_export_run(C.gt_ctx(cx), C.gt_program(p), (*C.uint8_t)(unsafe.SliceData(modes)),
		C.int64_t(len(modes)), (*C.uint64_t)(unsafe.SliceData(words)), C.int64_t(len(words)),
		(*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(tensors))), C.int64_t(len(tensors)), &o, &at))
	if st != 0 {
		return nil, nil, int64(at), st
	}
	out, results = take(&o)
	return out, results, -1, 0
}

// take copies a result to Go memory and frees the C result.
func take(o *C.gt_export_out) (words []uint64, tensors []abi.Tensor) {
	words, tensors = make([]uint64, o.n_words), make([]abi.Tensor, o.n_tensors)
	copy(words, unsafe.Slice((*uint64)(unsafe.Pointer(o.words)), o.n_words))
	copy(tensors, unsafe.Slice((*abi.Tensor)(unsafe.Pointer(o.tensors)), o.n_tensors))
	C.gt_export_out_free(o)
	return words, tensors
}

// Call calls an operator, and skips autograd if below is set. The caller owns the tensors of
// the result.
func Call(cx abi.Ctx, name, overload string, below bool, args []uint64, tensors []abi.Tensor) (out []uint64,
	results []abi.Tensor, st abi.Status,
) {
	var o C.gt_export_out
	cname, coverload := C.CString(name), C.CString(overload)
	skip := C.int(0)
	if below {
		skip = 1
	}
	st = abi.Status(C.gt_export_call(C.gt_ctx(cx), cname, coverload, skip, (*C.uint64_t)(unsafe.SliceData(args)),
		C.int64_t(len(args)), (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(tensors))), C.int64_t(len(tensors)), &o))
	C.free(unsafe.Pointer(cname))
	C.free(unsafe.Pointer(coverload))
	if st != 0 {
		return nil, nil, st
	}
	out, results = take(&o)
	return out, results, 0
}

// Schemas returns, as strings in words, the schemas of the operators with that name, or the
// names of all operators if name is empty.
func Schemas(name string) (out []uint64, st abi.Status) {
	var o C.gt_export_out
	cname := C.CString(name)
	st = abi.Status(C.gt_export_schemas(cname, &o))
	C.free(unsafe.Pointer(cname))
	if st != 0 {
		return nil, st
	}
	out, _ = take(&o)
	return out, 0
}

// The kernels of an operator that is written in Go.
const (
	Forward  = C.GT_KERNEL_FORWARD
	Meta     = C.GT_KERNEL_META
	Autograd = C.GT_KERNEL_AUTOGRAD
	VMap     = C.GT_KERNEL_VMAP
)

// Operator runs a kernel of the operator with this id. It owns the tensors of the arguments,
// and the caller owns those of the results. It must not panic; instead it returns the tag of
// the panic. Package torch/ops sets it before it registers an operator.
var Operator func(id int64, kernel int, cx abi.Ctx, args []uint64, tensors []abi.Tensor) (results []uint64,
	made []abi.Tensor, tag int64)

//export gotorchOperator
func gotorchOperator(id C.int64_t, kernel C.int32_t, cx C.gt_ctx, in, out *C.gt_export_out) C.int64_t {
	words, tensors := take(in)
	results, made, tag := Operator(int64(id), int(kernel), abi.Ctx(cx), words, tensors)
	if tag != 0 {
		return C.int64_t(tag)
	}
	o := C.gt_export_out{n_words: C.int64_t(len(results)), n_tensors: C.int64_t(len(made))}
	o.words = (*C.uint64_t)(C.malloc(C.size_t(8*len(results) + 1)))
	o.tensors = (*C.gt_tensor)(C.malloc(C.size_t(8*len(made) + 1)))
	copy(unsafe.Slice((*uint64)(unsafe.Pointer(o.words)), len(results)), results)
	copy(unsafe.Slice((*abi.Tensor)(unsafe.Pointer(o.tensors)), len(made)), made)
	*out = o
	return 0
}

// Register registers an operator for the rest of the process. kernels has a bit for each
// kernel.
func Register(schema string, id int64, kernels uint32) abi.Status {
	text := C.CString(schema)
	defer C.free(unsafe.Pointer(text))
	return abi.Status(C.gt_export_register(text, C.int64_t(id), C.uint32_t(kernels)))
}

// LoadLibrary loads a shared library with operators.
func LoadLibrary(path string) abi.Status {
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	return abi.Status(C.gt_export_load_library(cpath))
}

// Recording is a recording of what the calling thread computes. RecordEnd or RecordAbort ends
// it and frees it.
type Recording uintptr

// RecordBegin begins a recording. The first of the tensors are parameters. The caller stays on
// its thread until the end.
func RecordBegin(cx abi.Ctx, tensors []abi.Tensor, parameters int) (r Recording, st abi.Status) {
	var out C.gt_export_recording
	st = abi.Status(C.gt_export_record_begin(C.gt_ctx(cx), (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(tensors))),
		C.int64_t(len(tensors)), C.int64_t(parameters), &out))
	return Recording(out), st
}

// RecordEnd ends a recording, also if it fails. export.h says what the words contain. The
// caller owns the tensors.
func RecordEnd(cx abi.Ctx, r Recording, results []abi.Tensor) (out []uint64, constants []abi.Tensor, st abi.Status) {
	var o C.gt_export_out
	st = abi.Status(C.gt_export_record_end(C.gt_ctx(cx), C.gt_export_recording(r),
		(*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(results))), C.int64_t(len(results)), &o))
	if st != 0 {
		return nil, nil, st
	}
	out, constants = take(&o)
	return out, constants, 0
}

// RecordModule says that what the thread computes from now on belongs to a module.
func RecordModule(number int) { C.gt_export_record_module(C.int64_t(number)) }

// RecordAbort ends a recording without a result.
func RecordAbort(r Recording) { C.gt_export_record_abort(C.gt_export_recording(r)) }
