package memory_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

const async = "PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync"

// The backend cudaMallocAsync does not report blocks, but garbage on the device is still
// bounded. While all of the device's memory is in use, few collections run.
func TestCUDAAsyncGarbageIsCollected(t *testing.T) {
	if !inChild(t, async) {
		return
	}
	dev := needCUDA(t)
	require.Equal(t, "cudaMallocAsync", memory.Backend(dev))
	memory.ResetPeak(dev)
	for range 200 { // 800 MiB
		torch.Empty(torch.Shape{mib}, dev)
	}
	gc := memory.GC()
	assert.Positive(t, gc.Collections)
	assert.Zero(t, gc.Retries)
	// The peak is at most the threshold, plus the growth between two checks of the
	// threshold, plus the newest result.
	assert.LessOrEqual(t, memory.MaxAllocated(dev), int64(64+8*4+16)*mib)

	memory.Clear()
	assert.Zero(t, memory.Allocated(dev))
	torch.Scope(func() {
		before := memory.GC().Collections
		for range 100 { // 400 MiB, all alive
			torch.Empty(torch.Shape{mib}, dev)
		}
		assert.LessOrEqual(t, memory.GC().Collections-before, int64(4), "64, 128, 256 MiB")
	})

	// With the pacer off nothing is collected before the device is full.
	defer memory.SetGCPercent(memory.SetGCPercent(-1))
	before := memory.GC()
	for range 100 {
		torch.Empty(torch.Shape{mib}, dev)
	}
	assert.Equal(t, before.Collections, memory.GC().Collections)
}

func TestCUDAAsyncOutOfMemory(t *testing.T) {
	if !inChild(t, async) {
		return
	}
	dev := needCUDA(t)
	require.NoError(t, memory.SetLimit(dev, 64*mib))
	assert.EqualValues(t, 64*mib, memory.Limit(dev))
	// Allocate 320 MiB in total and close nothing.
	for range 20 {
		torch.Empty(torch.Shape{4 * mib}, dev)
	}
	assert.Positive(t, memory.GC().Recovered)
	err := torch.Try(func() { torch.Empty(torch.Shape{32 * mib}, dev) })
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	var e *torch.Error
	require.True(t, errors.As(err, &e) && e.Memory != nil)
	assert.EqualValues(t, 128*mib, e.Memory.Requested)
	assert.Equal(t, dev, e.Memory.Device)
	assert.EqualValues(t, 64*mib, e.Memory.Limit)
	_, total, err := memory.MemGetInfo(dev)
	require.NoError(t, err)
	if simulated() { // no other process uses the simulated device's memory
		assert.Equal(t, total-e.Memory.Free, e.Memory.Reserved)
	}

	require.NoError(t, memory.SetLimit(dev, 0))
	err = torch.Try(func() { torch.Empty(torch.Shape{total}, dev) })
	require.True(t, errors.As(err, &e) && e.Memory != nil)
	assert.Zero(t, e.Memory.Limit, "there is none")
}

// Functions that the backend does not support return an error and do not affect the CPU.
func TestCUDAAsyncHasNoHistory(t *testing.T) {
	if !inChild(t, async) {
		return
	}
	dev := needCUDA(t)
	x := torch.Empty(torch.Shape{mib}, dev)
	defer x.Close()
	for name, err := range map[string]error{
		"RecordHistory": memory.RecordHistory(memory.HistoryOptions{Devices: []torch.Device{dev}}),
		"Snapshot":      torch.Try(func() { memory.Snapshot(dev) }),
		"StartTrack":    torch.Try(func() { memory.StartTrack("x", memory.Device(dev)) }),
		"Settings":      torch.Try(func() { memory.Settings(dev) }),
		"NewMemPool":    func() error { _, err := memory.NewMemPool(dev); return err }(),
	} {
		require.ErrorIs(t, err, torch.ErrNotImplemented, name)
		assert.ErrorContains(t, err, "cudaMallocAsync", name)
	}
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{}))
	defer memory.StopHistory()
	y := torch.Zeros(torch.Shape{1000})
	defer y.Close()
	s := memory.Snapshot()
	assert.Equal(t, []string{"cpu"}, s.Devices)
	only(t, s.DeviceTraces[0], memory.ActionAlloc, 4000)
}
