package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The splits that HStack, VStack and DStack undo. The results are views that
// share t's memory, each a tensor of its own, owned by the innermost scope, else
// by the collector. All panic with ErrNil or ErrClosed for an unusable t.

// HSplit returns the given number of pieces of one size, side by side: along
// the second dimension, or along the only one. The results are views that share
// t's memory, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrShape
// for a tensor of no dimensions, and with ErrValue or ErrShape unless sections
// divides the size. Follows torch.hsplit.
func (t *Tensor) HSplit(sections int64) []*Tensor {
	return list("HSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.HsplitInt(cx, h, sections)
	})
}

// HSplitAt returns the pieces between the given indices, one more than there
// are indices, along the dimension of HSplit. The results are views that share
// t's memory, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrShape for a tensor of no dimensions. Follows torch.hsplit.
func (t *Tensor) HSplitAt(indices ...int64) []*Tensor {
	return list("HSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.HsplitArray(cx, h, indices)
	})
}

// VSplit returns the given number of pieces of one size, one below the other:
// along the first dimension of at least two. The results are views that share
// t's memory, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrShape
// for fewer dimensions, and with ErrValue or ErrShape unless sections divides
// the size. Follows torch.vsplit.
func (t *Tensor) VSplit(sections int64) []*Tensor {
	return list("VSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.VsplitInt(cx, h, sections)
	})
}

// VSplitAt returns the pieces between the given indices, one more than there
// are indices, along the dimension of VSplit. The results are views that share
// t's memory, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrShape for fewer than two dimensions. Follows torch.vsplit.
func (t *Tensor) VSplitAt(indices ...int64) []*Tensor {
	return list("VSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.VsplitArray(cx, h, indices)
	})
}

// DSplit returns the given number of pieces of one size along the third
// dimension. The results are views that share t's memory, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrShape for fewer dimensions, and
// with ErrValue or ErrShape unless sections divides the size.
// Follows torch.dsplit.
func (t *Tensor) DSplit(sections int64) []*Tensor {
	return list("DSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.DsplitInt(cx, h, sections)
	})
}

// DSplitAt returns the pieces between the given indices, one more than there
// are indices, along the third dimension. The results are views that share t's
// memory, owned by the innermost scope, else by the collector. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, and with ErrShape for
// fewer dimensions. Follows torch.dsplit.
func (t *Tensor) DSplitAt(indices ...int64) []*Tensor {
	return list("DSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.DsplitArray(cx, h, indices)
	})
}
