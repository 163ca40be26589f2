package linalg

import "github.com/gotorch/gotorch/torch"

// Det returns the determinants of square matrices. See [torch.Tensor.Det] for ownership
// and panics. Follows torch.linalg.det.
func Det(a *torch.Tensor) *torch.Tensor { return a.Det() }

// Slogdet returns the sign of the determinants and the logarithm of their absolute value.
// See [torch.Tensor.Slogdet] for ownership and panics. Follows torch.linalg.slogdet.
func Slogdet(a *torch.Tensor) (sign, logabsdet *torch.Tensor) { return a.Slogdet() }

// Cond returns the condition numbers in the norm p: a number, "fro", "nuc", or nil for 2.
// See [torch.Tensor.Cond] for ownership and panics. Follows torch.linalg.cond.
func Cond(a *torch.Tensor, p any) *torch.Tensor { return a.Cond(p) }

// MatrixRank returns the number of singular values larger than the tolerances [ATol] and
// [RTol]. See [torch.Tensor.MatrixRank] for ownership and panics. Follows
// torch.linalg.matrix_rank.
func MatrixRank(a *torch.Tensor, opts ...torch.RankOption) *torch.Tensor {
	return a.MatrixRank(opts...)
}

// MatrixExp returns the exponential of square matrices. See
// [torch.Tensor.MatrixExp] for ownership and panics. Follows torch.linalg.matrix_exp.
func MatrixExp(a *torch.Tensor) *torch.Tensor { return a.MatrixExp() }

// MatrixPower returns square matrices raised to the power n. See
// [torch.Tensor.MatrixPower] for ownership and panics.
// Follows torch.linalg.matrix_power.
func MatrixPower(a *torch.Tensor, n int64) *torch.Tensor { return a.MatrixPower(n) }

// MatMul returns the product of matrices or vectors. See [torch.Tensor.MatMul] for
// ownership and panics. Follows torch.linalg.matmul.
func MatMul(a, other *torch.Tensor) *torch.Tensor { return a.MatMul(other) }

// MultiDot returns the product of at least two matrices, multiplied in the cheapest
// order. See [torch.MultiDot] for ownership and panics. Follows torch.linalg.multi_dot.
func MultiDot(matrices ...*torch.Tensor) *torch.Tensor { return torch.MultiDot(matrices...) }

// Cross returns the cross products of vectors of 3 elements along [Dim], by default the
// last dimension. See [torch.Tensor.Cross] for ownership and panics. Follows
// torch.linalg.cross.
func Cross(a, other *torch.Tensor, dim ...torch.Dim) *torch.Tensor {
	return a.Cross(other, dim...)
}

// Vecdot returns the inner products of vectors along [Dim], by default the last
// dimension. See [torch.Tensor.Vecdot] for ownership and panics. Follows
// torch.linalg.vecdot.
func Vecdot(a, other *torch.Tensor, dim ...torch.Dim) *torch.Tensor {
	return a.Vecdot(other, dim...)
}

// Vander returns Vandermonde matrices of vectors: their powers 0 to [N]-1. See
// [torch.Tensor.Vander] for ownership and panics. Follows torch.linalg.vander.
func Vander(a *torch.Tensor, opts ...torch.VanderOption) *torch.Tensor { return a.Vander(opts...) }

// Diagonal returns the diagonals of matrices, as a view that shares a's memory. [Offset]
// selects a different diagonal; [Dim1] and [Dim2] are the dimensions of the matrices, by
// default the last two. It is [torch.Tensor.Diagonal] with different defaults; see there
// for ownership and panics. Follows torch.linalg.diagonal.
func Diagonal(a *torch.Tensor, opts ...torch.DiagonalOption) *torch.Tensor {
	var room [4]torch.DiagonalOption
	return a.Diagonal(append(append(room[:0], Dim1(-2), Dim2(-1)), opts...)...)
}
