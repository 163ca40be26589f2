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

// Kind is the type of the C++ exception that was thrown. Its values are defined in abi.h.
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

// Error is a C++ exception.
type Error struct {
	Kind    Kind
	Message string
	Tag     int64 // for KindGoPanic: the number of the panic

	raw *rawError
}

// rawError keeps the C++ exception, so that only Trace needs to look up the symbols of
// its stack. A lookup for every error would be slow.
type rawError struct{ status C.uintptr_t }

// TakeError converts a non-zero status to an error and takes ownership of the status.
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

// StatusKind returns the kind of a non-zero status without taking ownership.
func StatusKind(st abi.Status) Kind {
	return Kind((*(**C.gt_error)(unsafe.Pointer(&st))).kind)
}

// StatusMessage returns the message of a non-zero status without taking ownership.
func StatusMessage(st abi.Status) string {
	return C.GoString((*(**C.gt_error)(unsafe.Pointer(&st))).message)
}

// UndoDraws restores the generators that a failed operator used, so that calling it again
// draws the same numbers. It reports whether it succeeded.
func UndoDraws(st abi.Status) bool { return C.gt_error_undo_draws(C.uintptr_t(st)) != 0 }

// FreeStatus frees a status without reading it.
func FreeStatus(st abi.Status) { C.gt_error_free(C.uintptr_t(st)) }

// Trace returns libtorch's full text, including the C++ stack if libtorch has recorded
// it.
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
