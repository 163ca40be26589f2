package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Systems of linear equations, under the rules of the other linear algebra.

// Solve returns the X of t @ X = b for square matrices t; b holds matrices, or
// vectors in one dimension less. It panics with ErrLinAlg if t is singular.
// Follows torch.linalg.solve.
func (t *Tensor) Solve(b *Tensor) *Tensor {
	return binary("Solve(self, b)", func(cx abi.Ctx, h, b abi.Tensor) abi.Ret {
		return aten.LinalgSolve(cx, h, b, true)
	}, t, b)
}

// SolveTriangular returns the X of t @ X = b for triangular matrices t, whose
// other triangle is not read; with unitriangular neither is the diagonal, which
// counts as 1. Follows torch.linalg.solve_triangular.
func (t *Tensor) SolveTriangular(b *Tensor, upper, unitriangular bool) *Tensor {
	return binary("SolveTriangular(self, b)", func(cx abi.Ctx, h, b abi.Tensor) abi.Ret {
		return aten.LinalgSolveTriangular(cx, h, b, upper, true, unitriangular)
	}, t, b)
}

// LUSolve returns the X of A @ X = b for the A whose LUFactor t and pivots are.
// Follows torch.linalg.lu_solve.
func (t *Tensor) LUSolve(pivots, b *Tensor) *Tensor {
	return ternary("LUSolve(self, pivots, b)", func(cx abi.Ctx, lu, p, b abi.Tensor) abi.Ret {
		return aten.LinalgLuSolve(cx, lu, p, b, true, false)
	}, t, pivots, b)
}

// LstSq returns the X for which t @ X comes closest to b by least squares, the
// sums of squared residuals (empty unless t has full rank and more rows than
// columns), the ranks and the singular values. The driver is LAPACK's "gelsy",
// "gels", "gelsd" or "gelss", "gelsy" if empty; ranks and singular values are
// empty where the driver does not compute them. Follows torch.linalg.lstsq.
func (t *Tensor) LstSq(b *Tensor, driver string) (solution, residuals, rank, singular *Tensor) {
	const op = "LstSq(self, b)"
	ha, hb := t.handle(op, 0), b.handle(op, 1)
	d := optional(driver)
	r := BeginRaw(op)
	res, st := aten.LinalgLstsq(r.Ctx, ha, hb, nil, d)
	r.Status(st, t, b)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2]), r.Wrap(res[3])
}

// TensorInv returns the inverse of t seen as a map from its dimensions from ind
// on to those before: the inverse of TensorDotDims. Follows
// torch.linalg.tensorinv.
func (t *Tensor) TensorInv(ind int64) *Tensor {
	return call("TensorInv(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgTensorinv(cx, h, ind) })
}

// TensorSolve returns the X for which TensorDot of t and X gives b. Follows
// torch.linalg.tensorsolve.
func (t *Tensor) TensorSolve(b *Tensor) *Tensor {
	return binary("TensorSolve(self, b)", func(cx abi.Ctx, h, b abi.Tensor) abi.Ret {
		return aten.LinalgTensorsolve(cx, h, b, nil)
	}, t, b)
}
