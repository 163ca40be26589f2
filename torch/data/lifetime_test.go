package data_test

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// What a step made is gone after it, and the error says what would have kept it.
func TestUseAfterStep(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(4)
	defer func() { _ = set.Close() }()
	var made, disowned *torch.Tensor
	for b := range data.NewLoader(set, data.BatchSize(2)).All() {
		if made != nil {
			err := torch.Try(func() { made.Add(b.Input) })
			require.ErrorIs(t, err, torch.ErrClosed)
			require.ErrorContains(t, err, "Add: argument self: tensor used after its step of the loader's loop: torch.Disown it to keep it, or copy its value with Item or Float32s")
			break
		}
		torch.Scope(func() {
			made = torch.Keep(b.Input.AddScalar(1)) // the step's, not the caller's
			disowned = torch.Disown(b.Input.AddScalar(2))
		})
	}
	assert.Equal(t, []int64{2, 3}, disowned.Int64s())
	require.NoError(t, disowned.Close())
}

// iter.Pull runs the loader on another goroutine, so the batch belongs to that
// one's scope: Keep and Disown say so, a handle of this goroutine's lives on.
func TestLoaderByPull(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(4)
	defer func() { _ = set.Close() }()
	next, stop := iter.Pull(data.NewLoader(set, data.BatchSize(2)).All())
	defer stop()
	var kept []*torch.Tensor
	var last *torch.Tensor
	torch.Scope(func() {
		for b, ok := next(); ok; b, ok = next() {
			if last != nil {
				assert.True(t, last.IsClosed(), "freed when the next one was asked for")
			}
			last = b.Input
			for _, fn := range []func(*torch.Tensor) *torch.Tensor{torch.Keep, torch.Disown} {
				err := torch.Try(func() { fn(b.Input) })
				require.ErrorIs(t, err, torch.ErrValue)
				require.ErrorContains(t, err, "iter.Pull")
			}
			kept = append(kept, b.Input.Detach())
		}
		assert.Equal(t, []int64{0, 1}, kept[0].Int64s())
		assert.Equal(t, []int64{2, 3}, kept[1].Int64s())
	})
	assert.True(t, kept[0].IsClosed(), "the caller's scope owns what the caller makes")
}
