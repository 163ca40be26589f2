package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Second names that PyTorch has, of functions that are not in the generator's table. Those of
// its functions are in op_alias_gen.go. Shapes, errors, ownership and shared memory are those
// of the first.

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

// Concatenate is Cat under another name, as torch.concatenate is. Owner and
// panics are those of [Cat].
func Concatenate(tensors []*Tensor, dim int64) *Tensor {
	return join("Concatenate", tensors, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret { return aten.Cat(cx, hs, dim) })
}

// Subtract is Sub under another name, as torch.subtract is. Owner and panics
// are those of [Tensor.Sub].
func (t *Tensor) Subtract(other *Tensor, opts ...AddOption) *Tensor { return t.Sub(other, opts...) }

// SubtractScalar is SubScalar under another name, as torch.subtract is. Owner
// and panics are those of [Tensor.SubScalar].
func (t *Tensor) SubtractScalar(other any, opts ...AddOption) *Tensor {
	return t.SubScalar(other, opts...)
}

// Subtract_ is Sub_ under another name, as Tensor.subtract_ is. It returns t,
// and panics as [Tensor.Sub_] does.
func (t *Tensor) Subtract_(other *Tensor, opts ...AddOption) *Tensor { return t.Sub_(other, opts...) }

// SubtractScalar_ is SubScalar_ under another name, as Tensor.subtract_ is. It
// returns t, and panics as [Tensor.SubScalar_] does.
func (t *Tensor) SubtractScalar_(other any, opts ...AddOption) *Tensor {
	return t.SubScalar_(other, opts...)
}

// Divide is Div under another name, as torch.divide is. Owner and panics are
// those of [Tensor.Div].
func (t *Tensor) Divide(other *Tensor, opts ...DivOption) *Tensor { return t.Div(other, opts...) }

// DivideScalar is DivScalar under another name, as torch.divide is. Owner and
// panics are those of [Tensor.DivScalar].
func (t *Tensor) DivideScalar(other any, opts ...DivOption) *Tensor {
	return t.DivScalar(other, opts...)
}

// Divide_ is Div_ under another name, as Tensor.divide_ is. It returns t, and
// panics as [Tensor.Div_] does.
func (t *Tensor) Divide_(other *Tensor, opts ...DivOption) *Tensor { return t.Div_(other, opts...) }

// DivideScalar_ is DivScalar_ under another name, as Tensor.divide_ is. It
// returns t, and panics as [Tensor.DivScalar_] does.
func (t *Tensor) DivideScalar_(other any, opts ...DivOption) *Tensor {
	return t.DivScalar_(other, opts...)
}

// TrueDivide is Div without a RoundingMode, as torch.true_divide is. Owner and
// panics are those of [Tensor.Div].
func (t *Tensor) TrueDivide(other *Tensor) *Tensor { return t.Div(other) }

// TrueDivideScalar is DivScalar without a RoundingMode, as torch.true_divide
// is. Owner and panics are those of [Tensor.DivScalar].
func (t *Tensor) TrueDivideScalar(other any) *Tensor { return t.DivScalar(other) }

// TrueDivide_ is Div_ without a RoundingMode, as Tensor.true_divide_ is. It
// returns t, and panics as [Tensor.Div_] does.
func (t *Tensor) TrueDivide_(other *Tensor) *Tensor { return t.Div_(other) }

// TrueDivideScalar_ is DivScalar_ without a RoundingMode, as
// Tensor.true_divide_ is. It returns t, and panics as [Tensor.DivScalar_] does.
func (t *Tensor) TrueDivideScalar_(other any) *Tensor { return t.DivScalar_(other) }

// Ger is Outer under another name, as torch.ger is. Owner and panics are those
// of [Tensor.Outer].
func (t *Tensor) Ger(vec2 *Tensor) *Tensor { return t.Outer(vec2) }

// H is MH for a matrix, as Tensor.H is. The view shares t's memory; its owner
// and panics are those of [Tensor.MH].
func (t *Tensor) H() *Tensor { return t.MH() }

// SwapAxes_ is Transpose_ under another name, as Tensor.swapaxes_ is. It
// returns t, and panics as [Tensor.Transpose_] does.
func (t *Tensor) SwapAxes_(axis0, axis1 int64) *Tensor { return t.Transpose_(axis0, axis1) }

// SwapDims_ is Transpose_ under another name, as Tensor.swapdims_ is. It
// returns t, and panics as [Tensor.Transpose_] does.
func (t *Tensor) SwapDims_(dim0, dim1 int64) *Tensor { return t.Transpose_(dim0, dim1) }

// SplitWithSizes is SplitSizes under another name, as torch.split_with_sizes
// is. Owner and panics are those of [Tensor.SplitSizes].
func (t *Tensor) SplitWithSizes(sizes []int64, dim int64) []*Tensor { return t.SplitSizes(sizes, dim) }

// Ndimension is Dim under another name, as Tensor.ndimension is. It panics as
// [Tensor.Dim] does.
func (t *Tensor) Ndimension() int64 { return t.Dim() }

// Nelement is Numel under another name, as Tensor.nelement is. It panics as
// [Tensor.Numel] does.
func (t *Tensor) Nelement() int64 { return t.Numel() }

// Itemsize is ElementSize under another name, as Tensor.itemsize is. It panics
// as [Tensor.ElementSize] does.
func (t *Tensor) Itemsize() int64 { return t.ElementSize() }
