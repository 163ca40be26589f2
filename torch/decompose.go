package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Decompositions of matrices. The rules of the other linear algebra hold:
// batches come first, and ErrLinAlg says that an algorithm failed. Factors that
// mathematics leaves open, such as the signs of singular vectors, differ
// between devices and versions.

// Cholesky returns the lower triangular L with t = L @ L.MH(), or with upper
// the U with t = U.MH() @ U. It panics with ErrLinAlg unless the matrices are
// positive-definite. Follows torch.linalg.cholesky.
func (t *Tensor) Cholesky(upper bool) *Tensor {
	return call("Cholesky(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgCholesky(cx, h, upper) })
}

// CholeskyInverse returns the inverses of matrices given by their Cholesky
// factors t. Follows torch.cholesky_inverse.
func (t *Tensor) CholeskyInverse(upper bool) *Tensor {
	return call("CholeskyInverse(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.CholeskyInverse(cx, h, upper) })
}

// CholeskySolve solves A @ X = t for the A whose Cholesky factor is given.
// Follows torch.cholesky_solve.
func (t *Tensor) CholeskySolve(factor *Tensor, upper bool) *Tensor {
	return binary("CholeskySolve(self, factor)", func(cx abi.Ctx, h, f abi.Tensor) abi.Ret {
		return aten.CholeskySolve(cx, h, f, upper)
	}, t, factor)
}

// QR returns Q with orthonormal columns and an upper triangular R, t = Q @ R.
// mode is "reduced" (also if empty), "complete" for a square Q, or "r" for R
// alone, with an empty Q. Follows torch.linalg.qr.
func (t *Tensor) QR(mode string) (q, r *Tensor) {
	if mode == "" {
		mode = "reduced"
	}
	return pair("QR(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgQr(cx, h, mode)
	})
}

// SVD returns the singular value decomposition t = U @ diag(S) @ Vh with S
// descending. With fullMatrices U and Vh are square. Follows torch.linalg.svd.
func (t *Tensor) SVD(fullMatrices bool) (u, s, vh *Tensor) {
	return triple("SVD(self)", t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.LinalgSvd(cx, h, fullMatrices, nil)
	})
}

// SVDVals returns the singular values, descending. Follows
// torch.linalg.svdvals.
func (t *Tensor) SVDVals() *Tensor {
	return call("SVDVals(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgSvdvals(cx, h, nil) })
}

// Eigh returns the ascending eigenvalues of symmetric or Hermitian matrices,
// real, and their eigenvectors as columns. Only the lower triangle is read.
// Follows torch.linalg.eigh.
func (t *Tensor) Eigh() (values, vectors *Tensor) {
	return pair("Eigh(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgEigh(cx, h, "L")
	})
}

// Eigvalsh returns the ascending eigenvalues of symmetric or Hermitian
// matrices. Follows torch.linalg.eigvalsh.
func (t *Tensor) Eigvalsh() *Tensor {
	return call("Eigvalsh(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgEigvalsh(cx, h, "L") })
}

// Eig returns the eigenvalues of square matrices, complex and in no particular
// order, and their eigenvectors as columns. Follows torch.linalg.eig.
func (t *Tensor) Eig() (values, vectors *Tensor) { return pair("Eig(self)", t, aten.LinalgEig) }

// Eigvals returns the eigenvalues of square matrices, complex and in no
// particular order. Follows torch.linalg.eigvals.
func (t *Tensor) Eigvals() *Tensor { return unary("Eigvals(self)", aten.LinalgEigvals, t) }

// LU returns the decomposition t = P @ L @ U with partial pivoting: a
// permutation, a lower triangular matrix with ones on its diagonal, an upper
// one. Follows torch.linalg.lu.
func (t *Tensor) LU() (p, l, u *Tensor) {
	return triple("LU(self)", t, func(cx abi.Ctx, h abi.Tensor) ([3]abi.Tensor, abi.Status) {
		return aten.LinalgLu(cx, h, true)
	})
}

// LUFactor returns L and U in one matrix and the int32 pivots, as LUSolve takes
// them. Follows torch.linalg.lu_factor.
func (t *Tensor) LUFactor() (lu, pivots *Tensor) {
	return pair("LUFactor(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.LinalgLuFactor(cx, h, true)
	})
}
