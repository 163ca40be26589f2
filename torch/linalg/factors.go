package linalg

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
)

// The functions in this file have no method in package torch: functions that report
// failures in their last result, and factorizations of symmetric matrices.

// CholeskyEx is like [Cholesky], but also returns info, an Int32 for each matrix. It is 0
// on success. Otherwise it is the order of the leading minor that is not
// positive-definite, and the factor is wrong. CholeskyEx panics with ErrNil or ErrClosed
// for a nil or closed tensor, with ErrShape unless a has square matrices, with ErrDType
// for integers, and with ErrLinAlg on failure if [CheckErrors] is set. Follows
// torch.linalg.cholesky_ex.
func CholeskyEx(a *torch.Tensor, opts ...CholeskyExOption) (l, info *torch.Tensor) {
	const op = "linalg.CholeskyEx(a)"
	o := read(op, opts)
	return operand.Pair(op, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgCholeskyEx(cx, h, o.upper, o.check)
	}, a)
}

// InvEx is like [Inv], but also returns info, an Int32 for each matrix. It is not 0 if
// the matrix has no inverse. Ownership and panics are as for CholeskyEx. Follows
// torch.linalg.inv_ex.
func InvEx(a *torch.Tensor, opts ...InvExOption) (inverse, info *torch.Tensor) {
	const op = "linalg.InvEx(a)"
	o := read(op, opts)
	return operand.Pair(op, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgInvEx(cx, h, o.check)
	}, a)
}

// LUFactorEx is like [LUFactor], but also returns info, an Int32 for each matrix. It is
// not 0 if the matrix is singular. Ownership and panics are as for CholeskyEx, but the
// matrices need not be square. Follows torch.linalg.lu_factor_ex.
func LUFactorEx(a *torch.Tensor, opts ...LUFactorExOption) (lu, pivots, info *torch.Tensor) {
	const op = "linalg.LUFactorEx(a)"
	o := read(op, opts)
	return operand.Triple(op, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.LinalgLuFactorEx(cx, h, o.pivot, o.check)
	}, a)
}

// SolveEx is like [Solve], but also returns info, an Int32 for each matrix. It is not 0
// if the matrix is singular. SolveEx panics for a and b as CholeskyEx does, and with
// ErrShape if their shapes do not match. Follows torch.linalg.solve_ex.
func SolveEx(a, b *torch.Tensor, opts ...SolveExOption) (result, info *torch.Tensor) {
	const op = "linalg.SolveEx(a, b)"
	ha, hb, o := a.HandleFor(op, 0), b.HandleFor(op, 1), read(op, opts)
	r := torch.BeginRaw(op, a, b)
	res, st := aten.LinalgSolveEx(r.Ctx, ha, hb, o.left, o.check)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// LDLFactor returns the LDL factorization of symmetric matrices, or with [Hermitian] of
// Hermitian matrices. ld holds both factors in one matrix, and pivots holds the row
// exchanges, for [LDLSolve]. LDLFactor panics with ErrNil or ErrClosed for a nil or
// closed tensor, with ErrShape unless a has square matrices, with ErrDType for integers,
// and with ErrLinAlg for a singular matrix. Follows torch.linalg.ldl_factor.
func LDLFactor(a *torch.Tensor, opts ...LDLOption) (ld, pivots *torch.Tensor) {
	const op = "linalg.LDLFactor(a)"
	o := read(op, opts)
	return operand.Pair(op, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgLdlFactor(cx, h, o.hermitian)
	}, a)
}

// LDLFactorEx is like [LDLFactor], but also returns info, an Int32 for each matrix. It is
// not 0 if the matrix is singular. Ownership and panics are as for CholeskyEx. Follows
// torch.linalg.ldl_factor_ex.
func LDLFactorEx(a *torch.Tensor, opts ...LDLFactorExOption) (ld, pivots, info *torch.Tensor) {
	const op = "linalg.LDLFactorEx(a)"
	o := read(op, opts)
	return operand.Triple(op, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.LinalgLdlFactorEx(cx, h, o.hermitian, o.check)
	}, a)
}

// LDLSolve returns the solution x of a @ x = b, given the results of [LDLFactor] for a,
// with the same [Hermitian]. It panics with ErrNil or ErrClosed for a nil or closed
// tensor, with ErrShape if the shapes do not match, and with ErrDType for integers, for
// pivots of a wrong dtype and for dtypes that differ. Follows torch.linalg.ldl_solve.
func LDLSolve(ld, pivots, b *torch.Tensor, opts ...LDLOption) *torch.Tensor {
	const op = "linalg.LDLSolve(ld, pivots, b)"
	o := read(op, opts)
	return operand.Ternary(op, func(cx abi.Ctx, ld, p, b abi.Tensor) abi.Ret {
		return aten.LinalgLdlSolve(cx, ld, p, b, o.hermitian)
	}, ld, pivots, b)
}

// HouseholderProduct returns the first columns of the product of Householder reflections.
// tau and the columns of a below the diagonal describe the reflections, as returned by
// [torch.Tensor.Geqrf]. HouseholderProduct panics with ErrNil or ErrClosed for a nil or
// closed tensor, with ErrShape if the shapes do not match, and with ErrDType for integers
// and for dtypes that differ. Follows torch.linalg.householder_product.
func HouseholderProduct(a, tau *torch.Tensor) *torch.Tensor {
	return operand.Binary("linalg.HouseholderProduct(a, tau)", aten.LinalgHouseholderProduct, a, tau)
}
