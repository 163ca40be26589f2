package torch

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Decimals is the number of digits after the decimal point that [Tensor.Round]
// keeps. A negative number rounds to tens, hundreds and so on. The default is
// 0. It is decimals in Python.
type Decimals int64

// A RoundOption is an option of [Tensor.Round]: [Decimals].
//
//gotorch:options Decimals
type RoundOption interface{ roundOption() }

// readRound returns the decimals, and whether they were given.
func readRound(op string, opts []RoundOption) (decimals int64, given bool) {
	for _, o := range opts {
		switch o := o.(type) {
		case Decimals:
			decimals, given = int64(o), true
		default:
			panic(badOption(op, o))
		}
	}
	return decimals, given
}

// NaN is the replacement for NaN in [Tensor.NaNToNum]. The default is 0. It is nan in
// Python.
type NaN float64

// PosInf is the replacement for plus infinity in [Tensor.NaNToNum]. The default is the
// dtype's largest number. It is posinf in Python.
type PosInf float64

// NegInf is the replacement for minus infinity in [Tensor.NaNToNum]. The default is the
// dtype's lowest number. It is neginf in Python.
type NegInf float64

// A NaNToNumOption is an option of [Tensor.NaNToNum]: [NaN], [PosInf] or
// [NegInf].
//
//gotorch:options NaN PosInf NegInf
type NaNToNumOption interface{ nanToNumOption() }

// replacements holds the parsed options of NaNToNum.
type replacements struct{ nan, posInf, negInf maybe[float64] }

func readNaNToNum(op string, opts []NaNToNumOption) (r replacements) {
	for _, o := range opts {
		switch o := o.(type) {
		case NaN:
			r.nan = maybe[float64]{float64(o), true}
		case PosInf:
			r.posInf = maybe[float64]{float64(o), true}
		case NegInf:
			r.negInf = maybe[float64]{float64(o), true}
		default:
			panic(badOption(op, o))
		}
	}
	return r
}

// Eps is the smallest distance from 0 and 1 to which [Tensor.Logit] clamps its
// argument. Without it the argument is not clamped. It is eps in Python.
type Eps float64

// A LogitOption is an option of [Tensor.Logit]: [Eps].
//
//gotorch:options Eps
type LogitOption interface{ logitOption() }

func readLogit(op string, opts []LogitOption) (eps maybe[float64]) {
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			eps = maybe[float64]{float64(o), true}
		default:
			panic(badOption(op, o))
		}
	}
	return eps
}

// Approximate selects how [Tensor.GELU] is computed. The default is
// ApproximateNone. It is approximate in Python.
type Approximate string

// These are the ways to compute GELU.
const (
	ApproximateNone Approximate = "none" // exactly
	ApproximateTanh Approximate = "tanh" // uses an approximation with tanh
)

// A GELUOption is an option of [Tensor.GELU]: [Approximate].
//
//gotorch:options Approximate
type GELUOption interface{ geluOption() }

func readGELU(op string, opts []GELUOption) string {
	approximate := ApproximateNone
	for _, o := range opts {
		switch o := o.(type) {
		case Approximate:
			switch o {
			case ApproximateNone:
				approximate = ApproximateNone
			case ApproximateTanh:
				approximate = ApproximateTanh
			default:
				panic(argError(op, ErrValue, "Approximate", `expected "none" or "tanh", got `+strconv.Quote(string(o))))
			}
		default:
			panic(badOption(op, o))
		}
	}
	return string(approximate)
}

// WithThreshold is the value of Beta * t above which [Tensor.Softplus] returns
// t itself. The default is 20. It is threshold in Python.
type WithThreshold float64

// A SoftplusOption is an option of [Tensor.Softplus]: [Beta] or
// [WithThreshold].
//
//gotorch:options Beta WithThreshold
type SoftplusOption interface{ softplusOption() }

func readSoftplus(op string, opts []SoftplusOption) (beta, threshold abi.Scalar) {
	b, t := readOptions2(op, opts, Beta(1), WithThreshold(20))
	return floatScalar(float64(b)), floatScalar(float64(t))
}
