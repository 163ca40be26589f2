package linalg

import "github.com/gotorch/gotorch/torch"

// Cholesky returns the lower triangular L of a = L @ L^H, or with [Upper] the upper
// triangular U of a = U^H @ U. See [torch.Tensor.Cholesky] for ownership and panics.
// Follows torch.linalg.cholesky.
func Cholesky(a *torch.Tensor, opts ...torch.CholeskyOption) *torch.Tensor {
	return a.Cholesky(opts...)
}

// QR returns an orthogonal matrix q and an upper triangular matrix r such that a = q @ r;
// [Mode] selects their sizes. See [torch.Tensor.QR] for ownership and panics. Follows
// torch.linalg.qr.
func QR(a *torch.Tensor, opts ...torch.QROption) (q, r *torch.Tensor) { return a.QR(opts...) }

// SVD returns the singular value decomposition a = u @ diag(s) @ vh, with [FullMatrices]
// and [Driver] as options. See [torch.Tensor.SVD] for ownership and panics. Follows
// torch.linalg.svd.
func SVD(a *torch.Tensor, opts ...torch.SVDOption) (u, s, vh *torch.Tensor) { return a.SVD(opts...) }

// SVDVals returns the singular values, largest first. See
// [torch.Tensor.SVDVals] for ownership and panics. Follows torch.linalg.svdvals.
func SVDVals(a *torch.Tensor, opts ...torch.SVDValsOption) *torch.Tensor { return a.SVDVals(opts...) }

// Eig returns the complex eigenvalues and eigenvectors of square matrices. See
// [torch.Tensor.Eig] for ownership and panics. Follows torch.linalg.eig.
func Eig(a *torch.Tensor) (values, vectors *torch.Tensor) { return a.Eig() }

// Eigvals returns the complex eigenvalues of square matrices. See [torch.Tensor.Eigvals]
// for ownership and panics. Follows torch.linalg.eigvals.
func Eigvals(a *torch.Tensor) *torch.Tensor { return a.Eigvals() }

// Eigh returns the eigenvalues, in ascending order, and the eigenvectors of symmetric or
// Hermitian matrices. [UPLO] selects the triangle that is read. See [torch.Tensor.Eigh]
// for ownership and panics. Follows torch.linalg.eigh.
func Eigh(a *torch.Tensor, opts ...torch.EighOption) (values, vectors *torch.Tensor) {
	return a.Eigh(opts...)
}

// Eigvalsh returns the eigenvalues of symmetric or Hermitian matrices, in ascending
// order. See [torch.Tensor.Eigvalsh] for ownership and panics. Follows
// torch.linalg.eigvalsh.
func Eigvalsh(a *torch.Tensor, opts ...torch.EighOption) *torch.Tensor { return a.Eigvalsh(opts...) }

// LU returns a permutation matrix p, a lower triangular matrix l and an upper triangular
// matrix u such that a = p @ l @ u. See [torch.Tensor.LU] for ownership and panics.
// Follows torch.linalg.lu.
func LU(a *torch.Tensor, opts ...torch.LUOption) (p, l, u *torch.Tensor) { return a.LU(opts...) }

// LUFactor returns both triangular factors in one matrix, and the row exchanges (pivots),
// for [LUSolve]. See [torch.Tensor.LUFactor] for ownership and panics. Follows
// torch.linalg.lu_factor.
func LUFactor(a *torch.Tensor, opts ...torch.LUOption) (lu, pivots *torch.Tensor) {
	return a.LUFactor(opts...)
}
