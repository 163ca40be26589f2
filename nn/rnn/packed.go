package rnn

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// PackedSequence holds sequences of different lengths without padding. It contains the first step
// of all sequences, then the second step of the sequences that have one, and so on. Follows
// torch.nn.utils.rnn.PackedSequence.
type PackedSequence struct {
	Data            *torch.Tensor // shape (number of all steps, *)
	BatchSizes      *torch.Tensor // int64 on the CPU: the number of sequences at each step
	SortedIndices   *torch.Tensor // the original position of each sorted sequence, or nil
	UnsortedIndices *torch.Tensor // the sorted position of each original sequence, or nil
}

// NewPackedSequence makes a PackedSequence from the given tensors, without copying them.
// sortedIndices and unsortedIndices may be nil; a nil unsortedIndices is computed from
// sortedIndices. It panics with ErrNil or ErrClosed if data or batchSizes is nil or closed, and
// with ErrDevice for batch sizes that are not on the CPU.
func NewPackedSequence(data, batchSizes, sortedIndices, unsortedIndices *torch.Tensor) *PackedSequence {
	const op = "NewPackedSequence(data, batchSizes)"
	data.HandleFor(op, 0)
	batchSizes.HandleFor(op, 1)
	if batchSizes.Device() != torch.CPU {
		panic(torch.NewError(op, torch.ErrDevice, "batchSizes",
			fmt.Sprintf("expected a tensor on the CPU, got one on %v", batchSizes.Device())))
	}
	if unsortedIndices == nil {
		unsortedIndices = InvertPermutation(sortedIndices)
	}
	return &PackedSequence{data, batchSizes, sortedIndices, unsortedIndices}
}

// To converts and moves the data as Tensor.To does, and moves the indices to the data's device.
// Batch sizes stay on the CPU. Tensors that need no change are shared with p. It panics as
// [torch.Tensor.To] does. Follows PackedSequence.to.
func (p *PackedSequence) To(opts ...torch.ToOption) *PackedSequence {
	data := p.mustHaveParts("PackedSequence.To").Data.To(opts...)
	q := &PackedSequence{Data: data, BatchSizes: p.BatchSizes}
	if p.SortedIndices != nil {
		q.SortedIndices = p.SortedIndices.To(data.Device())
	}
	if p.UnsortedIndices != nil {
		q.UnsortedIndices = p.UnsortedIndices.To(data.Device())
	}
	return q
}

// mustHaveParts returns p. It panics unless p has data and batch sizes.
func (p *PackedSequence) mustHaveParts(op string) *PackedSequence {
	if p == nil {
		panic(torch.NewError(op, torch.ErrNil, "sequence", "a nil *rnn.PackedSequence"))
	}
	p.Data.HandleFor(op+"(data, batch_sizes)", 0)
	p.BatchSizes.HandleFor(op+"(data, batch_sizes)", 1)
	if p.BatchSizes.Dim() != 1 {
		panic(torch.NewError(op, torch.ErrShape, "batch_sizes",
			fmt.Sprintf("expected 1 dimension, got size %v", p.BatchSizes.Shape())))
	}
	return p
}

// String formats the tensors as Python does.
func (p *PackedSequence) String() string {
	if p == nil {
		return "None"
	}
	text := func(t *torch.Tensor) string {
		if t == nil {
			return "None"
		}
		return t.String()
	}
	return fmt.Sprintf("PackedSequence(data=%s, batch_sizes=%s, sorted_indices=%s, unsorted_indices=%s)",
		text(p.Data), text(p.BatchSizes), text(p.SortedIndices), text(p.UnsortedIndices))
}

// InvertPermutation returns the inverse of a permutation, a one-dimensional int64 tensor
// that contains each of the numbers 0 to n-1 once. It returns nil for nil. It panics with
// ErrShape for any other number of dimensions, and with ErrIndex for numbers that are too
// large. Follows torch.nn.utils.rnn.invert_permutation.
func InvertPermutation(permutation *torch.Tensor) *torch.Tensor {
	if permutation == nil {
		return nil
	}
	const op = "InvertPermutation(permutation)"
	permutation.HandleFor(op, 0)
	if permutation.Dim() != 1 {
		panic(torch.NewError(op, torch.ErrShape, "permutation",
			fmt.Sprintf("expected 1 dimension, got size %v", permutation.Shape())))
	}
	return torch.Tidy(func() *torch.Tensor {
		order := torch.Arange(permutation.Numel(), permutation.Device())
		return torch.EmptyLike(permutation).Scatter_(0, permutation, order.To(permutation.DType()))
	})
}
