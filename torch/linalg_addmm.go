package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file add a product to a tensor: beta*t + alpha*product, where
// [Beta] and [Alpha] are 1 by default. With a Beta of 0 the elements of t are not read,
// so NaN in them does not matter. With integer tensors the factors are truncated, as in
// Python; Addr and Addr_ panic with ErrDType instead.

// addProduct is the signature of operators that compute beta*self + alpha*(a @
// b).
type addProduct func(_ abi.Ctx, self, a, b abi.Tensor, beta, alpha abi.Scalar) abi.Ret

func (f addProduct) call(op string, t, a, b *Tensor, opts []AddmmOption) *Tensor {
	beta, alpha := readAddmm(op, opts)
	return ternary(op, func(cx abi.Ctx, h, a, b abi.Tensor) abi.Ret { return f(cx, h, a, b, beta, alpha) }, t, a, b)
}

// addProductInto is the signature of the in-place forms of these operators.
type addProductInto func(_ abi.Ctx, self, a, b abi.Tensor, beta, alpha abi.Scalar) abi.Status

func (f addProductInto) call(op string, t, a, b *Tensor, opts []AddmmOption) *Tensor {
	beta, alpha := readAddmm(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, a, b abi.Tensor) abi.Status {
		return f(cx, h, a, b, beta, alpha)
	}, t, a, b)
}

// Addmm returns beta*t + alpha*(mat1 @ mat2), with t broadcast to the product's
// shape. It panics with ErrShape or ErrIndex if the sizes do not match, with
// ErrDType if the dtypes differ, and with ErrNil for a nil option.
// Follows torch.addmm.
//
//	x.Addmm(a, b)
//	x.Addmm(a, b, torch.Beta(0.5), torch.Alpha(2))
func (t *Tensor) Addmm(mat1, mat2 *Tensor, opts ...AddmmOption) *Tensor {
	const op = "Addmm(self, mat1, mat2)"
	h, a, b := t.handle(op, 0), mat1.handle(op, 1), mat2.handle(op, 2)
	beta, alpha := readAddmm(op, opts)
	r := BeginRaw(op, t, mat1, mat2)
	return r.Tensor(aten.Addmm(r.Ctx, h, a, b, beta, alpha))
}

// Addmv returns beta*t + alpha*(mat @ vec) for a matrix and a vector, with t
// broadcast to the result's shape. It panics with ErrShape or ErrIndex if the
// sizes do not match, with ErrDType if the dtypes differ, and with ErrNil for a
// nil option. Follows torch.addmv.
func (t *Tensor) Addmv(mat, vec *Tensor, opts ...AddmmOption) *Tensor {
	return addProduct(aten.Addmv).call("Addmv(self, mat, vec)", t, mat, vec, opts)
}

// Addr returns beta*t plus alpha times the outer product of two vectors, with t
// broadcast to the result's shape. It panics with ErrShape if the sizes do not
// match, with ErrDType for integer tensors with a factor that is not an
// integer, and with ErrNil for a nil option. Follows torch.addr.
func (t *Tensor) Addr(vec1, vec2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProduct(aten.Addr).call("Addr(self, vec1, vec2)", t, vec1, vec2, opts)
}

// Baddbmm returns beta*t + alpha*(batch1 @ batch2) for two batches of matrices
// of shapes (b, n, m) and (b, m, p), with t broadcast to the result's shape. It
// panics with ErrShape or ErrIndex if the sizes do not match, with ErrDType if
// the dtypes differ, and with ErrNil for a nil option. Follows torch.baddbmm.
func (t *Tensor) Baddbmm(batch1, batch2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProduct(aten.Baddbmm).call("Baddbmm(self, batch1, batch2)", t, batch1, batch2, opts)
}

// Addbmm returns beta*t plus alpha times the sum of the products of two batches
// of matrices of shapes (b, n, m) and (b, m, p), which has shape (n, p). t is
// broadcast to that shape. It panics with ErrShape or ErrIndex if the sizes do
// not match, with ErrDType if the dtypes differ, and with ErrNil for a nil
// option. Follows torch.addbmm.
func (t *Tensor) Addbmm(batch1, batch2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProduct(aten.Addbmm).call("Addbmm(self, batch1, batch2)", t, batch1, batch2, opts)
}

// Addmm_ is the in-place form of Addmm. It modifies t, which keeps its shape and dtype,
// and returns t. It panics as Addmm does, with ErrShape if t does not have the result's
// shape, and with ErrAutograd for a leaf that requires gradients, outside NoGrad. Follows
// Tensor.addmm_.
func (t *Tensor) Addmm_(mat1, mat2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProductInto(aten.Addmm_).call("Addmm_(self, mat1, mat2)", t, mat1, mat2, opts)
}

// Addmv_ is the in-place form of Addmv. It modifies t, which keeps its shape and dtype,
// and returns t. It panics as Addmv does, with ErrShape if t does not have the result's
// shape, and with ErrAutograd for a leaf that requires gradients, outside NoGrad. Follows
// Tensor.addmv_.
func (t *Tensor) Addmv_(mat, vec *Tensor, opts ...AddmmOption) *Tensor {
	return addProductInto(aten.Addmv_).call("Addmv_(self, mat, vec)", t, mat, vec, opts)
}

// Addr_ is the in-place form of Addr. It modifies t, which keeps its shape and dtype, and
// returns t. It panics as Addr does, with ErrShape if t does not have the result's shape,
// with ErrDType if the result does not fit t's dtype, and with ErrAutograd for a leaf
// that requires gradients, outside NoGrad. Follows Tensor.addr_.
func (t *Tensor) Addr_(vec1, vec2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProductInto(aten.Addr_).call("Addr_(self, vec1, vec2)", t, vec1, vec2, opts)
}

// Baddbmm_ is the in-place form of Baddbmm. It modifies t, which keeps its shape and
// dtype, and returns t. It panics as Baddbmm does, with ErrShape if t does not have the
// result's shape, and with ErrAutograd for a leaf that requires gradients, outside
// NoGrad. Follows Tensor.baddbmm_.
func (t *Tensor) Baddbmm_(batch1, batch2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProductInto(aten.Baddbmm_).call("Baddbmm_(self, batch1, batch2)", t, batch1, batch2, opts)
}

// Addbmm_ is the in-place form of Addbmm. It modifies t, which keeps its shape and dtype,
// and returns t. It panics as Addbmm does, with ErrShape if t does not have the result's
// shape, and with ErrAutograd for a leaf that requires gradients, outside NoGrad. Follows
// Tensor.addbmm_.
func (t *Tensor) Addbmm_(batch1, batch2 *Tensor, opts ...AddmmOption) *Tensor {
	return addProductInto(aten.Addbmm_).call("Addbmm_(self, batch1, batch2)", t, batch1, batch2, opts)
}
