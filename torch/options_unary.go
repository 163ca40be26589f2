package torch

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Options of functions of one tensor, element by element.

// Decimals is the number of places after the point that [Tensor.Round] keeps; a
// negative number rounds before it. decimals in Python, 0 unless given.
type Decimals int64

// A RoundOption says how numbers are rounded: [Decimals].
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

// NaN is what [Tensor.NaNToNum] puts in the place of NaN. nan in Python, 0
// unless given.
type NaN float64

// PosInf is what [Tensor.NaNToNum] puts in the place of plus infinity. posinf in
// Python, the largest number of the dtype unless given.
type PosInf float64

// NegInf is what [Tensor.NaNToNum] puts in the place of minus infinity. neginf
// in Python, the lowest number of the dtype unless given.
type NegInf float64

// A NaNToNumOption says what NaN and infinities become: [NaN], [PosInf],
// [NegInf].
//
//gotorch:options NaN PosInf NegInf
type NaNToNumOption interface{ nanToNumOption() }

// replacements are the options of NaNToNum, read.
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

// Eps is how far from 0 and 1 [Tensor.Logit] keeps its argument. eps in Python,
// None unless given, which keeps it as it is.
type Eps float64

// A LogitOption says how a logit is computed: [Eps].
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

// Approximate says how [Tensor.GELU] is computed. approximate in Python,
// ApproximateNone unless given.
type Approximate string

// The ways to compute GELU.
const (
	ApproximateNone Approximate = "none" // exactly
	ApproximateTanh Approximate = "tanh" // through tanh
)

// A GELUOption says how GELU is computed: [Approximate].
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

// WithThreshold is the value of Beta * t above which [Tensor.Softplus] is t
// itself. threshold in Python, 20 unless given.
type WithThreshold float64

// A SoftplusOption says how Softplus bends: [Beta], [WithThreshold].
//
//gotorch:options Beta WithThreshold
type SoftplusOption interface{ softplusOption() }

func readSoftplus(op string, opts []SoftplusOption) (beta, threshold abi.Scalar) {
	beta, threshold = floatScalar(1), floatScalar(20)
	for _, o := range opts {
		switch o := o.(type) {
		case Beta:
			beta = floatScalar(float64(o))
		case WithThreshold:
			threshold = floatScalar(float64(o))
		default:
			panic(badOption(op, o))
		}
	}
	return beta, threshold
}
