package rnn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// PadSequence joins sequences of shape (L, *) with different L into one tensor of shape (L, N, *),
// or (N, L, *) with [BatchFirst]. The result has the L of the longest sequence. It panics with
// ErrValue for an empty list and for an unknown [PaddingSide], with ErrShape if the sizes after the
// first differ, and with ErrNil for a nil sequence. Follows torch.nn.utils.rnn.pad_sequence.
func PadSequence(sequences []*torch.Tensor, opts ...PadOption) *torch.Tensor {
	const op = "PadSequence"
	batchFirst, value, side := opt.Read3(op, opts, BatchFirst(false), PaddingValue(0), PaddingSideRight)
	if side != PaddingSideRight && side != PaddingSideLeft {
		panic(torch.NewError(op, torch.ErrValue, "PaddingSide",
			fmt.Sprintf(`expected "right" or "left", got %q`, string(side))))
	}
	mustMatch(op, sequences)
	return pad(op, sequences, bool(batchFirst), float64(value), side)
}

// mustMatch panics if the sequences differ in a size other than the first.
func mustMatch(op string, sequences []*torch.Tensor) {
	if len(sequences) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "sequences", "expected at least one sequence"))
	}
	torch.Handles(op, sequences, false)
	rest := func(i int) torch.Shape {
		s := sequences[i].Shape()
		if len(s) == 0 {
			panic(torch.NewError(op, torch.ErrShape, fmt.Sprintf("sequences[%d]", i),
				"expected at least 1 dimension, got a tensor of none"))
		}
		return s[1:]
	}
	for i := range sequences {
		if !rest(i).Equal(rest(0)) {
			panic(torch.NewError(op, torch.ErrShape, fmt.Sprintf("sequences[%d]", i),
				fmt.Sprintf("expected size %v after the first dimension, as in sequences[0], got %v", rest(0),
					rest(i))))
		}
	}
}

func pad(op string, sequences []*torch.Tensor, batchFirst bool, value float64, side PaddingSide) *torch.Tensor {
	hs := torch.Handles(op, sequences, false)
	r := torch.BeginRaw(op)
	r.Use(sequences...)
	return r.Tensor(aten.PadSequence(r.Ctx, hs, batchFirst, value, string(side)))
}

// UnpadSequence is the inverse of [PadSequence]. It returns the first lengths[i] steps of
// each sequence of padded, which has shape (L, N, *), or (N, L, *) with [BatchFirst].
// lengths is a []int64, a []int or a one-dimensional tensor; a length beyond L counts as
// L. Unlike Python's function, it does not modify padded. It panics with ErrShape unless
// there is one length per sequence, with ErrValue for a negative length, and with ErrType
// for lengths of any other type. Follows torch.nn.utils.rnn.unpad_sequence.
func UnpadSequence(padded *torch.Tensor, lengths any, opts ...UnpadOption) []*torch.Tensor {
	const op = "UnpadSequence(padded, lengths)"
	batchFirst := opt.Read(op, opts, BatchFirst(false))
	padded.HandleFor(op, 0)
	if padded.Dim() < 2 {
		panic(torch.NewError(op, torch.ErrShape, "padded",
			fmt.Sprintf("expected at least 2 dimensions, got size %v", padded.Shape())))
	}
	batch, step := int64(1), int64(0)
	if batchFirst {
		batch, step = 0, 1
	}
	ns := readLengths(op, lengths)
	if int64(len(ns)) != padded.Size(batch) {
		panic(torch.NewError(op, torch.ErrShape, "lengths",
			fmt.Sprintf("expected a length for each of %d sequences, got %d", padded.Size(batch), len(ns))))
	}
	for i, n := range ns {
		if n < 0 {
			panic(torch.NewError(op, torch.ErrValue, "lengths",
				fmt.Sprintf("expected lengths of at least 0, got %d for sequence %d", n, i)))
		}
	}
	return torch.TidyAll(func() []*torch.Tensor {
		out := make([]*torch.Tensor, len(ns))
		for i, n := range ns {
			out[i] = padded.Select(batch, int64(i)).Narrow(0, 0, min(n, padded.Size(step))).Clone()
		}
		return out
	})
}
