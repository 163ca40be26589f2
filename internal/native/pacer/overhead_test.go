package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

// count replaces the numbers of open tensors and callbacks that the pacer sees, until the
// test ends. recounts counts the calls of pacer.Recount.
func count(t *testing.T) (handles, callbacks *int64, recounts *int) {
	t.Helper()
	handles, callbacks, recounts = new(int64), new(int64), new(int)
	pacer.SetCounts(func() (int64, int64) { return *handles, *callbacks }, func() { *recounts++ })
	t.Cleanup(func() { pacer.SetCounts(func() (int64, int64) { return 0, 0 }, func() {}) })
	return handles, callbacks, recounts
}

func TestHandlesAndCallbacksCount(t *testing.T) {
	handles, callbacks, recounts := count(t)
	settings(t, 100, 1*mib)
	pacer.Collect()
	none := pacer.ReadStats()

	const room = 1 * mib / pacer.HandleBytes
	*handles = room
	pacer.Recount()
	assert.False(t, pacer.Pressed())
	*handles = room + 1
	assert.False(t, pacer.Pressed(), "nobody has said so")
	n := *recounts
	pacer.Recount()
	assert.Equal(t, n+1, *recounts)
	assert.True(t, pacer.Pressed())

	// If the number of handles is no longer high, Relieve collects nothing. It also
	// forgets the peak, so a new block does not cause pressure.
	*handles = 0
	pacer.Relieve()
	assert.Equal(t, none.Collections, pacer.ReadStats().Collections)
	h := tensor(t, 1<<10)
	assert.False(t, pacer.Pressed())
	cgotorch.Free(h)

	*callbacks = 10
	*handles = 100
	pacer.Collect()
	assert.EqualValues(t, none.LastLiveBytes+100*pacer.HandleBytes+10*pacer.CallbackBytes,
		pacer.ReadStats().LastLiveBytes)
	*callbacks += 1*mib/pacer.CallbackBytes + 1
	pacer.Recount()
	assert.True(t, pacer.Pressed())
}

// Many small blocks cause pressure too, because the allocator adds BlockBytes for each
// block.
func TestBlocksCount(t *testing.T) {
	settings(t, 100, 1*mib)
	pacer.Collect()
	var hs []abi.Tensor
	for range 1 * mib / (pacer.BlockBytes + 4) {
		hs = append(hs, tensor(t, 4))
	}
	assert.False(t, pacer.Pressed())
	hs = append(hs, tensor(t, 4))
	assert.True(t, pacer.Pressed())
	for _, h := range hs {
		cgotorch.Free(h)
	}
}
