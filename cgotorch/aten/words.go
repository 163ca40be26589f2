package aten

import (
	"math"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// This file writes the arguments of boxed calls as words; see boxed.h. A list begins with
// its length, or with the constant none for None. The functions for lists are not
// inlined, because a thousand copies in torch/aten would make each build of it two
// seconds slower.

const none = ^uint64(0)

// Bit returns 1 for true and 0 for false. The result is the word of a bool, or the first
// word of an optional number, which says whether the number is given.
func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// OptBool returns the second word of an optional bool.
func OptBool(p *bool) uint64 { return Bit(p != nil && *p) }

// OptInt returns the second word of an optional integer.
func OptInt(p *int64) uint64 {
	if p == nil {
		return 0
	}
	return uint64(*p)
}

// OptFloat returns the second word of an optional float.
func OptFloat(p *float64) uint64 {
	if p == nil {
		return 0
	}
	return math.Float64bits(*p)
}

// Pack appends words.
func Pack(ws []uint64, v ...uint64) []uint64 { return append(ws, v...) }

// PackHandles appends a list of tensors.
//
//go:noinline
func PackHandles(ws []uint64, v []abi.Tensor) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, h := range v {
		ws = append(ws, uint64(h))
	}
	return ws
}

// PackInts appends a list of integers.
//
//go:noinline
func PackInts(ws []uint64, v []int64) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, n := range v {
		ws = append(ws, uint64(n))
	}
	return ws
}

// PackOptInts appends an optional list of integers, which is None if v is nil.
//
//go:noinline
func PackOptInts(ws []uint64, v []int64) []uint64 {
	if v == nil {
		return append(ws, none)
	}
	return PackInts(ws, v)
}

// PackOptFloats appends an optional list of floats, which is None if v is nil.
//
//go:noinline
func PackOptFloats(ws []uint64, v []float64) []uint64 {
	if v == nil {
		return append(ws, none)
	}
	ws = append(ws, uint64(len(v)))
	for _, d := range v {
		ws = append(ws, math.Float64bits(d))
	}
	return ws
}

// PackScalars appends a list of scalars.
//
//go:noinline
func PackScalars(ws []uint64, v []abi.Scalar) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, s := range v {
		ws = append(ws, uint64(s.Kind), uint64(s.I), math.Float64bits(s.D), math.Float64bits(s.Im))
	}
	return ws
}

// PackBools appends a list of bools.
//
//go:noinline
func PackBools(ws []uint64, v []bool) []uint64 {
	ws = append(ws, uint64(len(v)))
	for _, b := range v {
		ws = append(ws, Bit(b))
	}
	return ws
}

// PackString appends a string.
//
//go:noinline
func PackString(ws []uint64, s string) []uint64 {
	ws = append(ws, uint64(len(s)))
	for ; s != ""; s = s[min(8, len(s)):] {
		var w uint64
		copy((*[8]byte)(unsafe.Pointer(&w))[:], s)
		ws = append(ws, w)
	}
	return ws
}

// PackOptString appends an optional string, which is None if s is nil.
//
//go:noinline
func PackOptString(ws []uint64, s *string) []uint64 {
	if s == nil {
		return append(ws, none)
	}
	return PackString(ws, *s)
}
