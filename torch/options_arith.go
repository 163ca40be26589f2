package torch

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// This file has the options of arithmetic. A factor that is a whole number counts as an
// integer; integer tensors require such factors. For complex factors see package aten.

// Alpha multiplies the argument that is added or subtracted. The default is 1.
// It is alpha in Python.
type Alpha float64

// Beta multiplies the tensor that a product is added to; in [Tensor.Softplus] it is the
// sharpness. The default is 1. It is beta in Python.
type Beta float64

// Value multiplies the product or quotient that is added. The default is 1. It
// is value in Python.
type Value float64

// An AddOption is an option of [Tensor.Add], [Tensor.Sub] and similar functions: [Alpha].
//
//gotorch:options Alpha
type AddOption interface{ addOption() }

// An AddmmOption is an option of [Tensor.Addmm] and similar functions: [Beta] or [Alpha].
//
//gotorch:options Alpha Beta
type AddmmOption interface{ addmmOption() }

// An AddcmulOption is an option of [Tensor.Addcmul] and [Tensor.Addcdiv]:
// [Value].
//
//gotorch:options Value
type AddcmulOption interface{ addcmulOption() }

// readAdd returns the factor. It is small enough to be inlined, so that a call
// without options costs only a comparison.
func readAdd(op string, opts []AddOption) abi.Scalar {
	if len(opts) == 0 {
		return one
	}
	return readAlpha(op, opts)
}

func readAlpha(op string, opts []AddOption) (alpha abi.Scalar) {
	return wholeScalar(float64(readOption(op, opts, Alpha(1))))
}

func readAddmm(op string, opts []AddmmOption) (beta, alpha abi.Scalar) {
	b, a := readOptions2(op, opts, Beta(1), Alpha(1))
	return wholeScalar(float64(b)), wholeScalar(float64(a))
}

func readAddcmul(op string, opts []AddcmulOption) abi.Scalar {
	return wholeScalar(float64(readOption(op, opts, Value(1))))
}

// RoundingMode sets how a division rounds; integers then stay integers. The
// default is no rounding. It is rounding_mode in Python.
type RoundingMode string

// These are the rounding modes.
const (
	RoundingModeNone  RoundingMode = ""      // no rounding, None in Python
	RoundingModeTrunc RoundingMode = "trunc" // round towards zero, as Go and C divide integers
	RoundingModeFloor RoundingMode = "floor" // round down, as Python's //
)

// A DivOption is an option of [Tensor.Div]: [RoundingMode].
//
//gotorch:options RoundingMode
type DivOption interface{ divOption() }

// These are libtorch's names of the rounding modes. readDiv returns pointers to these
// variables, so that a call allocates nothing.
var truncMode, floorMode = string(RoundingModeTrunc), string(RoundingModeFloor)

// readDiv returns the rounding mode, or nil for none.
func readDiv(op string, opts []DivOption) (mode *string) {
	for _, o := range opts {
		switch o := o.(type) {
		case RoundingMode:
			switch o {
			case RoundingModeNone:
				mode = nil
			case RoundingModeTrunc:
				mode = &truncMode
			case RoundingModeFloor:
				mode = &floorMode
			default:
				panic(argError(op, ErrValue, "RoundingMode",
					`expected "trunc", "floor" or "" for none, got `+strconv.Quote(string(o))))
			}
		default:
			panic(badOption(op, o))
		}
	}
	return mode
}

// RTol is a relative tolerance. Each function documents its default. It is rtol
// in Python.
type RTol float64

// ATol is an absolute tolerance. Each function documents its default. It is
// atol in Python.
type ATol float64

// EqualNaN makes two NaNs count as close. The default is false. It is equal_nan in
// Python.
type EqualNaN bool

// A CloseOption is an option of [Tensor.IsClose] and [Tensor.AllClose]: [RTol],
// [ATol] or [EqualNaN].
//
//gotorch:options RTol ATol EqualNaN
type CloseOption interface{ closeOption() }

func readClose(op string, opts []CloseOption) (rtol, atol float64, equalNaN bool) {
	r, a, equal := readOptions3(op, opts, RTol(1e-5), ATol(1e-8), EqualNaN(false))
	return float64(r), float64(a), bool(equal)
}
