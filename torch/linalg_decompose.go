package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file has decompositions of the matrices in the last two dimensions. Factors that
// are not unique, such as the signs of singular vectors, differ between devices and
// versions.

// Cholesky returns the lower triangular L with t = L @ L.MH(), or with [Upper]
// the U with t = U.MH() @ U. It panics with ErrLinAlg unless the matrices are
// positive-definite, with ErrShape unless they are square and with ErrDType for
// integers. Follows torch.linalg.cholesky.
func (t *Tensor) Cholesky(opts ...CholeskyOption) *Tensor {
	const op = "Cholesky(self)"
	upper := readCholesky(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgCholesky(cx, h, upper) })
}

// CholeskyInverse returns the inverses of matrices given by their Cholesky
// factors t; with [Upper] the factors are upper triangular. It panics with
// ErrShape unless t has square matrices, and with ErrDType for integers.
// Follows torch.cholesky_inverse.
func (t *Tensor) CholeskyInverse(opts ...CholeskyOption) *Tensor {
	const op = "CholeskyInverse(self)"
	upper := readCholesky(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.CholeskyInverse(cx, h, upper) })
}

// CholeskySolve solves A @ X = t for the A with the given Cholesky factor; with
// [Upper] the factor is upper triangular. It panics with ErrShape if the sizes
// do not match, and with ErrDType for integers and if the dtypes differ.
// Follows torch.cholesky_solve.
func (t *Tensor) CholeskySolve(factor *Tensor, opts ...CholeskyOption) *Tensor {
	const op = "CholeskySolve(self, factor)"
	upper := readCholesky(op, opts)
	return binary(op, func(cx abi.Ctx, h, f abi.Tensor) abi.Ret {
		return aten.CholeskySolve(cx, h, f, upper)
	}, t, factor)
}

// QR returns the decomposition t = Q @ R into Q with orthonormal columns and an
// upper triangular R. [Mode] sets their sizes. It panics with ErrValue for an
// unknown Mode, with ErrShape unless t has matrices, and with ErrDType for
// integers. Follows torch.linalg.qr.
func (t *Tensor) QR(opts ...QROption) (q, r *Tensor) {
	const op = "QR(self)"
	mode := readOption(op, opts, ModeReduced)
	return pair(op, t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgQr(cx, h, string(mode))
	})
}

// SVD returns the singular value decomposition t = U @ diag(S) @ Vh, with S in descending
// order. U and Vh are square unless FullMatrices(false) is given. On a GPU, [Driver] may
// be DriverGESVD, DriverGESVDJ or DriverGESVDA; the default depends on the matrices. It
// panics with ErrValue for an unknown Driver or any Driver on a CPU, with ErrShape unless
// t has matrices, with ErrDType for integers, and with ErrLinAlg if it finds no result,
// for example for NaN. Follows torch.linalg.svd.
func (t *Tensor) SVD(opts ...SVDOption) (u, s, vh *Tensor) {
	const op = "SVD(self)"
	full, driver, given := true, Driver(""), false
	for _, o := range opts {
		switch o := o.(type) {
		case FullMatrices:
			full = bool(o)
		case Driver:
			driver, given = o, true
		default:
			panic(badOption(op, o))
		}
	}
	if given {
		driver.needSVD(op, t)
	}
	return triple(op, t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.LinalgSvd(cx, h, full, driver.arg(given))
	})
}

// SVDVals returns the singular values in descending order. [Driver] is as for
// [Tensor.SVD]. It panics as SVD does. Follows torch.linalg.svdvals.
func (t *Tensor) SVDVals(opts ...SVDValsOption) *Tensor {
	const op = "SVDVals(self)"
	driver, given := Driver(""), false
	for _, o := range opts {
		switch o := o.(type) {
		case Driver:
			driver, given = o, true
		default:
			panic(badOption(op, o))
		}
	}
	if given {
		driver.needSVD(op, t)
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgSvdvals(cx, h, driver.arg(given)) })
}

// Eigh returns the eigenvalues of symmetric or Hermitian matrices, real and
// ascending, and their eigenvectors as columns. It reads only the triangle
// [UPLO] (default the lower). It panics with ErrValue for an unknown UPLO, with
// ErrShape unless t has square matrices, and with ErrDType for integers.
// Follows torch.linalg.eigh.
func (t *Tensor) Eigh(opts ...EighOption) (values, vectors *Tensor) {
	const op = "Eigh(self)"
	triangle := readEigh(op, opts)
	return pair(op, t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgEigh(cx, h, triangle)
	})
}

// Eigvalsh returns the eigenvalues of symmetric or Hermitian matrices, real and
// ascending. [UPLO] is as for [Tensor.Eigh]. It panics as Eigh does.
// Follows torch.linalg.eigvalsh.
func (t *Tensor) Eigvalsh(opts ...EighOption) *Tensor {
	const op = "Eigvalsh(self)"
	triangle := readEigh(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgEigvalsh(cx, h, triangle) })
}

// Eig returns the eigenvalues of square matrices, complex and in no particular
// order, and their eigenvectors as columns. It panics with ErrShape unless t
// has square matrices, with ErrDType for integers, with ErrValue for infinite
// numbers and NaN, and with ErrLinAlg if it finds no result.
// Follows torch.linalg.eig.
func (t *Tensor) Eig() (values, vectors *Tensor) { return pair("Eig(self)", t, aten.LinalgEig) }

// Eigvals returns the eigenvalues of square matrices, complex and in no
// particular order. It panics with ErrShape unless t has square matrices, with
// ErrDType for integers, with ErrValue for infinite numbers and NaN, and with
// ErrLinAlg if it finds no result. Follows torch.linalg.eigvals.
func (t *Tensor) Eigvals() *Tensor {
	const op = "Eigvals(self)"
	finite(op, t)
	return unary(op, aten.LinalgEigvals, t)
}

// finite panics if a CPU tensor contains infinities or NaN. With these values LAPACK
// reads out of bounds, and Eigvals, unlike Eig, does not check for them.
func finite(op string, t *Tensor) {
	i := t.info(op)
	switch DTypeOf(i.DType) {
	case Float32, Float64, Complex64, Complex128: // libtorch rejects other dtypes
	default:
		return
	}
	if DeviceOf(i.Device) != CPU || Layout(i.Layout+1) != Strided {
		return
	}
	fine := true
	// If the check itself fails, ignore its error: Eigvals reports the same error.
	_ = Try(func() {
		Scope(func() {
			NoGrad(func() { fine = t.IsFinite().All().ItemBool() })
		})
	})
	if !fine {
		panic(argError(op, ErrValue, "self", "expected finite numbers, got infinities or NaN"))
	}
}

// LU returns the decomposition t = P @ L @ U with partial pivoting: a
// permutation, a lower triangular matrix with ones on its diagonal, and an
// upper triangular one. Pivot(false), which needs a GPU, does not exchange rows
// and leaves P empty. It panics with ErrValue for Pivot(false) on a CPU, with
// ErrShape unless t has matrices, and with ErrDType for integers.
// Follows torch.linalg.lu.
func (t *Tensor) LU(opts ...LUOption) (p, l, u *Tensor) {
	const op = "LU(self)"
	pivot := readLU(op, opts)
	return triple(op, t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.LinalgLu(cx, h, pivot)
	})
}

// LUFactor returns L and U in one matrix and the Int32 pivots, for
// [Tensor.LUSolve]. [Pivot] is as for [Tensor.LU]. It panics as LU does, and
// with ErrLinAlg for a singular matrix. Follows torch.linalg.lu_factor.
func (t *Tensor) LUFactor(opts ...LUOption) (lu, pivots *Tensor) {
	const op = "LUFactor(self)"
	pivot := readLU(op, opts)
	return pair(op, t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgLuFactor(cx, h, pivot)
	})
}
