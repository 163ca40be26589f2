package torch

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file solve systems of linear equations, with matrices in the
// last two dimensions.

// Solve returns the X with t @ X = b, or X @ t = b with Left(false), for square
// matrices t. b holds matrices, or vectors if it has one dimension less. It
// panics with ErrLinAlg if t is singular, with ErrShape if the sizes do not
// match, and with ErrDType for integers and if the dtypes differ.
// Follows torch.linalg.solve.
func (t *Tensor) Solve(b *Tensor, opts ...SolveOption) *Tensor {
	const op = "Solve(self, b)"
	left := readOption(op, opts, Left(true))
	return binary(op, func(cx abi.Ctx, h, b abi.Tensor) abi.Ret { return aten.LinalgSolve(cx, h, b, bool(left)) }, t, b)
}

// SolveTriangular returns the X with t @ X = b, or X @ t = b with Left(false),
// for triangular matrices t. upper selects the triangle that is read:
// Upper(true) or Upper(false). With [Unitriangular] the diagonal is not read
// and counts as 1. It panics with ErrShape if the sizes do not match, and with
// ErrDType for integers and if the dtypes differ.
// Follows torch.linalg.solve_triangular.
func (t *Tensor) SolveTriangular(b *Tensor, upper Upper, opts ...TriangularOption) *Tensor {
	const op = "SolveTriangular(self, b)"
	left, unitriangular := readOptions2(op, opts, Left(true), Unitriangular(false))
	return binary(op, func(cx abi.Ctx, h, b abi.Tensor) abi.Ret {
		return aten.LinalgSolveTriangular(cx, h, b, bool(upper), bool(left), bool(unitriangular))
	}, t, b)
}

// LUSolve returns the X with A @ X = b, or X @ A = b with Left(false), for the
// A whose LUFactor is t and pivots; with [Adjoint], for A's conjugate
// transpose. It panics with ErrShape if the sizes do not match, and with
// ErrDType if the dtypes differ, for integers, or for pivots that are not
// int32. Follows torch.linalg.lu_solve.
func (t *Tensor) LUSolve(pivots, b *Tensor, opts ...LUSolveOption) *Tensor {
	const op = "LUSolve(self, pivots, b)"
	left, adjoint := readOptions2(op, opts, Left(true), Adjoint(false))
	return ternary(op, func(cx abi.Ctx, lu, p, b abi.Tensor) abi.Ret {
		return aten.LinalgLuSolve(cx, lu, p, b, bool(left), bool(adjoint))
	}, t, pivots, b)
}

// LstSq returns the least-squares solution X of t @ X = b, the sums of squared
// residuals (empty unless t has full rank and more rows than columns), the
// ranks and the singular values. The default [Driver] is DriverGELSY, on a GPU
// DriverGELS; ranks and singular values are empty if the driver does not
// compute them. [RCond] sets which singular values count as 0. It panics with
// ErrValue for an unknown driver, with ErrShape if the sizes do not match, with
// ErrDType for integers and if the dtypes differ, and with ErrLinAlg if the
// algorithm fails. Follows torch.linalg.lstsq.
func (t *Tensor) LstSq(b *Tensor, opts ...LstSqOption) (solution, residuals, rank, singular *Tensor) {
	const op = "LstSq(self, b)"
	var (
		driver             Driver
		rcond              float64
		haveDriver, haveRC bool
	)
	for _, o := range opts {
		switch o := o.(type) {
		case Driver:
			driver, haveDriver = o, true
		case RCond:
			rcond, haveRC = float64(o), true
		default:
			panic(badOption(op, o))
		}
	}
	ha, hb := t.handle(op, 0), b.handle(op, 1)
	var limit *float64
	if haveRC {
		limit = &rcond
	}
	r := BeginRaw(op, t, b)
	res, st := aten.LinalgLstsq(r.Ctx, ha, hb, limit, driver.arg(haveDriver))
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2]), r.Wrap(res[3])
}

// TensorInv returns the inverse of t, seen as a linear map from its dimensions ind and
// above to its first ind dimensions, for use with TensorDotDims. It panics with ErrShape
// unless both groups of dimensions have the same number of elements, with ErrValue unless
// ind is positive, with ErrLinAlg if t is singular, and with ErrDType for integers.
// Follows torch.linalg.tensorinv.
func (t *Tensor) TensorInv(ind int64) *Tensor {
	return call("TensorInv(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgTensorinv(cx, h, ind)
	})
}

// TensorSolve returns the X for which TensorDot of t and X is b. [Dims] are
// dimensions of t that are first moved to its end. It panics with ErrShape if
// the sizes do not match, with ErrIndex for a dimension out of range, and with
// ErrLinAlg if t is singular. Follows torch.linalg.tensorsolve.
func (t *Tensor) TensorSolve(b *Tensor, opts ...TensorSolveOption) *Tensor {
	const op = "TensorSolve(self, b)"
	o := readAlong(op, opts)
	var x *Tensor
	err := Try(func() {
		x = binary(op, func(cx abi.Ctx, h, b abi.Tensor) abi.Ret {
			return aten.LinalgTensorsolve(cx, h, b, o.list())
		}, t, b)
	})
	if e, ok := err.(*Error); ok { //nolint:errorlint // Try returns no other
		if strings.Contains(e.Message, "std::vector") { // libtorch does not check the number of dimensions
			e.Kind, e.Message = ErrShape,
				fmt.Sprintf("argument b: expected at most as many dimensions as self, but b has %d and self has %d",
					b.Dim(), t.Dim())
		}
		panic(e)
	}
	return x
}
