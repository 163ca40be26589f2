package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Spread, quantiles, histograms and distinct values.

func correctionArg(c float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: c} }

// Var returns the variance of all elements with Bessel's correction (the sum of
// squares divided by n-1). It panics with ErrDType for integers and bools.
// Follows torch.var.
func (t *Tensor) Var() *Tensor { return t.VarDim(nil, 1, false) }

// VarDim returns the variances over some dimensions, nil for all: the sum of
// squares divided by n-correction. PyTorch's default correction is 1; 0 gives
// the variance of the elements themselves, as normalization layers take it. It
// panics with ErrDType for integers and bools. Follows torch.var.
func (t *Tensor) VarDim(dims []int64, correction float64, keepdim bool) *Tensor {
	return call("VarDim(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.VarCorrection(cx, h, dims, correctionArg(correction), keepdim)
	})
}

// Std returns the standard deviation of all elements with Bessel's correction.
// It panics with ErrDType for integers and bools. Follows torch.std.
func (t *Tensor) Std() *Tensor { return t.StdDim(nil, 1, false) }

// StdDim returns the standard deviations over some dimensions, nil for all;
// the correction is that of VarDim. Follows torch.std.
func (t *Tensor) StdDim(dims []int64, correction float64, keepdim bool) *Tensor {
	return call("StdDim(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.StdCorrection(cx, h, dims, correctionArg(correction), keepdim)
	})
}

// VarMean returns variances and means over some dimensions, nil for all, in one
// pass; the correction is that of VarDim. Follows torch.var_mean.
func (t *Tensor) VarMean(dims []int64, correction float64, keepdim bool) (variance, mean *Tensor) {
	return pair("VarMean(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.VarMeanCorrection(cx, h, dims, correctionArg(correction), keepdim)
	})
}

// StdMean returns standard deviations and means over some dimensions, nil for
// all, in one pass; the correction is that of VarDim. Follows torch.std_mean.
func (t *Tensor) StdMean(dims []int64, correction float64, keepdim bool) (std, mean *Tensor) {
	return pair("StdMean(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.StdMeanCorrection(cx, h, dims, correctionArg(correction), keepdim)
	})
}

// Cov returns the covariance matrix of variables in rows and observations in
// columns; the correction is that of VarDim. It panics with ErrShape for more
// than two dimensions. Follows torch.cov.
func (t *Tensor) Cov(correction int64) *Tensor {
	return call("Cov(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Cov(cx, h, correction, 0, 0) })
}

// Corrcoef returns the matrix of Pearson's correlations of variables in rows.
// Follows torch.corrcoef.
func (t *Tensor) Corrcoef() *Tensor { return unary("Corrcoef(self)", aten.Corrcoef, t) }

// QuantileOptions are the rarer arguments of [Tensor.QuantileWith].
type QuantileOptions struct {
	Dim           *int64 // the dimension to reduce; nil flattens the tensor
	KeepDim       bool   // leave the dimension in place with size 1
	Interpolation string // "linear" if empty; "lower", "higher", "midpoint", "nearest"
	IgnoreNaN     bool   // leave NaN out, as torch.nanquantile does
}

// Quantile returns the q-th quantile of all elements, q from 0 to 1,
// interpolated linearly. It panics with ErrDType unless the elements are
// float32 or float64, and with ErrValue for q out of range. Follows
// torch.quantile.
func (t *Tensor) Quantile(q float64) *Tensor {
	return call("Quantile(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.QuantileScalar(cx, h, q, nil, false, "linear")
	})
}

// QuantileDim returns the q-th quantiles along dim. Panics are those of
// Quantile, and ErrIndex if there is no such dimension. Follows torch.quantile.
func (t *Tensor) QuantileDim(q float64, dim int64, keepdim bool) *Tensor {
	return call("QuantileDim(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.QuantileScalar(cx, h, q, &dim, keepdim, "linear")
	})
}

// QuantileWith returns several quantiles, one for each element of q, which has
// one dimension and t's dtype; they come first in the result's shape. Panics
// are those of Quantile. Follows torch.quantile and torch.nanquantile.
func (t *Tensor) QuantileWith(q *Tensor, o QuantileOptions) *Tensor {
	interpolation := o.Interpolation
	if interpolation == "" {
		interpolation = "linear"
	}
	return binary("QuantileWith(self, q)", func(cx abi.Ctx, h, q abi.Tensor) abi.Ret {
		if o.IgnoreNaN {
			return aten.Nanquantile(cx, h, q, o.Dim, o.KeepDim, interpolation)
		}
		return aten.Quantile(cx, h, q, o.Dim, o.KeepDim, interpolation)
	}, t, q)
}

// Histc counts the elements in bins of equal width between low and high;
// elements outside are left out. If both are 0 the range is that of the
// elements. The counts have t's dtype. It panics with ErrDType for integers,
// and with ErrValue if bins is not positive. Follows torch.histc.
func (t *Tensor) Histc(bins int64, low, high any) *Tensor {
	const op = "Histc(self)"
	if bins <= 0 {
		panic(argError(op, ErrValue, "bins", "expected a positive number of bins"))
	}
	lo, hi := scalarArg(op, "low", low), scalarArg(op, "high", high)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Histc(cx, h, bins, lo, hi) })
}

// Histogram counts the elements between the given edges, an ascending tensor of
// one dimension, and returns the counts and the edges. With density the counts
// are scaled to an integral of 1. Follows torch.histogram.
func (t *Tensor) Histogram(edges *Tensor, density bool) (counts, binEdges *Tensor) {
	const op = "Histogram(self, edges)"
	h, e := t.handle(op, 0), edges.handle(op, 1)
	r := BeginRaw(op)
	res, st := aten.HistogramBinsTensor(r.Ctx, h, e, 0, density)
	r.Status(st, t, edges)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// Bincount counts how often each whole number from 0 on occurs in a tensor of
// one dimension; the result has at least minlength elements. With weights, nil
// for none, it adds those up instead. It panics with ErrDType for another
// shape, floating-point or negative elements, with ErrShape for weights of
// another length and with ErrValue for a negative minlength. Follows
// torch.bincount.
func (t *Tensor) Bincount(weights *Tensor, minlength int64) *Tensor {
	const op = "Bincount(self, weights)"
	h := t.handle(op, 0)
	if weights == nil {
		r := BeginRaw(op)
		return r.Tensor(aten.Bincount(r.Ctx, h, 0, minlength), t)
	}
	w := weights.handle(op, 1)
	r := BeginRaw(op)
	return r.Tensor(aten.Bincount(r.Ctx, h, w, minlength), t, weights)
}

// Unique returns the distinct elements in ascending order, in one dimension.
// Follows torch.unique.
func (t *Tensor) Unique() *Tensor {
	values, inverse, counts := triple("Unique(self)", t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.UnderUnique2(cx, h, true, false, false)
	})
	_, _ = inverse.Close(), counts.Close()
	return values
}

// UniqueCounts returns the distinct elements in ascending order, where each
// element of t stands among them (int64, in t's shape), and how often each
// occurs. Follows torch.unique with return_inverse and return_counts.
func (t *Tensor) UniqueCounts() (values, inverse, counts *Tensor) {
	return triple("UniqueCounts(self)", t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.UnderUnique2(cx, h, true, true, true)
	})
}

// UniqueDim returns the distinct slices along dim in ascending order, where
// each slice of t stands among them, and how often each occurs. It panics with
// ErrIndex if there is no such dimension. Follows torch.unique with dim.
func (t *Tensor) UniqueDim(dim int64) (values, inverse, counts *Tensor) {
	return triple("UniqueDim(self)", t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.UniqueDim(cx, h, dim, true, true, true)
	})
}

// UniqueConsecutive returns the flattened elements without repetitions of the
// element before, where each element of t stands among them, and the lengths of
// the runs. Follows torch.unique_consecutive.
func (t *Tensor) UniqueConsecutive() (values, inverse, counts *Tensor) {
	return triple("UniqueConsecutive(self)", t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.UniqueConsecutive(cx, h, true, true, nil)
	})
}
