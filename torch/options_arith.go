package torch

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Options of arithmetic. A factor that is a whole number counts as an integer,
// which integer tensors take alone. For a complex factor see package aten.

// Alpha is the factor of what is added or subtracted. alpha in Python, 1 unless
// given.
type Alpha float64

// Beta is the factor of the tensor that a product is added to, and in
// [Tensor.Softplus] how sharp the bend is. beta in Python, 1 unless given.
type Beta float64

// Value is the factor of a product or quotient that is added. value in Python, 1
// unless given.
type Value float64

// An AddOption says how an addition or a subtraction goes: [Alpha].
//
//gotorch:options Alpha
type AddOption interface{ addOption() }

// An AddmmOption says how a product of matrices or vectors is added to a tensor:
// [Beta], [Alpha].
//
//gotorch:options Alpha Beta
type AddmmOption interface{ addmmOption() }

// An AddcmulOption says how a product or quotient is added to a tensor: [Value].
//
//gotorch:options Value
type AddcmulOption interface{ addcmulOption() }

// readAdd returns the factor. It is small enough to be inlined, so that a call
// without options costs a comparison.
func readAdd(op string, opts []AddOption) abi.Scalar {
	if len(opts) == 0 {
		return one
	}
	return readAlpha(op, opts)
}

func readAlpha(op string, opts []AddOption) (alpha abi.Scalar) {
	for _, o := range opts {
		switch o := o.(type) {
		case Alpha:
			alpha = wholeScalar(float64(o))
		default:
			panic(badOption(op, o))
		}
	}
	return alpha
}

func readAddmm(op string, opts []AddmmOption) (beta, alpha abi.Scalar) {
	beta, alpha = one, one
	for _, o := range opts {
		switch o := o.(type) {
		case Beta:
			beta = wholeScalar(float64(o))
		case Alpha:
			alpha = wholeScalar(float64(o))
		default:
			panic(badOption(op, o))
		}
	}
	return beta, alpha
}

func readAddcmul(op string, opts []AddcmulOption) abi.Scalar {
	value := one
	for _, o := range opts {
		switch o := o.(type) {
		case Value:
			value = wholeScalar(float64(o))
		default:
			panic(badOption(op, o))
		}
	}
	return value
}

// RoundingMode says how a division rounds, after which integers stay integers.
// rounding_mode in Python, None unless given.
type RoundingMode string

// The rounding modes.
const (
	RoundingModeNone  RoundingMode = ""      // the quotient as it is, None in Python
	RoundingModeTrunc RoundingMode = "trunc" // towards zero, as Go and C divide integers
	RoundingModeFloor RoundingMode = "floor" // down, as Python's //
)

// A DivOption says how a division goes: [RoundingMode].
//
//gotorch:options RoundingMode
type DivOption interface{ divOption() }

// What libtorch takes for a rounding mode. Shared strings, so that a call makes
// none.
var truncMode, floorMode = string(RoundingModeTrunc), string(RoundingModeFloor)

// readDiv returns the rounding mode, nil for none.
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
				panic(argError(op, ErrValue, "RoundingMode", `expected "trunc", "floor" or "" for none, got `+strconv.Quote(string(o))))
			}
		default:
			panic(badOption(op, o))
		}
	}
	return mode
}

// RTol is the tolerance as a part of the size of numbers. rtol in Python. The
// function says its default.
type RTol float64

// ATol is the tolerance for numbers of any size. atol in Python. The function
// says its default.
type ATol float64

// EqualNaN says whether NaN is close to NaN. equal_nan in Python, False unless
// given.
type EqualNaN bool

// A CloseOption says what counts as close: [RTol], [ATol], [EqualNaN].
//
//gotorch:options RTol ATol EqualNaN
type CloseOption interface{ closeOption() }

func readClose(op string, opts []CloseOption) (rtol, atol float64, equalNaN bool) {
	rtol, atol = 1e-5, 1e-8
	for _, o := range opts {
		switch o := o.(type) {
		case RTol:
			rtol = float64(o)
		case ATol:
			atol = float64(o)
		case EqualNaN:
			equalNaN = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return rtol, atol, equalNaN
}
