package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file write elements at indices. Each has a form that returns a
// modified copy, and one with a trailing underscore that modifies t and returns it.

// Scatter returns a copy of t with src's elements written at index along dim:
// for dim 0, result[index[i][j]][j] = src[i][j]. index must have as many
// dimensions as t. It must not be larger than src, nor than t except along dim.
// If indices repeat, it is undefined which element is kept. It panics with
// ErrIndex for an index or dimension out of range, with ErrShape if the shapes
// do not match, and with ErrDType if t and src differ in dtype or for indices
// that are not integers. Follows torch.scatter.
func (t *Tensor) Scatter(dim int64, index, src *Tensor) *Tensor {
	return ternary("Scatter(self, index, src)", func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.ScatterSrc(cx, h, dim, i, s)
	}, t, index, src)
}

// Scatter_ is the in-place form of Scatter. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as Scatter does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.scatter_.
func (t *Tensor) Scatter_(dim int64, index, src *Tensor) *Tensor {
	return ternaryInPlace("Scatter_(self, index, src)", func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.Scatter_Src(cx, h, dim, i, s)
	}, t, index, src)
}

// ScatterScalar is [Tensor.Scatter] with one number for all positions. It
// panics as Scatter does, with ErrType if value is not a number, and with
// ErrValue if it is out of range. Follows torch.scatter.
func (t *Tensor) ScatterScalar(dim int64, index *Tensor, value any) *Tensor {
	const op = "ScatterScalar(self, index)"
	v := scalarArg(op, "value", value)
	return binary(op, func(cx abi.Ctx, h, i abi.Tensor) abi.Ret {
		return aten.ScatterValue(cx, h, dim, i, v)
	}, t, index)
}

// ScatterScalar_ is the in-place form of ScatterScalar. It modifies t, which
// keeps its shape and dtype, and returns t. It panics as ScatterScalar does,
// and with ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.scatter_.
func (t *Tensor) ScatterScalar_(dim int64, index *Tensor, value any) *Tensor {
	const op = "ScatterScalar_(self, index)"
	v := scalarArg(op, "value", value)
	return binaryInPlace(op, func(cx abi.Ctx, h, i abi.Tensor) abi.Status {
		return aten.Scatter_Value(cx, h, dim, i, v)
	}, t, index)
}

// ScatterAdd is like [Tensor.Scatter], but adds src's elements to t's, including at
// repeated indices. It panics as Scatter does. Follows torch.scatter_add.
func (t *Tensor) ScatterAdd(dim int64, index, src *Tensor) *Tensor {
	return ternary("ScatterAdd(self, index, src)", func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.ScatterAdd(cx, h, dim, i, s)
	}, t, index, src)
}

// ScatterAdd_ is the in-place form of ScatterAdd. It modifies t, which keeps
// its shape and dtype, and returns t. It panics as ScatterAdd does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.scatter_add_.
func (t *Tensor) ScatterAdd_(dim int64, index, src *Tensor) *Tensor {
	return ternaryInPlace("ScatterAdd_(self, index, src)", func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.ScatterAdd_(cx, h, dim, i, s)
	}, t, index, src)
}

// IndexAdd returns a copy of t with the slices of source along dim added at the positions
// in the vector index, including at repeated positions. [Alpha] (default 1) multiplies
// the slices; for integers it is truncated, as in Python. It panics with ErrIndex for an
// index or dimension out of range, with ErrShape if the shapes do not match, and with
// ErrDType if t and source differ in dtype or for indices that are not integers. Follows
// torch.index_add.
func (t *Tensor) IndexAdd(dim int64, index, source *Tensor, opts ...AddOption) *Tensor {
	const op = "IndexAdd(self, index, source)"
	alpha := readAdd(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.IndexAdd(cx, h, dim, i, s, alpha)
	}, t, index, source)
}

// IndexAdd_ is the in-place form of IndexAdd. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as IndexAdd does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.index_add_.
func (t *Tensor) IndexAdd_(dim int64, index, source *Tensor, opts ...AddOption) *Tensor {
	const op = "IndexAdd_(self, index, source)"
	alpha := readAdd(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.IndexAdd_(cx, h, dim, i, s, alpha)
	}, t, index, source)
}

// IndexCopy returns a copy of t in which source's slices replace the slices along dim at
// the positions in the vector index. If indices repeat, it is undefined which slice is
// kept. It panics with ErrIndex for an index or dimension out of range, with ErrShape if
// the shapes do not match, and with ErrDType if t and source differ in dtype or for
// indices that are not integers. Follows torch.index_copy.
func (t *Tensor) IndexCopy(dim int64, index, source *Tensor) *Tensor {
	return ternary("IndexCopy(self, index, source)", func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.IndexCopy(cx, h, dim, i, s)
	}, t, index, source)
}

// IndexCopy_ is the in-place form of IndexCopy. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as IndexCopy does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.index_copy_.
func (t *Tensor) IndexCopy_(dim int64, index, source *Tensor) *Tensor {
	return ternaryInPlace("IndexCopy_(self, index, source)", func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.IndexCopy_(cx, h, dim, i, s)
	}, t, index, source)
}

// IndexFill returns a copy of t with the slices along dim at the positions in
// the vector index filled with a number. It panics with ErrIndex for an index
// or dimension out of range, with ErrType if value is not a number, and with
// ErrDType or ErrIndex for indices that are not int64.
// Follows torch.index_fill.
func (t *Tensor) IndexFill(dim int64, index *Tensor, value any) *Tensor {
	const op = "IndexFill(self, index)"
	v := scalarArg(op, "value", value)
	return binary(op, func(cx abi.Ctx, h, i abi.Tensor) abi.Ret {
		return aten.IndexFillIntScalar(cx, h, dim, i, v)
	}, t, index)
}

// IndexFill_ is the in-place form of IndexFill. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as IndexFill does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.index_fill_.
func (t *Tensor) IndexFill_(dim int64, index *Tensor, value any) *Tensor {
	const op = "IndexFill_(self, index)"
	v := scalarArg(op, "value", value)
	return binaryInPlace(op, func(cx abi.Ctx, h, i abi.Tensor) abi.Status {
		return aten.IndexFill_IntScalar(cx, h, dim, i, v)
	}, t, index)
}

// MaskedScatter returns a copy of t in which source's elements replace, in
// order, the elements where mask is true. mask is broadcast to t. It panics
// with ErrShape if source has too few elements or the mask does not broadcast,
// and with ErrDType if the mask is not Bool or t and source differ in dtype.
// Follows Tensor.masked_scatter.
func (t *Tensor) MaskedScatter(mask, source *Tensor) *Tensor {
	return ternary("MaskedScatter(self, mask, source)", aten.MaskedScatter, t, mask, source)
}

// MaskedScatter_ is the in-place form of MaskedScatter. It modifies t, which
// keeps its shape and dtype, and returns t. It panics as MaskedScatter does,
// and with ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.masked_scatter_.
func (t *Tensor) MaskedScatter_(mask, source *Tensor) *Tensor {
	return ternaryInPlace("MaskedScatter_(self, mask, source)", aten.MaskedScatter_, t, mask, source)
}
