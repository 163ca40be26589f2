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
// arguments as words; see boxed.h. The words contain no pointers, and their buffer stays
// on the caller's stack unless a list is long.

// boxed calls an operator. If pure is set, a failed call has no side effects and may be
// repeated.
func boxed(cx abi.Ctx, op int, args, results []uint64, pure bool) abi.Status {
	for try := 0; ; try++ {
		st := C.gt_boxed(C.gt_ctx(cx), C.int32_t(op), (*C.uint64_t)(unsafe.SliceData(args)), C.int64_t(len(args)),
			(*C.uint64_t)(unsafe.SliceData(results)))
		if st == 0 || !pure || !again(try, st) {
			return abi.Status(st)
		}
	}
}

func boxedNothing(cx abi.Ctx, op int, args []uint64, pure bool) abi.Status {
	return boxed(cx, op, args, nil, pure)
}

func boxedTensor(cx abi.Ctx, op int, args []uint64, pure bool) abi.Ret {
	var got [1]uint64
	st := boxed(cx, op, args, got[:], pure)
	return abi.Ret{T: abi.Tensor(got[0]), Err: st}
}

func boxedList(cx abi.Ctx, op int, args []uint64, pure bool) ([]abi.Tensor, abi.Status) {
	var got [2]uint64
	st := boxed(cx, op, args, got[:], pure)
	return TakeList(got[:]), st
}

func boxedInt(cx abi.Ctx, op int, args []uint64, pure bool) (int64, abi.Status) {
	var got [1]uint64
	st := boxed(cx, op, args, got[:], pure)
	return int64(got[0]), st
}

func boxedBool(cx abi.Ctx, op int, args []uint64, pure bool) (bool, abi.Status) {
	var got [1]uint64
	st := boxed(cx, op, args, got[:], pure)
	return got[0] != 0, st
}

func boxedFloat(cx abi.Ctx, op int, args []uint64, pure bool) (float64, abi.Status) {
	var got [1]uint64
	st := boxed(cx, op, args, got[:], pure)
	return math.Float64frombits(got[0]), st
}

func boxedScalar(cx abi.Ctx, op int, args []uint64, pure bool) (abi.Scalar, abi.Status) {
	var got [4]uint64
	st := boxed(cx, op, args, got[:], pure)
	return abi.Scalar{
		Kind: abi.ScalarKind(got[0]), I: int64(got[1]),
		D: math.Float64frombits(got[2]), Im: math.Float64frombits(got[3]),
	}, st
}

// words converts handles to words.
func words(v []abi.Tensor) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// TakeList returns the list of tensors whose address and length are in got, and takes
// ownership.
func TakeList(got []uint64) []abi.Tensor {
	return takeList(C.gt_list_ret{items: *(**C.gt_tensor)(unsafe.Pointer(&got[0])), n: C.int64_t(got[1])})
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func optBool(p *bool) uint64 { return bit(p != nil && *p) }

func optInt(p *int64) uint64 {
	if p == nil {
		return 0
	}
	return uint64(*p)
}

func optFloat(p *float64) uint64 {
	if p == nil {
		return 0
	}
	return math.Float64bits(*p)
}

const none = ^uint64(0) // the length of a list that is None

func put(ws []uint64, v ...uint64) []uint64 { return append(ws, v...) }

func putHandles(ws []uint64, v []abi.Tensor) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, h := range v {
		ws = append(ws, uint64(h))
	}
	return ws
}

func putInts(ws []uint64, v []int64) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, n := range v {
		ws = append(ws, uint64(n))
	}
	return ws
}

func putOptInts(ws []uint64, v []int64) []uint64 {
	if v == nil {
		return append(ws, none)
	}
	return putInts(ws, v)
}

func putOptFloats(ws []uint64, v []float64) []uint64 {
	if v == nil {
		return append(ws, none)
	}
	ws = append(ws, uint64(len(v)))
	for _, d := range v {
		ws = append(ws, math.Float64bits(d))
	}
	return ws
}

func putScalars(ws []uint64, v []abi.Scalar) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, s := range v {
		ws = append(ws, uint64(s.Kind), uint64(s.I), math.Float64bits(s.D), math.Float64bits(s.Im))
	}
	return ws
}

func putBools(ws []uint64, v []bool) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, b := range v {
		ws = append(ws, bit(b))
	}
	return ws
}

func putString(ws []uint64, s string) []uint64 {
	ws = append(ws, uint64(len(s)))
	for ; s != ""; s = s[min(8, len(s)):] {
		var w uint64
		copy((*[8]byte)(unsafe.Pointer(&w))[:], s)
		ws = append(ws, w)
	}
	return ws
}

func putOptString(ws []uint64, s *string) []uint64 {
	if s == nil {
		return append(ws, none)
	}
	return putString(ws, *s)
}

// Operator is a row of the table of operators.
type Operator struct {
	Number   int
	Name     string // "add.Tensor"
	Args     string // a letter for the kind of each argument; see boxed.cpp
	Results  string
	HasTyped bool // it has its own C++ function, which its Go function calls
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

// Installed reports whether the installed libtorch has the operator. The status is the
// error that a call would return.
func (o Operator) Installed() abi.Status { return abi.Status(C.gt_boxed_look(C.int32_t(o.Number))) }

// Call calls the operator through the table, even if it has its own C++ function. args
// and results must match the operator, in the form described in boxed.h. It is for tests
// and measurements.
func (o Operator) Call(cx abi.Ctx, args, results []uint64) abi.Status {
	return boxed(cx, o.Number, args, results, false)
}
