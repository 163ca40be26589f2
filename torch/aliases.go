package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Second names that PyTorch has and programs use. Shapes, errors, ownership and
// shared memory are those of the first.

// Concat is Cat under another name, as torch.concat is. Owner and panics are
// those of [Cat].
func Concat(tensors []*Tensor, dim int64) *Tensor {
	return join("Concat", tensors, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret { return aten.Cat(cx, hs, dim) })
}

// RowStack is VStack under another name, as torch.row_stack is. Owner and
// panics are those of [VStack].
func RowStack(tensors ...*Tensor) *Tensor { return join("RowStack", tensors, aten.Vstack) }

// MoveAxis is MoveDim under another name, as torch.moveaxis is. The view, its
// owner and panics are those of [Tensor.MoveDim].
func (t *Tensor) MoveAxis(source, destination int64) *Tensor {
	return moveDim("MoveAxis(self)", t, source, destination)
}

// MoveAxes is MoveDims under another name, as torch.moveaxis is for several
// dimensions. The view, its owner and panics are those of [Tensor.MoveDims].
func (t *Tensor) MoveAxes(source, destination []int64) *Tensor {
	return moveDims("MoveAxes(self)", t, source, destination)
}

// Clip is Clamp under another name, as torch.clip is. Owner and panics are
// those of [Tensor.Clamp].
func (t *Tensor) Clip(lo, hi any) *Tensor { return clamp("Clip(self)", t, lo, hi) }

// Clip_ is Clamp_ under another name, as torch.clip_ is. It returns t, and
// panics as [Tensor.Clamp_] does.
func (t *Tensor) Clip_(lo, hi any) *Tensor { return clampInPlace("Clip_(self)", t, lo, hi) }

// NDim is Dim under another name, as Tensor.ndim is. It panics as [Tensor.Dim]
// does.
func (t *Tensor) NDim() int64 { return t.Dim() }
