package rnn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// PackPaddedSequence packs padded sequences of shape (L, N, *), or (N, L, *) with
// [BatchFirst]. It uses the first lengths[i] steps of sequence i. lengths is a []int64, a
// []int or a one-dimensional tensor of integers.
//
// It panics with ErrValue for lengths that are not positive, exceed L or, unless
// EnforceSorted(false) is given, are not in decreasing order. It panics with ErrShape
// unless there is one length per sequence and input has at least two dimensions. It
// panics with ErrType for lengths of any other type, and with ErrDType for a tensor that
// does not hold integers. Follows torch.nn.utils.rnn.pack_padded_sequence.
func PackPaddedSequence(input *torch.Tensor, lengths any, opts ...PackOption) *PackedSequence {
	const op = "PackPaddedSequence(input, lengths)"
	batchFirst, sorted := opt.Read2(op, opts, BatchFirst(false), EnforceSorted(true))
	input.HandleFor(op, 0)
	return pack(op, input, readLengths(op, lengths), bool(batchFirst), bool(sorted))
}

func pack(op string, input *torch.Tensor, lengths []int64, batchFirst, sorted bool) *PackedSequence {
	if input.Dim() < 2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected at least 2 dimensions, got size %v", input.Shape())))
	}
	batch, step := int64(1), int64(0)
	if batchFirst {
		batch, step = 0, 1
	}
	mustFitLengths(op, lengths, input.Size(batch), input.Size(step), sorted)
	var p PackedSequence
	res := torch.TidyAll(func() []*torch.Tensor {
		n := torch.FromSlice(lengths)
		var sortedIndices, unsorted *torch.Tensor
		x := input
		if !sorted {
			n, sortedIndices = n.Sort(torch.Descending(true))
			sortedIndices = sortedIndices.To(input.Device())
			x = input.IndexSelect(batch, sortedIndices)
			unsorted = InvertPermutation(sortedIndices)
		}
		h, l := x.Handle(), n.Handle()
		r := torch.BeginRaw(op, x, n)
		out, st := aten.UnderPackPaddedSequence(r.Ctx, h, l, batchFirst)
		r.Status(st)
		return append(r.WrapAll(out[:]), sortedIndices, unsorted)
	})
	p.Data, p.BatchSizes, p.SortedIndices, p.UnsortedIndices = res[0], res[1], res[2], res[3]
	return &p
}

// readLengths converts lengths of any supported type to a []int64.
func readLengths(op string, lengths any) []int64 {
	switch l := lengths.(type) {
	case []int64:
		return l
	case []int:
		ns := make([]int64, len(l))
		for i, n := range l {
			ns[i] = int64(n)
		}
		return ns
	case *torch.Tensor:
		l.HandleFor("PackPaddedSequence(lengths)", 0)
		if l.IsFloatingPoint() || l.DType().IsComplex() {
			panic(torch.NewError(op, torch.ErrDType, "lengths",
				fmt.Sprintf("expected whole numbers, got %v", l.DType())))
		}
		if l.Dim() != 1 {
			panic(torch.NewError(op, torch.ErrShape, "lengths",
				fmt.Sprintf("expected 1 dimension, got size %v", l.Shape())))
		}
		var ns []int64
		torch.Scope(func() { ns = l.To(torch.Int64, torch.CPU).Int64s() })
		return ns
	}
	panic(torch.NewError(op, torch.ErrType, "lengths",
		fmt.Sprintf("expected a []int64, a []int or a *torch.Tensor, got a %T", lengths)))
}

func mustFitLengths(op string, lengths []int64, batch, steps int64, sorted bool) {
	if int64(len(lengths)) != batch {
		panic(torch.NewError(op, torch.ErrShape, "lengths",
			fmt.Sprintf("expected a length for each of %d sequences, got %d", batch, len(lengths))))
	}
	for i, n := range lengths {
		if n <= 0 || n > steps {
			panic(torch.NewError(op, torch.ErrValue, "lengths",
				fmt.Sprintf("expected lengths from 1 to %d, got %d for sequence %d", steps, n, i)))
		}
		if sorted && i > 0 && n > lengths[i-1] {
			panic(torch.NewError(op, torch.ErrValue, "lengths",
				fmt.Sprintf("expected the longest first, got %d after %d; EnforceSorted(false) sorts", n,
					lengths[i-1])))
		}
	}
}

// PackSequence packs sequences of shape (L, *) with different L. It panics with
// ErrValue for an empty list and, unless EnforceSorted(false) is given, if the
// lengths are not in decreasing order. It panics with ErrShape if the sizes after the
// first differ, and with ErrNil for a nil sequence.
// Follows torch.nn.utils.rnn.pack_sequence.
func PackSequence(sequences []*torch.Tensor, opts ...PackSequenceOption) *PackedSequence {
	const op = "PackSequence"
	sorted := opt.Read(op, opts, EnforceSorted(true))
	mustMatch(op, sequences)
	lengths := make([]int64, len(sequences))
	for i, s := range sequences {
		lengths[i] = s.Size(0)
	}
	padded := pad(op, sequences, false, 0, PaddingSideRight)
	defer func() { _ = padded.Close() }()
	return pack(op, padded, lengths, false, bool(sorted))
}

// PadPackedSequence is the inverse of [PackPaddedSequence]. It returns the sequences in the order
// that they had before packing, padded to shape (L, N, *), or (N, L, *) with [BatchFirst]. It also
// returns their lengths, an int64 tensor on the CPU. It panics with ErrValue for a [TotalLength]
// below the longest sequence, and with ErrNil for a nil sequence. Follows
// torch.nn.utils.rnn.pad_packed_sequence.
func PadPackedSequence(sequence *PackedSequence, opts ...PadPackedOption) (padded, lengths *torch.Tensor) {
	const op = "PadPackedSequence"
	batchFirst, value, total := false, 0.0, int64(0)
	given := false
	for _, o := range opts {
		switch o := o.(type) {
		case BatchFirst:
			batchFirst = bool(o)
		case PaddingValue:
			value = float64(o)
		case TotalLength:
			total, given = int64(o), true
		default:
			panic(torch.BadOption(op, o))
		}
	}
	p := sequence.mustHaveParts(op)
	longest := p.BatchSizes.Size(0)
	if !given {
		total = longest
	}
	if total < longest {
		panic(torch.NewError(op, torch.ErrValue, "TotalLength",
			fmt.Sprintf("expected at least the %d steps of the longest sequence, got %d", longest, total)))
	}
	batch := int64(1)
	if batchFirst {
		batch = 0
	}
	fill := torch.ScalarOf(op, "PaddingValue", value)
	res := torch.TidyAll(func() []*torch.Tensor {
		d, b := p.Data.Handle(), p.BatchSizes.Handle()
		r := torch.BeginRaw(op+"(data, batch_sizes)", p.Data, p.BatchSizes)
		out, st := aten.UnderPadPackedSequence(r.Ctx, d, b, batchFirst, fill, total)
		r.Status(st)
		ts := r.WrapAll(out[:])
		if p.UnsortedIndices == nil {
			return ts
		}
		return []*torch.Tensor{
			ts[0].IndexSelect(batch, p.UnsortedIndices),
			ts[1].IndexSelect(0, p.UnsortedIndices.To(torch.CPU)),
		}
	})
	return res[0], res[1]
}

// UnpackSequence is the inverse of [PackSequence]. It panics with ErrNil for a nil
// sequence. Follows torch.nn.utils.rnn.unpack_sequence.
func UnpackSequence(sequence *PackedSequence) []*torch.Tensor {
	return torch.TidyAll(func() []*torch.Tensor {
		padded, lengths := PadPackedSequence(sequence, BatchFirst(true))
		return UnpadSequence(padded, lengths, BatchFirst(true))
	})
}
