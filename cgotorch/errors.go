package cgotorch

// #include <stdlib.h>
// #include "runtime.h"
// #include "tensor.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Kind says which C++ exception an error was. The values are those of abi.h.
type Kind int32

// The kinds of error.
const (
	KindRuntime        Kind = C.GT_ERR_RUNTIME
	KindIndex          Kind = C.GT_ERR_INDEX
	KindValue          Kind = C.GT_ERR_VALUE
	KindType           Kind = C.GT_ERR_TYPE
	KindNotImplemented Kind = C.GT_ERR_NOT_IMPL
	KindLinAlg         Kind = C.GT_ERR_LINALG
	KindOutOfMemory    Kind = C.GT_ERR_OOM
	KindGoPanic        Kind = C.GT_ERR_GO_PANIC
	KindMissing        Kind = C.GT_ERR_MISSING
	KindUnknown        Kind = C.GT_ERR_UNKNOWN
)

// Error is a C++ exception, taken over from the shim.
type Error struct {
	Kind    Kind
	Message string
	Tag     int64 // with KindGoPanic: which panic, a number of package torch's

	raw *rawError
}

// rawError keeps the C++ exception for its trace, whose symbols are looked up
// only when somebody asks.
type rawError struct{ status C.uintptr_t }

// TakeError turns a non-zero status into an error and takes over what it owns.
func TakeError(st abi.Status) *Error {
	raw := *(**C.gt_error)(unsafe.Pointer(&st))
	e := &Error{
		Kind:    Kind(raw.kind),
		Tag:     int64(raw.tag),
		Message: sayCUDA(C.GoString(raw.message)),
	}
	if raw.held == nil {
		C.gt_error_free(C.uintptr_t(st))
		return e
	}
	e.raw = &rawError{C.uintptr_t(st)}
	runtime.AddCleanup(e.raw, func(s C.uintptr_t) { C.gt_error_free(s) }, e.raw.status)
	return e
}

// StatusKind returns the kind of a non-zero status without taking it over.
func StatusKind(st abi.Status) Kind {
	return Kind((*(**C.gt_error)(unsafe.Pointer(&st))).kind)
}

// StatusMessage returns the message of a non-zero status without taking it over.
func StatusMessage(st abi.Status) string {
	return C.GoString((*(**C.gt_error)(unsafe.Pointer(&st))).message)
}

// UndoDraws gives generators the states that they had before an operator that ran out of memory, and reports whether it
// could.
func UndoDraws(st abi.Status) bool { return C.gt_error_undo_draws(C.uintptr_t(st)) != 0 }

// FreeStatus drops an error unread.
func FreeStatus(st abi.Status) { C.gt_error_free(C.uintptr_t(st)) }

// Trace returns libtorch's full text, C++ stack included if it was recorded.
func (e *Error) Trace() string {
	if e.raw == nil {
		return e.Message
	}
	s := C.gt_error_trace(e.raw.status)
	runtime.KeepAlive(e.raw)
	if s == nil {
		return e.Message
	}
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s)
}
