package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Linear algebra over the last two dimensions; the others are a batch. All
// panic with ErrShape for tensors that are no (square, where needed) matrices,
// with ErrDType unless the elements are floating-point or complex, and with
// ErrLinAlg where an algorithm fails: a singular matrix, one that is not
// positive-definite, no convergence.

// Trace returns the sum of a matrix's diagonal. It takes no batches. Follows
// torch.trace.
func (t *Tensor) Trace() *Tensor { return unary("Trace(self)", aten.Trace, t) }

// Det returns the determinants of square matrices. Follows torch.linalg.det.
func (t *Tensor) Det() *Tensor { return unary("Det(self)", aten.LinalgDet, t) }

// Logdet returns the logarithms of the determinants: NaN for negative ones.
// Follows torch.logdet.
func (t *Tensor) Logdet() *Tensor { return unary("Logdet(self)", aten.Logdet, t) }

// Slogdet returns the signs of the determinants and the logarithms of their
// absolute values. Follows torch.linalg.slogdet.
func (t *Tensor) Slogdet() (sign, logabsdet *Tensor) {
	return pair("Slogdet(self)", t, aten.LinalgSlogdet)
}

// Inverse returns the inverses of square matrices. It panics with ErrLinAlg for
// a singular one. Follows torch.linalg.inv.
func (t *Tensor) Inverse() *Tensor { return unary("Inverse(self)", aten.LinalgInv, t) }

// Pinverse returns the Moore-Penrose pseudoinverses. Follows
// torch.linalg.pinv.
func (t *Tensor) Pinverse() *Tensor {
	return call("Pinverse(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgPinvAtolRtolFloat(cx, h, nil, nil, false)
	})
}

// MatrixExp returns the matrix exponentials of square matrices. Follows
// torch.linalg.matrix_exp.
func (t *Tensor) MatrixExp() *Tensor { return unary("MatrixExp(self)", aten.LinalgMatrixExp, t) }

// MatrixPower returns the n-th powers of square matrices; a negative n inverts.
// Follows torch.linalg.matrix_power.
func (t *Tensor) MatrixPower(n int64) *Tensor {
	return call("MatrixPower(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgMatrixPower(cx, h, n) })
}

// MatrixRank returns the ranks as int64, counting singular values above
// PyTorch's default tolerance. Follows torch.linalg.matrix_rank.
func (t *Tensor) MatrixRank() *Tensor {
	return call("MatrixRank(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgMatrixRankAtolRtolFloat(cx, h, nil, nil, false)
	})
}

// MatrixNorm returns the norms of matrices. ord is "fro" or "nuc", or a number:
// 1 and -1 for the largest and smallest column sum, infinities for row sums, 2
// and -2 for singular values. It panics with ErrType for an ord of another
// type. Follows torch.linalg.matrix_norm.
func (t *Tensor) MatrixNorm(ord any, keepdim bool) *Tensor {
	const op = "MatrixNorm(self)"
	dims := []int64{-2, -1}
	if name, ok := ord.(string); ok {
		return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.LinalgMatrixNormStrOrd(cx, h, name, dims, keepdim, -1)
		})
	}
	p := scalarArg(op, "ord", ord)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgMatrixNorm(cx, h, p, dims, keepdim, -1)
	})
}

// Cond returns the condition numbers in the norm p, a number as in MatrixNorm
// or nil for 2. Follows torch.linalg.cond.
func (t *Tensor) Cond(p any) *Tensor {
	const op = "Cond(self)"
	ord := ScalarOf(op, "p", p)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgCond(cx, h, ord) })
}

// Vander returns Vandermonde matrices of vectors: powers 0 to n-1 along a new
// last dimension. Follows torch.linalg.vander.
func (t *Tensor) Vander(n int64) *Tensor {
	return call("Vander(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgVander(cx, h, &n) })
}
