package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Resize_ gives t a new shape over its storage and returns t. The storage grows if
// necessary; new elements are uninitialized. Views of t keep their shapes. It panics with
// ErrValue or ErrShape for a negative size, with ErrAutograd if t requires gradients, and
// with ErrRuntime for memory that cannot grow, such as the memory of a Go slice or a
// file. Follows Tensor.resize_.
func (t *Tensor) Resize_(shape ...int64) *Tensor {
	const op = "Resize_(self)"
	was := t.placement(op)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return putBack(cx, h, was, aten.Resize_(cx, h, shape, -1))
	}, t)
}

// ResizeAs_ gives t the shape of other and returns t. If t's memory is too small, t gets
// new memory with undefined elements. It panics with ErrAutograd if t requires gradients,
// and with ErrRuntime for memory that cannot grow or a tensor that is not strided.
// Follows Tensor.resize_as_.
func (t *Tensor) ResizeAs_(other *Tensor, opts ...FormatOption) *Tensor {
	const op = "ResizeAs_(self, other)"
	was := t.placement(op)
	other.handle(op, 1)
	c := readCreation(op, opts)
	format := c.format
	return binaryInPlace(op, func(cx abi.Ctx, h, o abi.Tensor) abi.Status {
		return putBack(cx, h, was, aten.ResizeAs_(cx, h, o, format))
	}, t, other)
}

// placement is a tensor's position in its storage; it has no sizes for a tensor
// without strides.
type placement struct {
	sizes, strides []int64
	offset         int64
}

func (t *Tensor) placement(op string) placement {
	h := t.hold(op, 0)
	defer t.release()
	strides, st := cgotorch.Strides(h)
	if st != 0 {
		cgotorch.FreeStatus(st)
		return placement{}
	}
	return placement{cgotorch.Sizes(h), strides, cgotorch.TensorInfo(h).StorageOffset}
}

// putBack restores a tensor's sizes and strides if st says that a resize failed, and returns st.
// libtorch changes the shape before it allocates memory. Without putBack, the tensor would reach
// beyond its storage after a failure, and a second resize would do nothing because the shape is
// already right.
func putBack(cx abi.Ctx, h abi.Tensor, was placement, st abi.Status) abi.Status {
	if st != 0 && was.sizes != nil {
		again := aten.AsStrided_(cx, h, was.sizes, was.strides, &was.offset)
		if again != 0 { // the resize failed before it changed the shape
			cgotorch.FreeStatus(again)
		}
	}
	return st
}
