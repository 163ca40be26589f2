package torch

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file work on matrices in the last two dimensions; the other
// dimensions are a batch.

// Trace returns the sum of a matrix's diagonal. It does not accept batches. It
// panics with ErrShape unless t is a matrix, and with ErrDType for bools.
// Follows torch.trace.
func (t *Tensor) Trace() *Tensor { return unary("Trace(self)", aten.Trace, t) }

// Det returns the determinants of square matrices. It panics with ErrShape
// unless t has square matrices, and with ErrDType for integers.
// Follows torch.linalg.det.
func (t *Tensor) Det() *Tensor { return unary("Det(self)", aten.LinalgDet, t) }

// Logdet returns the logarithms of the determinants of square matrices, NaN for
// negative determinants. It panics with ErrShape unless t has square matrices,
// and with ErrDType for integers. Follows torch.logdet.
func (t *Tensor) Logdet() *Tensor { return unary("Logdet(self)", aten.Logdet, t) }

// Slogdet returns the signs of the determinants and the logarithms of their
// absolute values. It panics with ErrShape unless t has square matrices, and
// with ErrDType for integers. Follows torch.linalg.slogdet.
func (t *Tensor) Slogdet() (sign, logabsdet *Tensor) {
	return pair("Slogdet(self)", t, aten.LinalgSlogdet)
}

// Inverse returns the inverses of square matrices. It panics with ErrLinAlg for
// a singular one, with ErrShape unless t has square matrices, and with ErrDType
// for integers. Follows torch.linalg.inv.
func (t *Tensor) Inverse() *Tensor { return unary("Inverse(self)", aten.LinalgInv, t) }

// Pinverse returns the Moore-Penrose pseudoinverses. Singular values count as 0
// up to [ATol] (default 0), or up to [RTol] times the largest one. The default
// of RTol is the dtype's precision times the larger side of a matrix, or 0 if
// ATol is positive. [Hermitian] assumes symmetric matrices. It panics with
// ErrShape or ErrIndex unless t has matrices, square ones for Hermitian, and
// with ErrDType for integers. Follows torch.linalg.pinv.
func (t *Tensor) Pinverse(opts ...RankOption) *Tensor {
	const op = "Pinverse(self)"
	o := readRank(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		atol, rtol := o.args()
		return aten.LinalgPinvAtolRtolFloat(cx, h, atol, rtol, o.hermitian)
	})
}

// MatrixExp returns the matrix exponentials of square matrices. It panics with
// ErrShape unless t has square matrices, and with ErrDType for integers.
// Follows torch.linalg.matrix_exp.
func (t *Tensor) MatrixExp() *Tensor { return unary("MatrixExp(self)", aten.LinalgMatrixExp, t) }

// MatrixPower returns the n-th powers of square matrices; a negative n inverts.
// It panics with ErrShape unless t has square matrices, and with ErrValue for
// the smallest int64. For a negative n it panics with ErrLinAlg for a singular
// matrix, and with ErrDType unless t is floating point or complex.
// Follows torch.linalg.matrix_power.
func (t *Tensor) MatrixPower(n int64) *Tensor {
	const op = "MatrixPower(self)"
	t.handle(op, 0)
	if n == math.MinInt64 { // libtorch would never return from this call
		panic(argError(op, ErrValue, "n", fmt.Sprintf("expected a power of at least %d, got %d", math.MinInt64+1, n)))
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgMatrixPower(cx, h, n) })
}

// MatrixRank returns the ranks of matrices as Int64: the numbers of singular values that
// do not count as 0. It takes the options of [Tensor.Pinverse]. It panics with ErrShape
// unless t has matrices, square ones for [Hermitian], and with ErrDType for integers.
// Follows torch.linalg.matrix_rank.
func (t *Tensor) MatrixRank(opts ...RankOption) *Tensor {
	const op = "MatrixRank(self)"
	o := readRank(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		atol, rtol := o.args()
		return aten.LinalgMatrixRankAtolRtolFloat(cx, h, atol, rtol, o.hermitian)
	})
}

// MatrixNorm returns the norms of matrices over two dimensions, [Dims] (default the last
// two). ord is "fro", "nuc" or a number: 1 and -1 for the largest and smallest column
// sum, infinities for row sums, 2 and -2 for singular values. A [DType] is the dtype of
// the sums and the result. It panics with ErrType for an ord of any other type, with
// ErrValue for an unknown word or number, with ErrShape or ErrIndex unless Dims are two
// different dimensions of t, and with ErrDType for integers.
// Follows torch.linalg.matrix_norm.
func (t *Tensor) MatrixNorm(ord any, opts ...MatrixNormOption) *Tensor {
	const op = "MatrixNorm(self)"
	o := along{dtype: -1}
	o.take(Dims{-2, -1})
	for _, opt := range opts {
		if !o.take(opt) {
			panic(badOption(op, opt))
		}
	}
	if len(o.list()) != 2 {
		panic(argError(op, ErrShape, "Dims",
			fmt.Sprintf("expected two dimensions, got %v", append([]int64{}, o.list()...))))
	}
	if name, ok := ord.(string); ok {
		return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.LinalgMatrixNormStrOrd(cx, h, name, o.list(), o.keepdim, o.dtype)
		})
	}
	p := scalarArg(op, "ord", ord)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgMatrixNorm(cx, h, p, o.list(), o.keepdim, o.dtype)
	})
}

// Cond returns the condition numbers of matrices in the norm p, as in
// [Tensor.MatrixNorm]; nil means 2. It panics with ErrShape unless t has matrices, square
// ones except for the norms 2 and -2, with ErrDType for integers, with ErrType for a p of
// any other type, and with ErrValue for an unknown word or number.
// Follows torch.linalg.cond.
func (t *Tensor) Cond(p any) *Tensor {
	const op = "Cond(self)"
	if name, ok := p.(string); ok {
		return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgCondPStr(cx, h, name) })
	}
	ord := ScalarOf(op, "p", p)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LinalgCond(cx, h, ord) })
}

// Vander returns Vandermonde matrices of the vectors along the last dimension:
// the powers 0 to [N]-1 along a new last dimension. The default of N is the
// length of the vectors. It panics with ErrValue for an N below 2, and with
// ErrDType for bools. Follows torch.linalg.vander.
func (t *Tensor) Vander(opts ...VanderOption) *Tensor {
	const op = "Vander(self)"
	var n N
	given := false
	for _, o := range opts {
		switch o := o.(type) {
		case N:
			n, given = o, true
		default:
			panic(badOption(op, o))
		}
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		var powers *int64
		if given {
			powers = (*int64)(&n)
		}
		return aten.LinalgVander(cx, h, powers)
	})
}
