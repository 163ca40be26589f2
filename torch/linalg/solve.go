package linalg

import "github.com/gotorch/gotorch/torch"

// Inv returns the inverses of square matrices. It panics with ErrLinAlg for a singular
// matrix. See [torch.Tensor.Inverse] for ownership and other panics. Follows
// torch.linalg.inv.
func Inv(a *torch.Tensor) *torch.Tensor { return a.Inverse() }

// Pinv returns the pseudoinverses; singular values up to the tolerances [ATol] and [RTol]
// count as 0. See [torch.Tensor.Pinverse] for ownership and panics. Follows
// torch.linalg.pinv.
func Pinv(a *torch.Tensor, opts ...torch.RankOption) *torch.Tensor { return a.Pinverse(opts...) }

// Solve returns the solution x of a @ x = b, or of x @ a = b with Left(false). It panics
// with ErrLinAlg for a singular matrix. See [torch.Tensor.Solve] for ownership and other
// panics. Follows torch.linalg.solve.
func Solve(a, b *torch.Tensor, opts ...torch.SolveOption) *torch.Tensor { return a.Solve(b, opts...) }

// SolveTriangular returns the solution x of a @ x = b for triangular a. See
// [torch.Tensor.SolveTriangular] for ownership and panics. Follows
// torch.linalg.solve_triangular.
func SolveTriangular(a, b *torch.Tensor, upper Upper, opts ...torch.TriangularOption) *torch.Tensor {
	return a.SolveTriangular(b, upper, opts...)
}

// LUSolve returns the solution x of a @ x = b, given the results of [LUFactor] for a. See
// [torch.Tensor.LUSolve] for ownership and panics. Follows torch.linalg.lu_solve.
func LUSolve(lu, pivots, b *torch.Tensor, opts ...torch.LUSolveOption) *torch.Tensor {
	return lu.LUSolve(pivots, b, opts...)
}

// LstSq returns the x for which the norm of a @ x - b is smallest, with the
// residuals, the ranks and the singular values of a. See
// [torch.Tensor.LstSq] for ownership and panics. Follows torch.linalg.lstsq.
func LstSq(a, b *torch.Tensor, opts ...torch.LstSqOption) (solution, residuals, rank, singular *torch.Tensor) {
	return a.LstSq(b, opts...)
}

// TensorInv returns the inverse of a with respect to TensorDot with ind dimensions.
// Python's default for ind is 2. See [torch.Tensor.TensorInv] for ownership and panics.
// Follows torch.linalg.tensorinv.
func TensorInv(a *torch.Tensor, ind int64) *torch.Tensor { return a.TensorInv(ind) }

// TensorSolve returns the solution x of TensorDot(a, x) = b. See
// [torch.Tensor.TensorSolve] for ownership and panics. Follows torch.linalg.tensorsolve.
func TensorSolve(a, b *torch.Tensor, opts ...torch.TensorSolveOption) *torch.Tensor {
	return a.TensorSolve(b, opts...)
}
