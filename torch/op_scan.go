package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file return running results along one dimension. All panic with
// ErrIndex for a dimension out of range.

// CumSum returns the running sums along dim, in t's shape. Integers and bools
// add up in int64 unless a [DType] is given. It panics with ErrIndex for a
// dimension out of range, and with ErrDType for an integer DType if gradients
// are recorded. Follows torch.cumsum.
func (t *Tensor) CumSum(dim int64, opts ...DTypeOption) *Tensor {
	const op = "CumSum(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Cumsum(r.Ctx, h, dim, o.dtype))
}

// CumProd returns the running products along dim, in t's shape. Integers and
// bools multiply in int64 unless a [DType] is given. It panics with ErrIndex
// for a dimension out of range, and with ErrDType for an integer DType if
// gradients are recorded. Follows torch.cumprod.
func (t *Tensor) CumProd(dim int64, opts ...DTypeOption) *Tensor {
	const op = "CumProd(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Cumprod(r.Ctx, h, dim, o.dtype))
}

// CumMax returns the largest elements so far along dim and their int64 indices.
// It panics with ErrIndex for a dimension out of range, and with ErrDType for
// complex numbers. Follows torch.cummax.
func (t *Tensor) CumMax(dim int64) (values, indices *Tensor) {
	return pair("CumMax(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Cummax(cx, h, dim)
	})
}

// CumMin returns the smallest elements so far along dim and their int64
// indices. It panics with ErrIndex for a dimension out of range, and with
// ErrDType for complex numbers. Follows torch.cummin.
func (t *Tensor) CumMin(dim int64) (values, indices *Tensor) {
	return pair("CumMin(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Cummin(cx, h, dim)
	})
}

// LogCumSumExp returns the logarithms of the running sums of exp(t) along dim,
// without overflow for large elements. It panics with ErrIndex for a dimension
// out of range, and with ErrDType for integers and bools.
// Follows torch.logcumsumexp.
func (t *Tensor) LogCumSumExp(dim int64) *Tensor {
	return call("LogCumSumExp(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Logcumsumexp(cx, h, dim)
	})
}
