package torch_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestScopedFreesEachIteration(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var last *torch.Tensor
	seen := []int64{}
	for n := range torch.Scoped(slices.Values([]int64{2, 3, 4, 5})) {
		if last != nil {
			assert.True(t, last.IsClosed())
		}
		last = torch.Ones(torch.Shape{n})
		if n == 3 {
			continue
		}
		seen = append(seen, last.Numel())
		if n == 4 {
			break
		}
	}
	assert.True(t, last.IsClosed(), "break ends the scope")
	assert.Equal(t, []int64{2, 4}, seen)

	var kept []*torch.Tensor
	sum := func() float64 {
		for i := range torch.ScopedRange(10) {
			x := torch.Full(torch.Shape{2}, i)
			if i == 1 {
				kept = append(kept, torch.Disown(x))
			}
			if i == 3 {
				last = x
				return x.Sum().Item()
			}
		}
		return 0
	}
	assert.Equal(t, 6.0, sum(), "return gives back a value that was computed in the scope")
	assert.True(t, last.IsClosed(), "return ends the scope")
	require.Len(t, kept, 1)
	assert.False(t, kept[0].IsClosed())
	require.NoError(t, kept[0].Close())

	err := torch.Try(func() {
		for range torch.ScopedRange(3) {
			last = torch.Ones(torch.Shape{1})
			last.Reshape(7)
		}
	})
	require.ErrorIs(t, err, torch.ErrShape)
	assert.True(t, last.IsClosed(), "a panic ends the scope")
}

// Tensors of the sequence are made outside the scope of an iteration.
func TestScopedLeavesTheSequenceAlone(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	made := func(yield func(*torch.Tensor) bool) {
		x := torch.Ones(torch.Shape{1})
		defer x.Close()
		for range 3 {
			if !yield(x) {
				return
			}
		}
	}
	n := 0
	for x := range torch.Scoped(made) {
		n += int(x.Add(x).Item())
	}
	assert.Equal(t, 6, n)

	for range torch.ScopedRange(-1) {
		t.Error("a negative number has no iterations")
	}
	require.ErrorIs(t, torch.Try(func() { torch.Scoped[int](nil) }), torch.ErrNil)
}
