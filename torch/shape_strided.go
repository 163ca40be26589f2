package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file take explicit strides or offsets.

// EmptyStrided returns an uninitialized tensor of the given sizes and strides,
// in elements. It panics with ErrShape unless there are as many strides as
// sizes, with ErrShape, ErrValue or ErrRuntime for a negative size or stride,
// and with ErrOutOfMemory. Follows torch.empty_strided.
func EmptyStrided(shape Shape, stride []int64, opts ...CreateOption) *Tensor {
	const op = "EmptyStrided()"
	checkStrides(op, shape, stride)
	c := floatCreation(op, opts)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.EmptyStrided(r.Ctx, shape, stride, c.dtype, c.layout, c.device, c.pin)))
}

// NewEmptyStrided is [EmptyStrided] with t's dtype and device unless options
// override them. It panics as EmptyStrided does.
// Follows Tensor.new_empty_strided.
func (t *Tensor) NewEmptyStrided(shape Shape, stride []int64, opts ...CreateOption) *Tensor {
	const op = "NewEmptyStrided(self)"
	t.handle(op, 0)
	checkStrides(op, shape, stride)
	return newLike(op,
		func(cx abi.Ctx, h abi.Tensor, size []int64, dtype, layout int8, device int32, pin *bool) abi.Ret {
			return aten.NewEmptyStrided(cx, h, size, stride, dtype, layout, device, pin)
		}, t, shape, opts)
}

// EmptyPermuted returns an uninitialized tensor of the given shape. layout is
// the order of its dimensions in memory, outermost first: 0, 2, 3, 1 is
// channels last. It panics with ErrShape or ErrRuntime unless layout names each
// dimension once, with ErrShape, ErrValue or ErrRuntime for a negative size,
// and with ErrOutOfMemory. Follows torch.empty_permuted.
func EmptyPermuted(shape Shape, layout []int64, opts ...CreateOption) *Tensor {
	const op = "EmptyPermuted()"
	c := floatCreation(op, opts)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.EmptyPermuted(r.Ctx, shape, layout, c.dtype, c.layout, c.device, c.pin)))
}

func checkStrides(op string, size, stride []int64) {
	if len(size) != len(stride) {
		panic(argError(op, ErrShape, "stride",
			fmt.Sprintf("expected %d strides, one for each size, got %d", len(size), len(stride))))
	}
}

// AsStrided_ changes t's sizes, strides and offset in the storage, all counted
// in elements, and returns t. It panics as AsStrided does, and with ErrAutograd
// for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.as_strided_.
func (t *Tensor) AsStrided_(size, stride []int64, offset int64) *Tensor {
	const op = "AsStrided_(self)"
	t.handle(op, 0)
	checkOffset(op, offset)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.AsStrided_(cx, h, size, stride, &offset)
	}, t)
}

// AsStridedScatter returns a copy of t with src written to the elements that AsStrided
// with the same arguments would select. It panics as AsStrided does, with ErrShape or
// ErrRuntime for a src of a different size, and with ErrDType if the dtypes differ.
// Follows torch.as_strided_scatter.
func (t *Tensor) AsStridedScatter(src *Tensor, size, stride []int64, offset int64) *Tensor {
	const op = "AsStridedScatter(self, src)"
	t.handle(op, 0)
	src.handle(op, 1)
	checkOffset(op, offset)
	return binary(op, func(cx abi.Ctx, h, s abi.Tensor) abi.Ret {
		return aten.AsStridedScatter(cx, h, s, size, stride, &offset)
	}, t, src)
}

// checkOffset panics for a negative offset. With a negative offset, libtorch would end
// the process if the tensor is empty or on Meta.
func checkOffset(op string, offset int64) {
	if offset < 0 {
		panic(argError(op, ErrValue, "offset", fmt.Sprintf("expected an offset of at least 0, got %d", offset)))
	}
}

// NarrowCopy is like [Tensor.Narrow], but returns a copy. It panics as Narrow
// does. Follows torch.narrow_copy.
func (t *Tensor) NarrowCopy(dim, start, length int64) *Tensor {
	return call("NarrowCopy(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.NarrowCopy(cx, h, dim, start, length)
	})
}

// Set_ makes t share the memory of source, with its shape and strides, and
// returns t. t releases its own memory. It panics with ErrDType if the dtypes
// differ, with ErrDevice if the devices differ, with ErrAutograd for a leaf
// that requires gradients, outside NoGrad, and with ErrRuntime for a tensor
// that is not strided. Follows Tensor.set_.
func (t *Tensor) Set_(source *Tensor) *Tensor {
	return binaryInPlace("Set_(self, source)", aten.Set_SourceTensor, t, source)
}

// SetStrided_ is [Tensor.Set_] with the given sizes and strides, beginning at
// offset in the storage. Strides and offset count elements. It works in place
// and returns t. It panics as Set_ does, with ErrValue for a negative offset,
// with ErrShape, ErrValue or ErrRuntime for strides that do not match the
// sizes, and with ErrOutOfMemory for negative strides or strides beyond any
// storage. Follows Tensor.set_ with a storage.
func (t *Tensor) SetStrided_(source *Tensor, offset int64, size, stride []int64) *Tensor {
	const op = "SetStrided_(self, source)"
	t.handle(op, 0)
	source.handle(op, 1)
	checkOffset(op, offset)
	checkStrides(op, size, stride)
	return binaryInPlace(op, func(cx abi.Ctx, h, s abi.Tensor) abi.Status {
		return aten.Set_SourceTensorStorageOffset(cx, h, s, offset, size, stride)
	}, t, source)
}
