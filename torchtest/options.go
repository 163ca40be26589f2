package torchtest

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A CloseOption says how close the tensors of [AllClose] have to be: [RTol],
// [ATol], [OfLargest], [EqualNaN], [CheckDType], or the [Tolerance] of [Rounding].
//
//gotorch:options RTol ATol OfLargest Tolerance EqualNaN CheckDType
type CloseOption interface{ closeOption() }

// A GradCheckOption says how [GradCheck] compares: [Eps], [RTol] or [ATol].
//
//gotorch:options Eps RTol ATol
type GradCheckOption interface{ gradCheckOption() }

// RTol is the difference allowed as a part of the value wanted, rtol in Python.
// Without it AllClose goes by the dtype, GradCheck allows 1e-3.
type RTol float64

// ATol is the difference allowed, atol in Python. Without it AllClose goes by
// the dtype, GradCheck allows 1e-5.
type ATol float64

// OfLargest has RTol be a part of the tensor's largest wanted value instead of
// each element's. The default is false.
type OfLargest bool

// A Tolerance is what RTol, ATol, OfLargest and EqualNaN say together.
type Tolerance struct {
	RTol, ATol float64
	OfLargest  bool
	EqualNaN   bool
}

// EqualNaN has NaN count as close to NaN, equal_nan in Python. The default is
// false.
type EqualNaN bool

// CheckDType has the dtypes compared as well, check_dtype in Python. The default
// is true.
type CheckDType bool

// Eps is how far inputs are moved for the finite differences, eps in Python. The
// default is 1e-6.
type Eps float64

// closeness is a list of CloseOptions, read.
type closeness struct {
	Tolerance   // a negative number is by the dtypes
	ignoreDType bool
}

func readCloseness(op string, opts []CloseOption) closeness {
	tol := closeness{Tolerance: Tolerance{RTol: -1, ATol: -1}}
	for _, o := range opts {
		switch o := o.(type) {
		case RTol:
			tol.RTol = number(op, "RTol", float64(o))
		case ATol:
			tol.ATol = number(op, "ATol", float64(o))
		case EqualNaN:
			tol.EqualNaN = bool(o)
		case OfLargest:
			tol.OfLargest = bool(o)
		case Tolerance:
			number(op, "RTol", o.RTol)
			number(op, "ATol", o.ATol)
			tol.Tolerance = o
		case CheckDType:
			tol.ignoreDType = !bool(o)
		default:
			panic(torch.BadOption("torchtest."+op, o))
		}
	}
	return tol
}

// gradTolerance is a list of GradCheckOptions, read.
type gradTolerance struct{ eps, atol, rtol float64 }

func readGradTolerance(op string, opts []GradCheckOption) gradTolerance {
	tol := gradTolerance{eps: 1e-6, atol: 1e-5, rtol: 1e-3}
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			if tol.eps = number(op, "Eps", float64(o)); tol.eps == 0 {
				panic(torch.NewError("torchtest."+op, torch.ErrValue, "Eps", "expected a positive number, got 0"))
			}
		case RTol:
			tol.rtol = number(op, "RTol", float64(o))
		case ATol:
			tol.atol = number(op, "ATol", float64(o))
		default:
			panic(torch.BadOption("torchtest."+op, o))
		}
	}
	return tol
}

func number(op, name string, v float64) float64 {
	if !(v >= 0) {
		panic(torch.NewError("torchtest."+op, torch.ErrValue, name, fmt.Sprintf("expected a number that is not negative, got %v", v)))
	}
	return v
}
