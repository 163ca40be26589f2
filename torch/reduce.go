package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Reductions that add up, multiply or decide. In all of them a list of
// dimensions may hold negative numbers, which count from the end; an empty list
// or nil means every dimension; keepdim leaves reduced dimensions in place with
// size 1.

// everyDim spells out an empty list for operators that take it at its word.
func everyDim(t *Tensor, dims []int64) []int64 {
	if len(dims) > 0 {
		return dims
	}
	all := make([]int64, t.Dim())
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

// SumAll returns the sum of all elements, a tensor of no dimensions. Integers
// and bools add up in int64. A dtype, if given, is that of the sum and of the
// result. Follows torch.sum.
func (t *Tensor) SumAll(dtype ...DType) *Tensor {
	const op = "SumAll(self)"
	d := dtypeCode(dtype)
	h := t.handle(op, 0)
	r := BeginRaw(op)
	return r.Tensor(aten.Sum(r.Ctx, h, d), t)
}

// Sum is [Tensor.SumAll] under the name that its sisters Mean and Prod have.
func (t *Tensor) Sum(dtype ...DType) *Tensor { return t.SumAll(dtype...) }

// SumDim returns the sums over some dimensions, nil for all. A dtype, if given,
// is that of the sums. It panics with ErrIndex for a dimension that is not
// there and with ErrShape for one given twice. Follows torch.sum.
func (t *Tensor) SumDim(dims []int64, keepdim bool, dtype ...DType) *Tensor {
	const op = "SumDim(self)"
	d := dtypeCode(dtype)
	h := t.handle(op, 0)
	r := BeginRaw(op)
	return r.Tensor(aten.SumDimIntList(r.Ctx, h, dims, keepdim, d), t)
}

// SumToSize sums t down to a shape that could be broadcast to t's; it undoes a
// broadcast. If nothing is to be summed the result shares t's memory. It panics
// with ErrShape if the shape cannot be broadcast to t's. Follows
// Tensor.sum_to_size.
func (t *Tensor) SumToSize(shape ...int64) *Tensor {
	return call("SumToSize(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.SumToSize(cx, h, shape)
	})
}

// NaNSum is SumDim with NaN counted as 0. Follows torch.nansum.
func (t *Tensor) NaNSum(dims []int64, keepdim bool, dtype ...DType) *Tensor {
	d := dtypeCode(dtype)
	return call("NaNSum(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Nansum(cx, h, dims, keepdim, d)
	})
}

// Mean returns the mean of all elements, a tensor of no dimensions; NaN if
// there are none. It panics with ErrDType for integers and bools unless a
// floating-point dtype is given. Follows torch.mean.
func (t *Tensor) Mean(dtype ...DType) *Tensor {
	const op = "Mean(self)"
	d := dtypeCode(dtype)
	h := t.handle(op, 0)
	r := BeginRaw(op)
	return r.Tensor(aten.Mean(r.Ctx, h, d), t)
}

// MeanDim returns the means over some dimensions, nil for all. It panics with
// ErrIndex for a dimension that is not there, and with ErrDType for integers
// and bools unless a floating-point dtype is given. Follows torch.mean.
func (t *Tensor) MeanDim(dims []int64, keepdim bool, dtype ...DType) *Tensor {
	const op = "MeanDim(self)"
	d := dtypeCode(dtype)
	h := t.handle(op, 0)
	r := BeginRaw(op)
	return r.Tensor(aten.MeanDim(r.Ctx, h, dims, keepdim, d), t)
}

// NaNMean is MeanDim over the elements that are not NaN. Follows
// torch.nanmean.
func (t *Tensor) NaNMean(dims []int64, keepdim bool, dtype ...DType) *Tensor {
	d := dtypeCode(dtype)
	return call("NaNMean(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Nanmean(cx, h, dims, keepdim, d)
	})
}

// Prod returns the product of all elements, a tensor of no dimensions.
// Integers and bools multiply in int64 unless a dtype is given. Follows
// torch.prod.
func (t *Tensor) Prod(dtype ...DType) *Tensor {
	d := dtypeCode(dtype)
	return call("Prod(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Prod(cx, h, d) })
}

// ProdDim returns the products over one dimension. It panics with ErrIndex if
// there is no such dimension. Follows torch.prod.
func (t *Tensor) ProdDim(dim int64, keepdim bool, dtype ...DType) *Tensor {
	d := dtypeCode(dtype)
	return call("ProdDim(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ProdDimInt(cx, h, dim, keepdim, d)
	})
}

// LogSumExp returns log(sum(exp(t))) over some dimensions, computed so that
// large elements do not overflow. It panics with ErrIndex for a dimension that
// is not there. Follows torch.logsumexp.
func (t *Tensor) LogSumExp(dims []int64, keepdim bool) *Tensor {
	const op = "LogSumExp(self)"
	_ = t.handle(op, 0) // before everyDim asks
	dims = everyDim(t, dims)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Logsumexp(cx, h, dims, keepdim)
	})
}

// Norm returns the Euclidean norm of all elements, whatever the shape: the
// Frobenius norm of a matrix. It panics with ErrDType for integers. Follows
// Tensor.norm.
func (t *Tensor) Norm() *Tensor { return t.NormDim(2, nil, false) }

// NormDim returns the p-norms of the vectors along some dimensions, which count
// as flattened if there are several; nil for all. p is a number; infinity gives
// the largest, minus infinity the smallest absolute value, 0 the count of
// elements that are not 0. It panics with ErrDType for integers. Follows
// torch.linalg.vector_norm, and Tensor.norm for numbers.
func (t *Tensor) NormDim(p any, dims []int64, keepdim bool) *Tensor {
	const op = "NormDim(self)"
	ord := scalarArg(op, "p", p)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgVectorNorm(cx, h, ord, dims, keepdim, -1)
	})
}

// Renorm returns t with each slice along dim scaled down so that its p-norm is
// at most maxnorm; slices below that stay as they are. Follows torch.renorm.
func (t *Tensor) Renorm(p any, dim int64, maxnorm any) *Tensor {
	const op = "Renorm(self)"
	ord, limit := scalarArg(op, "p", p), scalarArg(op, "maxnorm", maxnorm)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Renorm(cx, h, ord, dim, limit) })
}

// All returns whether no element is zero or false: a bool tensor of no
// dimensions. It is true for an empty tensor. Follows torch.all.
func (t *Tensor) All() *Tensor { return unary("All(self)", aten.All, t) }

// AllDim is All over some dimensions, nil for all. It panics with ErrIndex for
// a dimension that is not there. Follows torch.all.
func (t *Tensor) AllDim(dims []int64, keepdim bool) *Tensor {
	const op = "AllDim(self)"
	_ = t.handle(op, 0) // before everyDim asks
	dims = everyDim(t, dims)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.AllDims(cx, h, dims, keepdim)
	})
}

// Any returns whether some element is not zero or false: a bool tensor of no
// dimensions. It is false for an empty tensor. Follows torch.any.
func (t *Tensor) Any() *Tensor { return unary("Any(self)", aten.Any, t) }

// AnyDim is Any over some dimensions, nil for all. It panics with ErrIndex for
// a dimension that is not there. Follows torch.any.
func (t *Tensor) AnyDim(dims []int64, keepdim bool) *Tensor {
	const op = "AnyDim(self)"
	_ = t.handle(op, 0) // before everyDim asks
	dims = everyDim(t, dims)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.AnyDims(cx, h, dims, keepdim)
	})
}

// CountNonzero returns how many elements are not zero, over some dimensions or,
// if none are given, over all: an int64 tensor. Follows torch.count_nonzero.
func (t *Tensor) CountNonzero(dims ...int64) *Tensor {
	return call("CountNonzero(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.CountNonzeroDimIntList(cx, h, dims)
	})
}
