package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// A PadCollateOption says how [PadCollate] pads: [BatchFirst] or [PaddingValue].
//
//gotorch:options BatchFirst PaddingValue
type PadCollateOption interface{ padCollateOption() }

// BatchFirst makes padded tensors (N, L, *) instead of (L, N, *); batch_first in Python.
// The default is false, as pad_sequence has it.
type BatchFirst bool

// PaddingValue is the number that fills up shorter tensors; padding_value in Python. The
// default is 0.
type PaddingValue float64

// PadCollate returns a CollateFn for examples of different lengths, such as sentences. It
// pads each Input, and each Target and Extra of one dimension or more, along the first
// dimension to the longest of the batch, and stacks those of no dimension. How long they
// were is added to Extra: a tensor of N Int64 on the CPU for each padded one, in the same
// order. What the examples have in Value is joined by [Collate].
//
// It panics with ErrNil for a nil option; the function that it returns panics with
// ErrShape if the sizes after the first differ and for an Input of no dimensions, with
// ErrDType if the dtypes differ, and with ErrNil for a missing tensor. Follows torch.nn.utils.rnn.pad_sequence.
func PadCollate(opts ...PadCollateOption) CollateFn {
	const op = "data.PadCollate"
	first, value := false, 0.0
	for _, o := range opts {
		switch o := o.(type) {
		case BatchFirst:
			first = bool(o)
		case PaddingValue:
			value = float64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return func(examples []Example) Example {
		if len(examples) == 0 {
			panic(torch.NewError(op, torch.ErrValue, "examples", "an empty list"))
		}
		width := len(examples[0].tensors())
		for i, e := range examples {
			if n := len(e.tensors()); n != width {
				panic(torch.NewError(op, torch.ErrValue, "examples", fmt.Sprintf("number %d has %d tensors, number 0 has %d", i, n, width)))
			}
		}
		var lengths []*torch.Tensor
		returned := false
		defer func() {
			if !returned {
				closeAll(lengths)
			}
		}()
		batch := joined(op, examples, func(k int) *torch.Tensor {
			ts := column(examples, k)
			if k > 0 && (ts[0] == nil || ts[0].Dim() == 0) {
				return stacked(op, exampleField(k), ts)
			}
			long := make([]int64, len(ts))
			for i, t := range ts {
				long[i] = padded(op, exampleField(k), i, t, ts[0])
			}
			sameDTypes(op, exampleField(k), ts)
			out := aten.PadSequence(ts, first, value, "right")
			lengths = append(lengths, torch.FromSliceWith(long, nil, torch.CPU))
			return out
		})
		batch.Extra = append(batch.Extra, lengths...)
		returned = true
		return batch
	}
}

// padded checks that t can be padded beside first, and returns its length.
func padded(op, where string, i int, t, first *torch.Tensor) int64 {
	if t == nil {
		panic(torch.NewError(op, torch.ErrNil, "examples", fmt.Sprintf("%s of number %d is nil", where, i)))
	}
	s, f := t.Shape(), first.Shape()
	if len(s) == 0 || len(f) != len(s) || !s[1:].Equal(f[1:]) {
		panic(torch.NewError(op, torch.ErrShape, "examples", fmt.Sprintf("%s of number %d has shape %v, that of number 0 %v; they may differ in the first size alone", where, i, s, f)))
	}
	return s[0]
}
