package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file return views: tensors with different shapes over the same
// memory. A view is a tensor of its own. The memory lives until the last tensor that uses
// it is freed, so the base may be closed first. A write to the view is visible in its
// base, and vice versa. Gradients flow from the view to its base.

// View returns a view of t with a different shape. One size may be -1 and is then
// computed. It panics with ErrShape if the product of the sizes is not t's number of
// elements, or if t's strides do not allow the shape, as for a transposed tensor.
// Follows Tensor.view.
func (t *Tensor) View(shape ...int64) *Tensor {
	const op = "View(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	return r.Tensor(aten.View(r.Ctx, h, shape))
}

// ViewAs is [Tensor.View] with the shape of another tensor. It panics as View
// does. Follows Tensor.view_as.
func (t *Tensor) ViewAs(other *Tensor) *Tensor {
	return binary("ViewAs(self, other)", aten.ViewAs, t, other)
}

// ViewDType returns a view of t's bytes as a different dtype. The last dimension grows or
// shrinks if the element sizes differ. It panics with ErrShape if the last dimension does
// not divide into elements of the new size, and with ErrDType for an invalid dtype.
// Follows Tensor.view with a dtype.
func (t *Tensor) ViewDType(dtype DType) *Tensor {
	return call("ViewDType(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ViewDtype(cx, h, dtype.code())
	})
}

// Reshape returns t with a different shape: a view if View can, otherwise a copy. One
// size may be -1 and is then computed. It panics with ErrShape if the product of the
// sizes is not t's number of elements. Follows torch.reshape.
func (t *Tensor) Reshape(shape ...int64) *Tensor {
	const op = "Reshape(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Reshape(r.Ctx, h, shape))
}

// ReshapeAs is [Tensor.Reshape] with the shape of another tensor. It panics as
// Reshape does. Follows Tensor.reshape_as.
func (t *Tensor) ReshapeAs(other *Tensor) *Tensor {
	return binary("ReshapeAs(self, other)", aten.ReshapeAs, t, other)
}

// Flatten merges all dimensions. With one argument it merges the dimensions
// from that one on, so Flatten(1) keeps the batch. With two arguments it merges
// the dimensions from the first to the second, both included. The result is a
// view if possible, otherwise a copy. It panics with ErrIndex for dimensions
// out of range, and with ErrValue for more than two arguments.
// Follows torch.flatten.
func (t *Tensor) Flatten(dims ...int64) *Tensor {
	start, end := int64(0), int64(-1)
	switch len(dims) {
	case 0:
	case 1:
		start = dims[0]
	case 2:
		start, end = dims[0], dims[1]
	default:
		panic(argError("Flatten", ErrValue, "dims",
			fmt.Sprintf("expected at most two dimensions, the first and the last, got %d", len(dims))))
	}
	return call("Flatten(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.FlattenUsingInts(cx, h, start, end)
	})
}

// Ravel returns the elements in one dimension: a view of a contiguous tensor,
// otherwise a copy. Follows torch.ravel.
func (t *Tensor) Ravel() *Tensor { return unary("Ravel(self)", aten.Ravel, t) }

// Unflatten returns a view with dimension dim split into several; one size may
// be -1. It panics with ErrShape if the product of the sizes is not the size of
// the dimension, and with ErrIndex for a dimension out of range.
// Follows Tensor.unflatten.
func (t *Tensor) Unflatten(dim int64, sizes ...int64) *Tensor {
	return call("Unflatten(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.UnflattenInt(cx, h, dim, sizes)
	})
}

// Squeeze returns a view without the given dimensions if their size is 1, or
// without all dimensions of size 1 if none are given. It panics with ErrIndex
// for a dimension out of range. Follows torch.squeeze.
func (t *Tensor) Squeeze(dims ...int64) *Tensor {
	const op = "Squeeze(self)"
	if len(dims) == 0 {
		return unary(op, aten.Squeeze, t)
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SqueezeDims(cx, h, dims) })
}

// Unsqueeze returns a view with a new dimension of size 1 at dim, from -Dim()-1
// to Dim(). It panics with ErrIndex for a dim out of that range.
// Follows torch.unsqueeze.
func (t *Tensor) Unsqueeze(dim int64) *Tensor {
	return call("Unsqueeze(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Unsqueeze(cx, h, dim) })
}

// Transpose returns a view with two dimensions exchanged. It panics with
// ErrIndex for dimensions out of range. Follows torch.transpose.
func (t *Tensor) Transpose(dim0, dim1 int64) *Tensor {
	return call("Transpose(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.TransposeInt(cx, h, dim0, dim1)
	})
}

// SwapAxes is an alias of Transpose. It panics as Transpose does.
// Follows torch.swapaxes.
func (t *Tensor) SwapAxes(axis0, axis1 int64) *Tensor {
	return call("SwapAxes(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Swapaxes(cx, h, axis0, axis1)
	})
}

// SwapDims is an alias of Transpose. It panics as Transpose does.
// Follows torch.swapdims.
func (t *Tensor) SwapDims(dim0, dim1 int64) *Tensor {
	return call("SwapDims(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Swapdims(cx, h, dim0, dim1)
	})
}

// T returns a view: the transpose of a matrix, or a vector or scalar unchanged.
// It panics with ErrShape for more than two dimensions; see [Tensor.MT] for
// batches. Follows torch.t.
func (t *Tensor) T() *Tensor { return unary("T(self)", aten.T, t) }

// MT returns a view with the last two dimensions exchanged: the transposes of a
// batch of matrices. It panics with ErrShape for fewer than two dimensions.
// Follows Tensor.mT.
func (t *Tensor) MT() *Tensor { return unary("MT(self)", aten.MT, t) }

// MH returns a view: the conjugate transposes of a batch of matrices. It panics
// as MT does. Follows Tensor.mH.
func (t *Tensor) MH() *Tensor { return unary("MH(self)", aten.Adjoint, t) }

// Permute returns a view with the dimensions in the given order. It panics with
// ErrShape or ErrIndex unless dims names every dimension once.
// Follows torch.permute.
func (t *Tensor) Permute(dims ...int64) *Tensor {
	return call("Permute(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Permute(cx, h, dims) })
}

// MoveDim returns a view with one dimension moved to a different position; the others
// keep their order. It panics with ErrIndex for dimensions out of range.
// Follows torch.movedim.
func (t *Tensor) MoveDim(source, destination int64) *Tensor {
	return moveDim("MoveDim(self)", t, source, destination)
}

func moveDim(op string, t *Tensor, source, destination int64) *Tensor {
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.MovedimInt(cx, h, source, destination)
	})
}

// MoveDims is [Tensor.MoveDim] for several dimensions. It panics with ErrIndex
// for a dimension out of range, and with ErrShape if the lists differ in length
// or repeat a dimension. Follows torch.movedim.
func (t *Tensor) MoveDims(source, destination []int64) *Tensor {
	return moveDims("MoveDims(self)", t, source, destination)
}

func moveDims(op string, t *Tensor, source, destination []int64) *Tensor {
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.MovedimIntlist(cx, h, source, destination)
	})
}

// Expand returns a view in which dimensions of size 1 are repeated to the given
// sizes. -1 keeps a size, and new dimensions may come first. Elements of the
// view share memory, so do not modify it in place. It panics with ErrShape if t
// does not broadcast to the shape. Follows Tensor.expand.
func (t *Tensor) Expand(sizes ...int64) *Tensor {
	return call("Expand(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Expand(cx, h, sizes, false) })
}

// ExpandAs is [Tensor.Expand] to the shape of another tensor. It panics as
// Expand does. Follows Tensor.expand_as.
func (t *Tensor) ExpandAs(other *Tensor) *Tensor {
	return binary("ExpandAs(self, other)", aten.ExpandAs, t, other)
}

// BroadcastTo is an alias of [Tensor.Expand]. It panics as Expand does.
// Follows torch.broadcast_to.
func (t *Tensor) BroadcastTo(shape ...int64) *Tensor {
	return call("BroadcastTo(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.BroadcastTo(cx, h, shape)
	})
}

// Narrow returns a view of length elements along dim, beginning at start; a
// negative start counts from the end. It panics with ErrIndex if start or dim
// is out of range, and with ErrShape or ErrValue if length is out of range.
// Follows torch.narrow.
func (t *Tensor) Narrow(dim, start, length int64) *Tensor {
	return call("Narrow(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Narrow(cx, h, dim, start, length)
	})
}

// Select returns a view of the slice at index along dim, without that
// dimension. It panics with ErrIndex if index or dim is out of range.
// Follows torch.select.
func (t *Tensor) Select(dim, index int64) *Tensor {
	return call("Select(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SelectInt(cx, h, dim, index) })
}

// Unfold returns a view of all windows of the given size along dim, in
// increments of step. A new last dimension holds the elements of each window.
// It panics with ErrShape if the window is larger than the dimension, with
// ErrValue if step is not positive, and with ErrIndex for a dimension out of
// range. Follows Tensor.unfold.
func (t *Tensor) Unfold(dim, size, step int64) *Tensor {
	return call("Unfold(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Unfold(cx, h, dim, size, step)
	})
}

// AsStrided returns a view with the given sizes and strides that begins at
// offset in t's storage. Strides and offset count elements. If elements of the
// view share memory, do not modify it in place. It panics with ErrShape if the
// view would exceed the storage, and with ErrValue for a negative stride or
// offset. Follows torch.as_strided.
func (t *Tensor) AsStrided(size, stride []int64, offset int64) *Tensor {
	const op = "AsStrided(self)"
	t.handle(op, 0)
	checkOffset(op, offset)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.AsStrided(cx, h, size, stride, &offset)
	})
}

// AtLeast1d returns a view of t with at least one dimension.
// Follows torch.atleast_1d.
func (t *Tensor) AtLeast1d() *Tensor { return unary("AtLeast1d(self)", aten.Atleast1d, t) }

// AtLeast2d returns a view of t with at least two dimensions; new dimensions
// come first. Follows torch.atleast_2d.
func (t *Tensor) AtLeast2d() *Tensor { return unary("AtLeast2d(self)", aten.Atleast2d, t) }

// AtLeast3d returns a view of t with at least three dimensions; a matrix gets a
// new last dimension. Follows torch.atleast_3d.
func (t *Tensor) AtLeast3d() *Tensor { return unary("AtLeast3d(self)", aten.Atleast3d, t) }
