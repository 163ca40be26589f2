package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Spread and correlation. Results are new tensors.

// Correction is what the number of elements is lessened by where a sum of
// squares is divided. 1, the default, is Bessel's correction; 0 gives the
// variance of the elements themselves, as normalization layers take it.
// correction in Python.
type Correction float64

// A SpreadOption says how variances and standard deviations are taken:
// [Correction], [Dim] or [Dims], [KeepDim].
//
//gotorch:options Correction Dim Dims KeepDim
type SpreadOption interface{ spreadOption() }

func readSpread(op string, opts []SpreadOption) (a along, correction abi.Scalar) {
	a.dtype, correction = -1, one
	for _, o := range opts {
		if c, ok := o.(Correction); ok {
			correction = wholeScalar(float64(c))
		} else if !a.take(o) {
			panic(badOption(op, o))
		}
	}
	return a, correction
}

// Var returns the variance of all elements, or with [Dim] or [Dims] the
// variances over those: the sum of squares divided by the number of elements
// less [Correction], 1 unless given. The result is a new tensor, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrDType for integers and bools with
// ErrIndex for a dimension that is not there, and with ErrShape for one given
// twice. Follows torch.var.
func (t *Tensor) Var(opts ...SpreadOption) *Tensor {
	const op = "Var(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.VarCorrection(r.Ctx, h, o.list(), c, o.keepdim))
}

// Std returns the standard deviation of all elements, or with [Dim] or [Dims]
// those over them: the square roots of what [Tensor.Var] returns. The result is
// a new tensor, owned by the innermost scope, else by the collector. It panics
// as Var does. Follows torch.std.
func (t *Tensor) Std(opts ...SpreadOption) *Tensor {
	const op = "Std(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.StdCorrection(r.Ctx, h, o.list(), c, o.keepdim))
}

// VarMean returns what [Tensor.Var] and [Tensor.Mean] do, in one pass. Both
// results are new tensors, owned by the innermost scope, else by the collector.
// It panics as Var does. Follows torch.var_mean.
func (t *Tensor) VarMean(opts ...SpreadOption) (variance, mean *Tensor) {
	const op = "VarMean(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	res, st := aten.VarMeanCorrection(r.Ctx, h, o.list(), c, o.keepdim)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// StdMean returns what [Tensor.Std] and [Tensor.Mean] do, in one pass. Both
// results are new tensors, owned by the innermost scope, else by the collector.
// It panics as Var does. Follows torch.std_mean.
func (t *Tensor) StdMean(opts ...SpreadOption) (std, mean *Tensor) {
	const op = "StdMean(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	res, st := aten.StdMeanCorrection(r.Ctx, h, o.list(), c, o.keepdim)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

type (
	fWeights struct{ t *Tensor }
	aWeights struct{ t *Tensor }
)

// FWeights says how often each observation counts: integers, one for each
// column. fweights in Python, None unless given.
func FWeights(t *Tensor) CovOption { return fWeights{t} }

// AWeights says how much each observation counts, one weight for each column.
// aweights in Python, None unless given.
func AWeights(t *Tensor) CovOption { return aWeights{t} }

// A CovOption says how covariances are taken: [Correction], a whole number
// here, [FWeights], [AWeights].
//
//gotorch:options Correction fWeights aWeights
type CovOption interface{ covOption() }

// Cov returns the covariance matrix of variables in rows and observations in
// columns. The result is a new tensor, owned by the innermost scope, else by
// the collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrShape for more than two dimensions or weights of another
// length, with ErrValue for a [Correction] that is no whole number, and with
// ErrDType for bools. Follows torch.cov.
func (t *Tensor) Cov(opts ...CovOption) *Tensor {
	const op = "Cov(self, fweights, aweights)"
	h := t.handle(op, 0)
	correction := int64(1)
	var f, a *Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case Correction:
			if correction = int64(o); Correction(correction) != o {
				panic(argError(op, ErrValue, "Correction", fmt.Sprintf("expected a whole number, got %v", float64(o))))
			}
		case fWeights:
			f = unseen(o.t)
		case aWeights:
			a = unseen(o.t)
		default:
			panic(badOption(op, o))
		}
	}
	hf, ha := f.OptionalHandleFor(op, 1), a.OptionalHandleFor(op, 2)
	r := BeginRaw(op, t, f, a)
	return r.Tensor(aten.Cov(r.Ctx, h, correction, hf, ha))
}

// Corrcoef returns the matrix of Pearson's correlations of variables in rows.
// The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrShape for more than two dimensions, and with ErrDType for
// bools. Follows torch.corrcoef.
func (t *Tensor) Corrcoef() *Tensor { return unary("Corrcoef(self)", aten.Corrcoef, t) }
