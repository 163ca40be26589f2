package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file are the inverses of HStack, VStack and DStack. The results
// are views of t.

// HSplit returns views of the given number of equal pieces along the second
// dimension, or along the only one. It panics with ErrShape for a tensor
// without dimensions, and with ErrValue or ErrShape unless sections divides the
// size. Follows torch.hsplit.
func (t *Tensor) HSplit(sections int64) []*Tensor {
	return list("HSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.HsplitInt(cx, h, sections)
	})
}

// HSplitAt returns views of the pieces between the given indices, along the
// dimension of HSplit. It panics with ErrShape for a tensor without dimensions.
// Follows torch.hsplit.
func (t *Tensor) HSplitAt(indices ...int64) []*Tensor {
	return list("HSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.HsplitArray(cx, h, indices)
	})
}

// VSplit returns views of the given number of equal pieces along the first
// dimension. It panics with ErrShape for fewer than two dimensions, and with
// ErrValue or ErrShape unless sections divides the size. Follows torch.vsplit.
func (t *Tensor) VSplit(sections int64) []*Tensor {
	return list("VSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.VsplitInt(cx, h, sections)
	})
}

// VSplitAt returns views of the pieces between the given indices, along the
// first dimension. It panics with ErrShape for fewer than two dimensions.
// Follows torch.vsplit.
func (t *Tensor) VSplitAt(indices ...int64) []*Tensor {
	return list("VSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.VsplitArray(cx, h, indices)
	})
}

// DSplit returns views of the given number of equal pieces along the third
// dimension. It panics with ErrShape for fewer than three dimensions, and with
// ErrValue or ErrShape unless sections divides the size. Follows torch.dsplit.
func (t *Tensor) DSplit(sections int64) []*Tensor {
	return list("DSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.DsplitInt(cx, h, sections)
	})
}

// DSplitAt returns views of the pieces between the given indices, along the
// third dimension. It panics with ErrShape for fewer than three dimensions.
// Follows torch.dsplit.
func (t *Tensor) DSplitAt(indices ...int64) []*Tensor {
	return list("DSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.DsplitArray(cx, h, indices)
	})
}
