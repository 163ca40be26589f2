package rnn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// scoped runs a test in a scope and checks that it leaves no tensors.
func scoped(t *testing.T, fn func()) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	torch.Scope(fn)
}

// Tests the examples in PyTorch's documentation.
func TestPacking(t *testing.T) {
	scoped(t, func() {
		seq := torch.FromSlice([]int64{1, 2, 0, 3, 0, 0, 4, 5, 6}, 3, 3)
		packed := rnn.PackPaddedSequence(seq, []int{2, 1, 3}, rnn.BatchFirst(true), rnn.EnforceSorted(false))
		assert.Equal(t, "PackedSequence(data=tensor([4, 1, 3, 5, 2, 6]), batch_sizes=tensor([3, 2, 1]), "+
			"sorted_indices=tensor([2, 0, 1]), unsorted_indices=tensor([1, 2, 0]))", packed.String())
		padded, lengths := rnn.PadPackedSequence(packed, rnn.BatchFirst(true))
		assert.True(t, seq.Equal(padded))
		assert.Equal(t, []int64{2, 1, 3}, lengths.Int64s())
		parts := rnn.UnpackSequence(packed)
		require.Len(t, parts, 3)
		assert.Equal(t, []int64{4, 5, 6}, parts[2].Int64s())

		again := rnn.NewPackedSequence(packed.Data, packed.BatchSizes, packed.SortedIndices, nil)
		assert.Equal(t, packed.String(), again.String())
		other := packed.To(torch.Float64)
		assert.Equal(t, torch.Float64, other.Data.DType())
		assert.Same(t, packed.BatchSizes, other.BatchSizes)

		sorted := rnn.PackSequence([]*torch.Tensor{
			torch.FromSlice([]int64{1, 2, 3}), torch.FromSlice([]int64{4, 5}),
			torch.FromSlice([]int64{6}),
		})
		assert.Equal(t, "PackedSequence(data=tensor([1, 4, 6, 2, 5, 3]), batch_sizes=tensor([3, 2, 1]), "+
			"sorted_indices=None, unsorted_indices=None)", sorted.String())
		assert.Equal(t, "None", (*rnn.PackedSequence)(nil).String())
		assert.Nil(t, rnn.InvertPermutation(nil))
	})
}

func TestPadding(t *testing.T) {
	scoped(t, func() {
		parts := []*torch.Tensor{torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{3})}
		assert.Equal(t, []float32{1, 3, 2, 0}, rnn.PadSequence(parts).Float32s())
		assert.Equal(t, []float32{1, 2, -1, 3},
			rnn.PadSequence(parts, rnn.BatchFirst(true), rnn.PaddingValue(-1), rnn.PaddingSideLeft).Float32s())
		padded := rnn.PadSequence(parts)
		before := padded.Shape()
		live := torch.NumLiveTensors()
		back := rnn.UnpadSequence(padded, torch.FromSlice([]int32{2, 1}))
		assert.Equal(t, live+3, torch.NumLiveTensors(), "two results and the lengths")
		assert.Equal(t, before, padded.Shape())
		for i, p := range parts {
			assert.True(t, p.Equal(back[i]))
		}
		assert.Empty(t, rnn.UnpadSequence(padded, []int64{0, 9})[0].Float32s())
	})
}

// Gradients flow through packing and padding.
func TestPackingGradients(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{3, 2}, torch.RequiresGrad(true))
		p := rnn.PackPaddedSequence(x, torch.FromSlice([]int64{1, 3}), rnn.EnforceSorted(false))
		y, _ := rnn.PadPackedSequence(p, rnn.TotalLength(4), rnn.PaddingValue(5))
		assert.Equal(t, []float32{1, 1, 5, 1, 5, 1, 5, 5}, y.Detach().Float32s())
		y.Sum().Backward()
		assert.Equal(t, []float32{1, 1, 0, 1, 0, 1}, x.Grad().Float32s())
	})
}

func TestBadSequences(t *testing.T) {
	scoped(t, func() {
		x := torch.Zeros(torch.Shape{3, 2, 4})
		row, other := torch.Zeros(torch.Shape{2, 4}), torch.Zeros(torch.Shape{2, 3})
		packed := rnn.PackPaddedSequence(x, []int64{3, 2})
		for i, c := range []struct {
			kind  error
			where string
			call  func()
		}{
			{torch.ErrNil, "input", func() { rnn.PackPaddedSequence(nil, []int64{1}) }},
			{torch.ErrType, "lengths", func() { rnn.PackPaddedSequence(x, "12") }},
			{torch.ErrShape, "lengths", func() { rnn.PackPaddedSequence(x, []int64{1}) }},
			{torch.ErrDType, "lengths", func() { rnn.PackPaddedSequence(x, torch.Zeros(torch.Shape{2})) }},
			{torch.ErrShape, "lengths", func() {
				rnn.PackPaddedSequence(x, torch.Zeros(torch.Shape{1, 2}, torch.Int64))
			}},
			{torch.ErrValue, "sequence 1", func() { rnn.PackPaddedSequence(x, []int64{3, 0}) }},
			{torch.ErrValue, "from 1 to 3", func() { rnn.PackPaddedSequence(x, []int64{4, 1}) }},
			{torch.ErrValue, "EnforceSorted(false)", func() { rnn.PackPaddedSequence(x, []int64{1, 3}) }},
			{torch.ErrShape, "input", func() { rnn.PackPaddedSequence(torch.Zeros(torch.Shape{3}), []int64{3}) }},
			{torch.ErrValue, "sequences", func() { rnn.PackSequence(nil) }},
			{torch.ErrShape, "sequences[1]", func() { rnn.PadSequence([]*torch.Tensor{row, other}) }},
			{torch.ErrNil, "PadSequence", func() { rnn.PadSequence([]*torch.Tensor{row, nil}) }},
			{torch.ErrShape, "sequences[0]", func() { rnn.PadSequence([]*torch.Tensor{torch.Zeros(torch.Shape{})}) }},
			{torch.ErrValue, "PaddingSide", func() { rnn.PadSequence([]*torch.Tensor{row}, rnn.PaddingSide("up")) }},
			{torch.ErrNil, "sequence", func() { rnn.PadPackedSequence(nil) }},
			{torch.ErrNil, "data", func() { rnn.PadPackedSequence(new(rnn.PackedSequence)) }},
			{torch.ErrValue, "TotalLength", func() { rnn.PadPackedSequence(packed, rnn.TotalLength(2)) }},
			{torch.ErrNil, "sequence", func() { rnn.UnpackSequence(nil) }},
			{torch.ErrShape, "lengths", func() { rnn.UnpadSequence(x, []int64{1}) }},
			{torch.ErrValue, "lengths", func() { rnn.UnpadSequence(x, []int64{1, -1}) }},
			{torch.ErrShape, "permutation", func() { rnn.InvertPermutation(row) }},
			{torch.ErrDevice, "batchSizes", func() {
				rnn.NewPackedSequence(row, torch.Zeros(torch.Shape{1}, torch.Meta), nil, nil)
			}},
		} {
			live := torch.NumLiveTensors()
			var err error
			torch.Scope(func() { err = torch.Try(c.call) })
			require.ErrorIs(t, err, c.kind, i)
			assert.ErrorContains(t, err, c.where, i)
			assert.Equal(t, live, torch.NumLiveTensors(), i)
		}
	})
}

func ExamplePackPaddedSequence() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4, 0, 0}, 2, 3) // two sequences, one of 3 steps and one of 1
		p := rnn.PackPaddedSequence(x, []int64{3, 1}, rnn.BatchFirst(true))
		fmt.Println(p.Data, p.BatchSizes)
	})
	// Output: tensor([1., 4., 2., 3.]) tensor([2, 1, 1])
}
