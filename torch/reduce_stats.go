package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Correction is the number that [Tensor.Var] subtracts from the number of elements to
// get its divisor. The default is 1, Bessel's correction; 0 gives the population
// variance, which normalization layers use. The name in Python is correction.
type Correction float64

// A SpreadOption is an option of [Tensor.Var] and [Tensor.Std]: [Correction],
// [Dim] or [Dims], or [KeepDim].
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
// variances over those dimensions: the sum of squared deviations divided by the
// number of elements minus [Correction] (default 1). It panics with ErrDType
// for integers and bools, with ErrIndex for a dimension out of range, and with
// ErrShape for a repeated one. Follows torch.var.
func (t *Tensor) Var(opts ...SpreadOption) *Tensor {
	const op = "Var(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.VarCorrection(r.Ctx, h, o.list(), c, o.keepdim))
}

// Std returns the standard deviation: the square root of [Tensor.Var]. It
// panics as Var does. Follows torch.std.
func (t *Tensor) Std(opts ...SpreadOption) *Tensor {
	const op = "Std(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.StdCorrection(r.Ctx, h, o.list(), c, o.keepdim))
}

// VarMean returns the results of [Tensor.Var] and [Tensor.Mean], computed in
// one pass. It panics as Var does. Follows torch.var_mean.
func (t *Tensor) VarMean(opts ...SpreadOption) (variance, mean *Tensor) {
	const op = "VarMean(self)"
	h := t.handle(op, 0)
	o, c := readSpread(op, opts)
	r := BeginRaw(op, t)
	res, st := aten.VarMeanCorrection(r.Ctx, h, o.list(), c, o.keepdim)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// StdMean returns the results of [Tensor.Std] and [Tensor.Mean], computed in
// one pass. It panics as Var does. Follows torch.std_mean.
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

// FWeights sets how often each observation counts: integers, one for each
// column. The default is nil. It is fweights in Python.
func FWeights(t *Tensor) CovOption { return fWeights{t} }

// AWeights sets the weight of each observation, one for each column. The
// default is nil. It is aweights in Python.
func AWeights(t *Tensor) CovOption { return aWeights{t} }

// A CovOption is an option of [Tensor.Cov]: [Correction] (an integer here), [FWeights] or
// [AWeights].
//
//gotorch:options Correction fWeights aWeights
type CovOption interface{ covOption() }

// Cov returns the covariance matrix of variables in rows and observations in columns. It
// panics with ErrShape for more than two dimensions or weights of a different length,
// with ErrValue for a [Correction] that is not an integer, and with ErrDType for bools.
// Follows torch.cov.
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

// Corrcoef returns the Pearson correlation matrix of variables in rows. It
// panics with ErrShape for more than two dimensions, and with ErrDType for
// bools. Follows torch.corrcoef.
func (t *Tensor) Corrcoef() *Tensor { return unary("Corrcoef(self)", aten.Corrcoef, t) }
