package torchtest

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A CloseOption is an option of [AllClose]: [RTol], [ATol], [OfLargest], [EqualNaN],
// [CheckDType], or the [Tolerance] of [Rounding].
//
//gotorch:options RTol ATol OfLargest Tolerance EqualNaN CheckDType
type CloseOption interface{ closeOption() }

// A GradCheckOption is an option of [GradCheck]: [Eps], [RTol] or [ATol].
//
//gotorch:options Eps RTol ATol
type GradCheckOption interface{ gradCheckOption() }

// RTol is the allowed difference relative to the wanted value. The default depends on the
// dtype for [AllClose], and is 1e-3 for [GradCheck]. In PyTorch: rtol.
type RTol float64

// ATol is the allowed absolute difference. The default depends on the dtype for
// [AllClose], and is 1e-5 for [GradCheck]. In PyTorch: atol.
type ATol float64

// OfLargest makes RTol relative to the largest element of the wanted tensor instead of
// each element. The default is false.
type OfLargest bool

// A Tolerance combines RTol, ATol, OfLargest and EqualNaN.
type Tolerance struct {
	RTol, ATol float64
	OfLargest  bool
	EqualNaN   bool
}

// EqualNaN makes two NaNs count as close. The default is false. In PyTorch: equal_nan.
type EqualNaN bool

// CheckDType compares the dtypes as well. The default is true. In PyTorch: check_dtype.
type CheckDType bool

// Eps is the change of an input for the finite differences. The default is 1e-6. In
// PyTorch: eps.
type Eps float64

// closeness holds the values of CloseOptions.
type closeness struct {
	Tolerance   // a negative tolerance stands for the default of the dtype
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

// gradTolerance holds the values of GradCheckOptions.
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
		panic(torch.NewError("torchtest."+op, torch.ErrValue, name,
			fmt.Sprintf("expected a number that is not negative, got %v", v)))
	}
	return v
}
