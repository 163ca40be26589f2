package aten

/*
#include <stdlib.h>
#include "../abi.h"
#cgo nocallback free
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// RetryOOM, if set, is called with the status of each failed operator that changes none
// of its arguments. After an out-of-memory error it frees memory, takes ownership of the
// error and returns true: the operator is then called once more. If RetryOOM returns
// false, the operator's caller gets the status. Set RetryOOM before the first call of an
// operator.
var RetryOOM func(abi.Status) bool

func again(try int, err C.uintptr_t) bool {
	return try == 0 && RetryOOM != nil && RetryOOM(abi.Status(err))
}

// These functions pass Go slices and strings to C as pointers. Lengths are passed
// separately, and C never reads the pointer of an empty slice.

func handles(v []abi.Tensor) *C.gt_tensor {
	return (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(v)))
}

func ints(v []int64) *C.int64_t { return (*C.int64_t)(unsafe.SliceData(v)) }

func floats(v []float64) *C.double { return (*C.double)(unsafe.SliceData(v)) }

func numbers(v []abi.Scalar) *C.gt_scalar {
	return (*C.gt_scalar)(unsafe.Pointer(unsafe.SliceData(v)))
}

// chars returns a pointer that is readable even for an empty string, because some
// operators read the first character before they check the length.
func chars(s string) *C.char {
	if s == "" {
		return &noChars
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s)))
}

var noChars C.char // a zero byte, which ends a C string

func optChars(s *string) *C.char {
	if s == nil {
		return nil
	}
	return chars(*s)
}

func optLen(s *string) C.int64_t {
	if s == nil {
		return -1
	}
	return C.int64_t(len(*s))
}

// count returns the length of an optional list: -1 (None) if it is nil.
func count[T any](v []T) C.int64_t {
	if v == nil {
		return -1
	}
	return C.int64_t(len(v))
}

func number(s abi.Scalar) C.gt_scalar { return *(*C.gt_scalar)(unsafe.Pointer(&s)) }

func takeNumber(s C.gt_scalar) abi.Scalar { return *(*abi.Scalar)(unsafe.Pointer(&s)) }

// takeList copies a returned list to Go memory and frees the C list.
func takeList(r C.gt_list_ret) []abi.Tensor {
	if r.items == nil {
		return nil
	}
	list := make([]abi.Tensor, r.n)
	copy(list, unsafe.Slice((*abi.Tensor)(unsafe.Pointer(r.items)), r.n))
	C.free(unsafe.Pointer(r.items))
	return list
}
