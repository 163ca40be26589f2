package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// MatMul returns the matrix product. Two vectors give a scalar. A matrix and a vector
// give a vector. Matrices of shapes (n, m) and (m, p) give a matrix of shape (n, p). With
// more dimensions, the last two hold matrices and the others broadcast. It panics with
// ErrShape if the sizes do not match, with ErrDType if the dtypes differ, and with
// ErrDevice if the tensors are on different devices. Follows torch.matmul.
func (t *Tensor) MatMul(other *Tensor) *Tensor {
	const op = "MatMul(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.Matmul(r.Ctx, a, b))
}

// Mm returns the product of two matrices. It panics with ErrShape if the sizes
// do not match, with ErrDType if the dtypes differ, and with ErrDevice if the
// tensors are on different devices. Follows torch.mm.
func (t *Tensor) Mm(other *Tensor) *Tensor {
	const op = "Mm(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.Mm(r.Ctx, a, b))
}

// Bmm returns the products of two batches of matrices, shapes (b, n, m) and (b,
// m, p). It panics with ErrShape if the sizes do not match, with ErrDType if
// the dtypes differ, and with ErrDevice if the tensors are on different
// devices. Follows torch.bmm.
func (t *Tensor) Bmm(other *Tensor) *Tensor {
	const op = "Bmm(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.Bmm(r.Ctx, a, b))
}

// Mv returns the product of a matrix and a vector. It panics with ErrShape or
// ErrIndex if the sizes do not match, with ErrDType if the dtypes differ, and
// with ErrDevice if the tensors are on different devices. Follows torch.mv.
func (t *Tensor) Mv(vec *Tensor) *Tensor { return binary("Mv(self, vec)", aten.Mv, t, vec) }

// Dot returns the dot product of two vectors. It panics with ErrShape if the
// sizes do not match, with ErrDType if the dtypes differ, and with ErrDevice if
// the tensors are on different devices. Follows torch.dot.
func (t *Tensor) Dot(other *Tensor) *Tensor { return binary("Dot(self, other)", aten.Dot, t, other) }

// Vdot is Dot with the first vector conjugated. It panics with ErrShape if the
// sizes do not match, with ErrDType if the dtypes differ, and with ErrDevice if
// the tensors are on different devices. Follows torch.vdot.
func (t *Tensor) Vdot(other *Tensor) *Tensor { return binary("Vdot(self, other)", aten.Vdot, t, other) }

// Vecdot returns the dot products of vectors along a [Dim] (default the last), with the
// first vector conjugated; the other dimensions broadcast. It panics with ErrShape if the
// sizes do not match, with ErrIndex for a dimension out of range, and with ErrDType if
// the dtypes differ. Follows torch.linalg.vecdot.
func (t *Tensor) Vecdot(other *Tensor, dim ...Dim) *Tensor {
	const op = "Vecdot(self, other)"
	d := int64(lastOf(dim, -1))
	return binary(op, func(cx abi.Ctx, x, y abi.Tensor) abi.Ret { return aten.LinalgVecdot(cx, x, y, d) }, t, other)
}

// Inner returns the sums of products over the last dimension of both tensors.
// It panics with ErrShape if the sizes do not match, and with ErrDType if the
// dtypes differ. Follows torch.inner.
func (t *Tensor) Inner(other *Tensor) *Tensor {
	return binary("Inner(self, other)", aten.Inner, t, other)
}

// Outer returns the matrix of all products of two vectors' elements. It panics
// with ErrShape unless both are vectors. Follows torch.outer.
func (t *Tensor) Outer(other *Tensor) *Tensor {
	return binary("Outer(self, other)", aten.Outer, t, other)
}

// Kron returns the Kronecker product. It panics with ErrDevice if the tensors
// are on different devices. Follows torch.kron.
func (t *Tensor) Kron(other *Tensor) *Tensor { return binary("Kron(self, other)", aten.Kron, t, other) }

// Cross returns the cross products of vectors of three elements along a [Dim]
// (default the last); the other dimensions broadcast. It panics with ErrShape
// for vectors of other lengths or shapes that do not broadcast, and with
// ErrIndex for a dimension out of range. Follows torch.linalg.cross.
func (t *Tensor) Cross(other *Tensor, dim ...Dim) *Tensor {
	const op = "Cross(self, other)"
	d := int64(lastOf(dim, -1))
	return binary(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Ret { return aten.LinalgCross(cx, a, b, d) }, t, other)
}

// TensorDot returns the sums of products over the last dims dimensions of t and
// the first dims of other. It panics with ErrShape if the sizes do not match,
// or if dims is negative or exceeds the dimensions of a tensor, and with
// ErrDType if the dtypes differ. Follows torch.tensordot.
func (t *Tensor) TensorDot(other *Tensor, dims int64) *Tensor {
	const op = "TensorDot(self, other)"
	t.handle(op, 0)
	other.handle(op, 1)
	if n := t.Dim(); dims < 0 || dims > n || dims > other.Dim() {
		panic(argError(op, ErrShape, "dims", "expected a number from 0 to the number of dimensions of either tensor"))
	}
	n := t.Dim()
	own, theirs := make([]int64, dims), make([]int64, dims)
	for i := range dims {
		own[i], theirs[i] = n-dims+i, i
	}
	return tensorDot(op, t, other, own, theirs)
}

// TensorDotDims returns the sums of products over pairs of dimensions, one of t
// and one of other. It panics with ErrShape if the sizes do not match, with
// ErrDType if the dtypes differ, and with ErrIndex for a dimension out of
// range. Follows torch.tensordot with lists.
func (t *Tensor) TensorDotDims(other *Tensor, dims, otherDims []int64) *Tensor {
	return tensorDot("TensorDotDims(self, other)", t, other, dims, otherDims)
}

func tensorDot(op string, t, other *Tensor, dims, otherDims []int64) *Tensor {
	return binary(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.Tensordot(cx, a, b, dims, otherDims)
	}, t, other)
}

// Einsum multiplies the operands' elements and sums over the indices that the
// right side of the equation leaves out, as in "bij,bjk->bik". "..." stands for
// dimensions that broadcast. It panics with ErrValue if the equation is
// malformed, with ErrShape if it does not match the operands, and with ErrDType
// if the dtypes differ. Follows torch.einsum.
func Einsum(equation string, operands ...*Tensor) *Tensor {
	return join("Einsum", operands, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret {
		return aten.Einsum(cx, equation, hs, nil)
	})
}

// MultiDot returns the product of at least two matrices, multiplied in the
// cheapest order. The first and the last may be vectors. It panics with
// ErrValue or ErrShape for fewer than two, with ErrShape if the sizes do not
// match, and with ErrDType if the dtypes differ.
// Follows torch.linalg.multi_dot.
func MultiDot(matrices ...*Tensor) *Tensor { return join("MultiDot", matrices, aten.LinalgMultiDot) }
