package aten

/*
#cgo noescape gt_boxed
#cgo nocallback gt_boxed
#cgo nocallback gt_boxed_count
#cgo nocallback gt_boxed_get
#cgo nocallback gt_boxed_look
#include "boxed.h"
*/
import "C"

import (
	"math"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// An operator without its own C++ function is called by its number in the table, with its
// arguments as words; see boxed.h and words.go. The words contain no pointers, and their
// buffer stays on the caller's stack unless a list is long.

// Boxed calls an operator and writes the words of its results to results, which must have
// room for them. If pure is set, a failed call has no side effects and may be repeated.
func Boxed(cx abi.Ctx, op int, args, results []uint64, pure bool) abi.Status {
	for try := 0; ; try++ {
		st := C.gt_boxed(C.gt_ctx(cx), C.int32_t(op), (*C.uint64_t)(unsafe.SliceData(args)), C.int64_t(len(args)),
			(*C.uint64_t)(unsafe.SliceData(results)))
		if st == 0 || !pure || !again(try, st) {
			return abi.Status(st)
		}
	}
}

// BoxedNothing is [Boxed] for an operator without results.
func BoxedNothing(cx abi.Ctx, op int, args []uint64, pure bool) abi.Status {
	return Boxed(cx, op, args, nil, pure)
}

// BoxedTensor is [Boxed] for an operator with one result, a tensor.
func BoxedTensor(cx abi.Ctx, op int, args []uint64, pure bool) abi.Ret {
	var got [1]uint64
	st := Boxed(cx, op, args, got[:], pure)
	return abi.Ret{T: abi.Tensor(got[0]), Err: st}
}

// BoxedTensors is [Boxed] for an operator with several results, all tensors.
func BoxedTensors(cx abi.Ctx, op int, args []uint64, results []abi.Tensor, pure bool) abi.Status {
	got := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(results))), len(results))
	return Boxed(cx, op, args, got, pure)
}

// BoxedList is [Boxed] for an operator with one result, a list of tensors.
func BoxedList(cx abi.Ctx, op int, args []uint64, pure bool) ([]abi.Tensor, abi.Status) {
	var got [2]uint64
	st := Boxed(cx, op, args, got[:], pure)
	return TakeList(got[:]), st
}

// BoxedInt is [Boxed] for an operator with one result, an integer.
func BoxedInt(cx abi.Ctx, op int, args []uint64, pure bool) (int64, abi.Status) {
	var got [1]uint64
	st := Boxed(cx, op, args, got[:], pure)
	return int64(got[0]), st
}

// BoxedBool is [Boxed] for an operator with one result, a bool.
func BoxedBool(cx abi.Ctx, op int, args []uint64, pure bool) (bool, abi.Status) {
	var got [1]uint64
	st := Boxed(cx, op, args, got[:], pure)
	return got[0] != 0, st
}

// BoxedFloat is [Boxed] for an operator with one result, a float.
func BoxedFloat(cx abi.Ctx, op int, args []uint64, pure bool) (float64, abi.Status) {
	var got [1]uint64
	st := Boxed(cx, op, args, got[:], pure)
	return math.Float64frombits(got[0]), st
}

// BoxedScalar is [Boxed] for an operator with one result, a scalar.
func BoxedScalar(cx abi.Ctx, op int, args []uint64, pure bool) (abi.Scalar, abi.Status) {
	var got [4]uint64
	st := Boxed(cx, op, args, got[:], pure)
	return abi.Scalar{
		Kind: abi.ScalarKind(got[0]), I: int64(got[1]),
		D: math.Float64frombits(got[2]), Im: math.Float64frombits(got[3]),
	}, st
}

// TakeList returns a list of tensors, given its address and length in got. It takes
// ownership of the list.
func TakeList(got []uint64) []abi.Tensor {
	return takeList(C.gt_list_ret{items: *(**C.gt_tensor)(unsafe.Pointer(&got[0])), n: C.int64_t(got[1])})
}

// Operator is a row of the operator table.
type Operator struct {
	Number   int
	Name     string // "add.Tensor"
	Args     string // a letter for the kind of each argument; see boxed.cpp
	Results  string
	HasTyped bool // the operator has its own C++ function, which the Go function of that name calls
}

// Operators returns the table, for tests and measurements.
func Operators() []Operator {
	all := make([]Operator, C.gt_boxed_count())
	for i := range all {
		row := C.gt_boxed_get(C.int32_t(i))
		name := C.GoString(row.name)[len("aten::"):]
		if overload := C.GoString(row.overload); overload != "" {
			name += "." + overload
		}
		all[i] = Operator{i, name, C.GoString(row.args), C.GoString(row.results), row.typed != 0}
	}
	return all
}

// Installed returns 0 if the installed libtorch has the operator, and otherwise the error
// that a call would return.
func (o Operator) Installed() abi.Status { return abi.Status(C.gt_boxed_look(C.int32_t(o.Number))) }

// Call calls the operator through the table, even if it has its own C++ function. args
// and results must match the operator, in the form described in boxed.h. Call is for
// tests and measurements.
func (o Operator) Call(cx abi.Ctx, args, results []uint64) abi.Status {
	return Boxed(cx, o.Number, args, results, false)
}
