package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Running results and differences along one dimension. All panic with ErrIndex
// if there is no such dimension.

// Cumsum returns the running sums along dim, in t's shape. Integers and bools
// add up in int64 unless a dtype is given. Follows torch.cumsum.
func (t *Tensor) Cumsum(dim int64, dtype ...DType) *Tensor {
	d := dtypeCode(dtype)
	return call("Cumsum(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Cumsum(cx, h, dim, d) })
}

// Cumprod returns the running products along dim, in t's shape. Integers and
// bools multiply in int64 unless a dtype is given. Follows torch.cumprod.
func (t *Tensor) Cumprod(dim int64, dtype ...DType) *Tensor {
	d := dtypeCode(dtype)
	return call("Cumprod(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Cumprod(cx, h, dim, d) })
}

// Cummax returns the largest elements so far along dim and their int64
// indices. Follows torch.cummax.
func (t *Tensor) Cummax(dim int64) (values, indices *Tensor) {
	return pair("Cummax(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Cummax(cx, h, dim)
	})
}

// Cummin returns the smallest elements so far along dim and their int64
// indices. Follows torch.cummin.
func (t *Tensor) Cummin(dim int64) (values, indices *Tensor) {
	return pair("Cummin(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Cummin(cx, h, dim)
	})
}

// LogCumSumExp returns the logarithms of the running sums of exp(t) along dim,
// computed so that large elements do not overflow. Follows torch.logcumsumexp.
func (t *Tensor) LogCumSumExp(dim int64) *Tensor {
	return call("LogCumSumExp(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Logcumsumexp(cx, h, dim) })
}

// Diff returns the differences of neighbours along dim, taken n times; the
// dimension shrinks by n. It panics with ErrValue for a negative n. Follows
// torch.diff.
func (t *Tensor) Diff(n, dim int64) *Tensor {
	return call("Diff(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diff(cx, h, n, dim, 0, 0) })
}

// Trapezoid integrates t along dim by the trapezoidal rule, with points dx
// apart. Follows torch.trapezoid.
func (t *Tensor) Trapezoid(dx any, dim int64) *Tensor {
	const op = "Trapezoid(self)"
	s := scalarArg(op, "dx", dx)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.TrapezoidDx(cx, h, s, dim) })
}

// TrapezoidAt is Trapezoid for points at the given places. Follows
// torch.trapezoid.
func (t *Tensor) TrapezoidAt(x *Tensor, dim int64) *Tensor {
	return binary("TrapezoidAt(self, x)", func(cx abi.Ctx, y, x abi.Tensor) abi.Ret {
		return aten.TrapezoidX(cx, y, x, dim)
	}, t, x)
}

// CumulativeTrapezoid returns the running results of Trapezoid; the dimension
// shrinks by one. Follows torch.cumulative_trapezoid.
func (t *Tensor) CumulativeTrapezoid(dx any, dim int64) *Tensor {
	const op = "CumulativeTrapezoid(self)"
	s := scalarArg(op, "dx", dx)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.CumulativeTrapezoidDx(cx, h, s, dim) })
}
