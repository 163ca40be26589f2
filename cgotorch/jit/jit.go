// Package jit runs TorchScript modules that were saved by Python, in libtorch's
// interpreter. It is a separate cgo package, so that changing it recompiles little code.
// Programs use torch/jit.
package jit

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O1 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -DNDEBUG -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_jit_run
#cgo noescape gt_jit_load
#cgo noescape gt_jit_save
#cgo noescape gt_jit_find
#cgo noescape gt_jit_peek
#cgo noescape gt_jit_trace_begin
#cgo noescape gt_jit_trace_end
#cgo nocallback gt_jit_find
#cgo nocallback gt_jit_peek
#cgo nocallback gt_jit_tree
#cgo nocallback gt_jit_out_free
#cgo nocallback gt_jit_trace_begin
#cgo nocallback gt_jit_trace_end
#cgo nocallback gt_jit_trace_abort
#include "jit.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// libtorch is built with NDEBUG, so it is defined here too. Otherwise RecordFunction
// would have an additional field.

type (
	// Module is a reference to a module. Free drops the reference.
	Module uintptr
	// Object is a reference to a value that cannot be passed as words. FreeObject drops
	// the reference.
	Object uintptr
	// Trace is a trace under way. TraceEnd or TraceAbort ends it, on the same thread.
	Trace uintptr
	// Function is a method. It is valid as long as its module.
	Function uintptr
)

// The tags of values; see jit.h.
const (
	None    = C.GT_JIT_NONE
	Tensor  = C.GT_JIT_TENSOR
	Bool    = C.GT_JIT_BOOL
	Int     = C.GT_JIT_INT
	Float   = C.GT_JIT_FLOAT
	Complex = C.GT_JIT_COMPLEX
	String  = C.GT_JIT_STRING
	List    = C.GT_JIT_LIST
	Tuple   = C.GT_JIT_TUPLE
	Named   = C.GT_JIT_NAMED
	Dict    = C.GT_JIT_DICT
	Tensors = C.GT_JIT_TENSORS
	Ints    = C.GT_JIT_INTS
	Floats  = C.GT_JIT_FLOATS
	Bools   = C.GT_JIT_BOOLS
	Strings = C.GT_JIT_STRINGS
	Device  = C.GT_JIT_DEVICE
	Handle  = C.GT_JIT_OBJECT
	Enum    = C.GT_JIT_ENUM
)

// The kinds of text about a method that Text returns.
const (
	Schema    = C.GT_JIT_SCHEMA
	Code      = C.GT_JIT_CODE
	Graph     = C.GT_JIT_GRAPH
	Optimized = C.GT_JIT_INLINED
)

// Out is the result of a call. If the result is a single tensor, it is in Single, and
// Words is nil. The caller owns the tensors, and the objects in Words.
type Out struct {
	Single  abi.Tensor
	Words   []uint64
	Tensors []abi.Tensor
}

// take copies a result to Go memory and frees the C result.
func take(out *C.gt_jit_out) Out {
	if out.words == nil {
		return Out{Single: abi.Tensor(out.single)}
	}
	o := Out{Words: make([]uint64, out.n_words), Tensors: make([]abi.Tensor, out.n_tensors)}
	copy(o.Words, unsafe.Slice((*uint64)(unsafe.Pointer(out.words)), out.n_words))
	copy(o.Tensors, unsafe.Slice((*abi.Tensor)(unsafe.Pointer(out.tensors)), out.n_tensors))
	C.gt_jit_out_free(out)
	return o
}

func chars(s string) *C.char { return (*C.char)(unsafe.Pointer(unsafe.StringData(s))) }

func words(w []uint64) *C.uint64_t { return (*C.uint64_t)(unsafe.SliceData(w)) }

func handles(v []abi.Tensor) *C.gt_tensor { return (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(v))) }

// Load reads an archive of size bytes from data or, if data is nil, from the file fd.
// device is the number of the device for the tensors, or -1 for the archive's own
// devices.
func Load(cx abi.Ctx, fd uintptr, data []byte, size int64, device int32) (m Module, st abi.Status) {
	var out C.gt_jit_module
	st = abi.Status(C.gt_jit_load(C.gt_ctx(cx), C.int(fd), unsafe.Pointer(unsafe.SliceData(data)), C.int64_t(size),
		C.int32_t(device), &out))
	return Module(out), st
}

// Save returns an archive of m. text is the concatenation of the names and contents of
// extra files. For each file, lengths contains the length of the name and the length of
// the contents.
func Save(cx abi.Ctx, m Module, text string, lengths []int64) (data []byte, st abi.Status) {
	var out C.gt_jit_out
	st = abi.Status(C.gt_jit_save(C.gt_ctx(cx), C.gt_jit_module(m), chars(text),
		(*C.int64_t)(unsafe.SliceData(lengths)), C.int64_t(len(lengths)/2), &out))
	if st != 0 {
		return nil, st
	}
	data = make([]byte, out.n_words)
	copy(data, unsafe.Slice((*byte)(unsafe.Pointer(out.words)), out.n_words))
	C.gt_jit_out_free(&out)
	return data, 0
}

// Free frees a module.
func Free(m Module) { C.gt_jit_free(C.gt_jit_module(m)) }

// FreeObject frees an object.
func FreeObject(o Object) { C.gt_jit_object_free(C.gt_jit_object(o)) }

// Tree describes m and its submodules; see gt_jit_tree.
func Tree(m Module) (Out, abi.Status) {
	var out C.gt_jit_out
	st := abi.Status(C.gt_jit_tree(C.gt_jit_module(m), &out))
	return take(&out), st
}

// Peek writes borrowed references to tensors to its last argument. Tensor i is in slot
// slots[i] of module ms[i].
func Peek(ms []Module, slots []int32, to []abi.Tensor) abi.Status {
	return abi.Status(C.gt_jit_peek((*C.gt_jit_module)(unsafe.Pointer(unsafe.SliceData(ms))),
		(*C.int32_t)(unsafe.SliceData(slots)), C.int64_t(len(ms)), handles(to)))
}

// Slot returns a new reference to the tensor in a slot.
func Slot(m Module, slot int32) abi.Tensor {
	return abi.Tensor(C.gt_jit_slot(C.gt_jit_module(m), C.int32_t(slot)))
}

// SetSlot puts a tensor in a slot.
func SetSlot(m Module, slot int32, t abi.Tensor) abi.Status {
	return abi.Status(C.gt_jit_set_slot(C.gt_jit_module(m), C.int32_t(slot), C.gt_tensor(t)))
}

// Train sets the training mode of m, but not of its submodules.
func Train(m Module, on bool) abi.Status {
	n := C.int(0)
	if on {
		n = 1
	}
	return abi.Status(C.gt_jit_train(C.gt_jit_module(m), n))
}

// Find returns the method with the given name, or 0 if m has none.
func Find(m Module, name string) (f Function, st abi.Status) {
	var out C.gt_jit_function
	st = abi.Status(C.gt_jit_find(C.gt_jit_module(m), chars(name), C.int64_t(len(name)), &out))
	return Function(out), st
}

// Run calls a method.
func Run(cx abi.Ctx, m Module, f Function, args []uint64, tensors []abi.Tensor) (Out, abi.Status) {
	var out C.gt_jit_out
	st := abi.Status(C.gt_jit_run(C.gt_ctx(cx), C.gt_jit_module(m), C.gt_jit_function(f), words(args),
		C.int64_t(len(args)),
		handles(tensors), C.int64_t(len(tensors)), &out))
	return take(&out), st
}

// Attr returns the attribute of m with the given name.
func Attr(cx abi.Ctx, m Module, name string) (Out, abi.Status) {
	var out C.gt_jit_out
	st := abi.Status(C.gt_jit_attr(C.gt_ctx(cx), C.gt_jit_module(m), chars(name), C.int64_t(len(name)), &out))
	return take(&out), st
}

// ObjectAttr returns the attribute of o with the given name.
func ObjectAttr(cx abi.Ctx, o Object, name string) (Out, abi.Status) {
	var out C.gt_jit_out
	st := abi.Status(C.gt_jit_object_attr(C.gt_ctx(cx), C.gt_jit_object(o), chars(name), C.int64_t(len(name)), &out))
	return take(&out), st
}

// SetAttr sets an attribute.
func SetAttr(cx abi.Ctx, m Module, name string, value []uint64, tensors []abi.Tensor) abi.Status {
	return abi.Status(C.gt_jit_set_attr(C.gt_ctx(cx), C.gt_jit_module(m), chars(name), C.int64_t(len(name)),
		words(value), C.int64_t(len(value)),
		handles(tensors), C.int64_t(len(tensors))))
}

// Freeze returns a copy of m whose attributes are constants, except the attributes named
// in keep. Each name in keep ends with a zero byte.
func Freeze(cx abi.Ctx, m Module, keep string, numerics bool) (Module, abi.Status) {
	var out C.gt_jit_module
	n := C.int(0)
	if numerics {
		n = 1
	}
	st := abi.Status(C.gt_jit_freeze(C.gt_ctx(cx), C.gt_jit_module(m), chars(keep), C.int64_t(len(keep)), n, &out))
	return Module(out), st
}

// Optimize returns a copy of m for inference on this machine. methods are the names of
// the methods to keep besides forward. Each name ends with a zero byte.
func Optimize(cx abi.Ctx, m Module, methods string) (Module, abi.Status) {
	var out C.gt_jit_module
	st := abi.Status(C.gt_jit_optimize(C.gt_ctx(cx), C.gt_jit_module(m), chars(methods), C.int64_t(len(methods)), &out))
	return Module(out), st
}

// Copy returns a copy of m with copies of its tensors.
func Copy(cx abi.Ctx, m Module) (Module, abi.Status) {
	var out C.gt_jit_module
	st := abi.Status(C.gt_jit_copy(C.gt_ctx(cx), C.gt_jit_module(m), &out))
	return Module(out), st
}

// Text returns a text about the method f. The constants above select what the text
// describes. With f = 0 and Schema it returns the list of all methods.
func Text(m Module, f Function, what int) (Out, abi.Status) {
	var out C.gt_jit_out
	st := abi.Status(C.gt_jit_text(C.gt_jit_module(m), C.gt_jit_function(f), C.int(what), &out))
	return take(&out), st
}

// TraceBegin records the operators that the calling thread calls. module describes the
// module whose tensors become attributes; see gt_jit_trace_begin. The first inputs of the
// tensors are the inputs.
func TraceBegin(cx abi.Ctx, module []uint64, tensors []abi.Tensor, inputs int) (t Trace, st abi.Status) {
	var out C.gt_jit_trace
	st = abi.Status(C.gt_jit_trace_begin(C.gt_ctx(cx), words(module), C.int64_t(len(module)), handles(tensors),
		C.int64_t(len(tensors)), C.int64_t(inputs), &out))
	return Trace(out), st
}

// TraceEnd ends a trace and returns the module whose forward returns the outputs.
func TraceEnd(t Trace, outputs []abi.Tensor) (m Module, st abi.Status) {
	var out C.gt_jit_module
	st = abi.Status(C.gt_jit_trace_end(C.gt_jit_trace(t), handles(outputs), C.int64_t(len(outputs)), &out))
	return Module(out), st
}

// TraceAbort ends a trace without a result.
func TraceAbort(t Trace) { C.gt_jit_trace_abort(C.gt_jit_trace(t)) }
