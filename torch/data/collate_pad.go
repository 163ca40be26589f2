package data

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// A PadCollateOption configures [PadCollate]: [BatchFirst] or [PaddingValue].
//
//gotorch:options BatchFirst PaddingValue
type PadCollateOption interface{ padCollateOption() }

// BatchFirst says whether padded tensors have shape (N, L, *) instead of (L, N, *). The
// default is false, as in pad_sequence. It is batch_first in Python.
type BatchFirst bool

// PaddingValue is the value that fills shorter tensors. The default is 0. It is
// padding_value in Python.
type PaddingValue float64

// PadCollate returns a CollateFn for examples of different lengths, such as sentences. It
// pads each Input, and each Target and Extra of one dimension or more, along the first
// dimension to the longest in the batch. It stacks tensors without dimensions. It appends
// the lengths to Extra: for each padded tensor an Int64 CPU tensor of shape (N), in the
// same order. It joins Values with [Collate].
//
// It panics with ErrNil for a nil option. The function that it returns panics with
// ErrShape for an Input without dimensions and for sizes that differ after the first,
// with ErrDType if the dtypes differ, and with ErrNil for a missing tensor. Follows
// torch.nn.utils.rnn.pad_sequence.
func PadCollate(opts ...PadCollateOption) CollateFn {
	const op = "data.PadCollate"
	first, value := opt.Read2(op, opts, BatchFirst(false), PaddingValue(0))
	return func(examples []Example) Example {
		if len(examples) == 0 {
			panic(torch.NewError(op, torch.ErrValue, "examples", "an empty list"))
		}
		width := len(examples[0].tensors())
		for i, e := range examples {
			if n := len(e.tensors()); n != width {
				panic(torch.NewError(op, torch.ErrValue, "examples",
					fmt.Sprintf("example %d has %d tensors, but example 0 has %d", i, n, width)))
			}
		}
		var lengths []*torch.Tensor
		returned := false
		defer func() {
			if !returned {
				closeAll(lengths)
			}
		}()
		batch := joinExamples(op, examples, func(k int) *torch.Tensor {
			ts := column(examples, k)
			if k > 0 && (ts[0] == nil || ts[0].Dim() == 0) {
				return stackOrNil(op, exampleField(k), ts)
			}
			long := make([]int64, len(ts))
			for i, t := range ts {
				long[i] = paddedSize(op, exampleField(k), i, t, ts[0])
			}
			mustHaveOneDType(op, exampleField(k), ts)
			out := aten.PadSequence(ts, bool(first), float64(value), "right")
			lengths = append(lengths, torch.FromSliceWith(long, nil, torch.CPU))
			return out
		})
		batch.Extra = append(batch.Extra, lengths...)
		returned = true
		return batch
	}
}

// paddedSize checks that t can be padded together with first, and returns its length.
func paddedSize(op, where string, i int, t, first *torch.Tensor) int64 {
	if t == nil {
		panic(torch.NewError(op, torch.ErrNil, "examples", fmt.Sprintf("%s of example %d is nil", where, i)))
	}
	s, f := t.Shape(), first.Shape()
	if len(s) == 0 || len(f) != len(s) || !s[1:].Equal(f[1:]) {
		panic(torch.NewError(op, torch.ErrShape, "examples", fmt.Sprintf("%s of example %d has shape %v, but %v "+
			"in example 0; only the first dimension may differ in size", where, i, s, f)))
	}
	return s[0]
}
