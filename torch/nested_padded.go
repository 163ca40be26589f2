package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// OutputSizes is the shape of the result of [Tensor.ToPaddedTensor]. The
// default is the shape of the largest elements. It is output_size in Python.
type OutputSizes []int64

// A PaddedOption is an option of [Tensor.ToPaddedTensor]: [OutputSizes].
//
//gotorch:options OutputSizes
type PaddedOption interface{ paddedOption() }

// ToPaddedTensor returns a nested tensor as a dense one. Elements smaller than
// the largest, or than [OutputSizes], are filled with padding. Gradients flow
// back. It panics with ErrRuntime or ErrNotImplemented if t is not nested, and
// with ErrShape or ErrRuntime if OutputSizes are too small.
// Follows Tensor.to_padded_tensor.
func (t *Tensor) ToPaddedTensor(padding float64, opts ...PaddedOption) *Tensor {
	const op = "ToPaddedTensor(self)"
	size := readOption(op, opts, OutputSizes(nil))
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToPaddedTensor(cx, h, padding, size) })
}
