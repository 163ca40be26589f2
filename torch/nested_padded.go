package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Nested tensors, which package nested makes.

// OutputSizes is the shape of what [Tensor.ToPaddedTensor] returns, with braces.
// output_size in Python; without it the shape of the largest elements.
type OutputSizes []int64

// A PaddedOption says how large a padded tensor is: [OutputSizes].
//
//gotorch:options OutputSizes
type PaddedOption interface{ paddedOption() }

// ToPaddedTensor returns a nested tensor as a dense one, with padding where an
// element is smaller than the largest, or than [OutputSizes]. Gradients flow back.
// The result is a new tensor, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrRuntime or ErrNotImplemented for one that is not nested, and with ErrShape or
// ErrRuntime for OutputSizes that are too small. Follows Tensor.to_padded_tensor.
func (t *Tensor) ToPaddedTensor(padding float64, opts ...PaddedOption) *Tensor {
	const op = "ToPaddedTensor(self)"
	var size []int64
	for _, o := range opts {
		switch o := o.(type) {
		case OutputSizes:
			size = o
		default:
			panic(badOption(op, o))
		}
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToPaddedTensor(cx, h, padding, size) })
}
