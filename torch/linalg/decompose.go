package linalg

import "github.com/gotorch/gotorch/torch"

// Decompositions.

// Cholesky returns the factor L of a = L @ L^H, lower triangular, or with
// [Upper] the upper one. It is [torch.Tensor.Cholesky]: so are owner and
// panics. Follows torch.linalg.cholesky.
func Cholesky(a *torch.Tensor, opts ...torch.CholeskyOption) *torch.Tensor {
	return a.Cholesky(opts...)
}

// QR returns an orthogonal and an upper triangular matrix whose product is a;
// [Mode] says how large they are. It is [torch.Tensor.QR]: so are owner and
// panics. Follows torch.linalg.qr.
func QR(a *torch.Tensor, opts ...torch.QROption) (q, r *torch.Tensor) { return a.QR(opts...) }

// SVD returns the singular value decomposition a = u @ diag(s) @ vh, with
// [FullMatrices] and [Driver] as options. It is [torch.Tensor.SVD]: so are
// owner and panics. Follows torch.linalg.svd.
func SVD(a *torch.Tensor, opts ...torch.SVDOption) (u, s, vh *torch.Tensor) { return a.SVD(opts...) }

// SVDVals returns the singular values, largest first. It is
// [torch.Tensor.SVDVals]: so are owner and panics. Follows torch.linalg.svdvals.
func SVDVals(a *torch.Tensor, opts ...torch.SVDValsOption) *torch.Tensor { return a.SVDVals(opts...) }

// Eig returns the eigenvalues and eigenvectors of square matrices, which are
// complex. It is [torch.Tensor.Eig]: so are owner and panics. Follows torch.linalg.eig.
func Eig(a *torch.Tensor) (values, vectors *torch.Tensor) { return a.Eig() }

// Eigvals returns the eigenvalues of square matrices, which are complex. It is
// [torch.Tensor.Eigvals]: so are owner and panics. Follows torch.linalg.eigvals.
func Eigvals(a *torch.Tensor) *torch.Tensor { return a.Eigvals() }

// Eigh returns the eigenvalues, in ascending order, and eigenvectors of
// symmetric or Hermitian matrices, of which the triangle that [UPLO] says is
// read. It is [torch.Tensor.Eigh]: so are owner and panics. Follows torch.linalg.eigh.
func Eigh(a *torch.Tensor, opts ...torch.EighOption) (values, vectors *torch.Tensor) {
	return a.Eigh(opts...)
}

// Eigvalsh returns the eigenvalues of symmetric or Hermitian matrices, in
// ascending order. It is [torch.Tensor.Eigvalsh]: so are owner and panics.
// Follows torch.linalg.eigvalsh.
func Eigvalsh(a *torch.Tensor, opts ...torch.EighOption) *torch.Tensor { return a.Eigvalsh(opts...) }

// LU returns a permutation, a lower and an upper triangular matrix whose
// product is a. It is [torch.Tensor.LU]: so are owner and panics.
// Follows torch.linalg.lu.
func LU(a *torch.Tensor, opts ...torch.LUOption) (p, l, u *torch.Tensor) { return a.LU(opts...) }

// LUFactor returns both triangular factors in one matrix, and the exchanges of
// rows, for [LUSolve]. It is [torch.Tensor.LUFactor]: so are owner and panics.
// Follows torch.linalg.lu_factor.
func LUFactor(a *torch.Tensor, opts ...torch.LUOption) (lu, pivots *torch.Tensor) {
	return a.LUFactor(opts...)
}
