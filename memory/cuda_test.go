package memory_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// simulated reports whether the CUDA driver is the simulated one of internal/cudasim.
func simulated() bool { return os.Getenv("CUDASIM_DEVICES") != "" }

// needCUDA skips a test if there is neither a GPU nor the simulated driver.
func needCUDA(t *testing.T) torch.Device {
	t.Helper()
	dev := torch.CUDA.At(0)
	if err := dev.Check(); err != nil {
		if os.Getenv("GOTORCH_NEED_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return dev
}

func TestCUDAMemory(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	assert.Equal(t, "native", memory.Backend(dev))
	free, total, err := memory.MemGetInfo(dev)
	require.NoError(t, err)
	assert.Positive(t, free)
	assert.GreaterOrEqual(t, total, free)

	before := memory.Allocated(dev)
	x := torch.Empty(torch.Shape{1 << 20}, dev)
	assert.Equal(t, "cuda:0", x.Device().String())
	assert.EqualValues(t, 4*mib, memory.Allocated(dev)-before)
	require.NoError(t, memory.Synchronize(dev))
	require.NoError(t, x.Close())
	assert.Equal(t, before, memory.Allocated(dev))
	memory.EmptyCache() // all devices in use
	assert.Equal(t, memory.Allocated(dev), memory.Reserved(dev))

	require.ErrorIs(t, memory.SetFraction(dev, 1.5), torch.ErrValue)
	require.NoError(t, memory.SetFraction(dev, 0.5))
	assert.InDelta(t, total/2, memory.Limit(dev), 1)
	require.NoError(t, memory.SetLimit(dev, 0))
}

// If a device runs out of memory, the error names the lines that hold memory. Garbage is
// collected first, so it does not count against the limit.
func TestCUDAOutOfMemory(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	require.NoError(t, memory.SetLimit(dev, 64*mib))
	defer func() { require.NoError(t, memory.SetLimit(dev, 0)) }()
	before := memory.GC()

	// Allocate 320 MiB in total and close nothing.
	for range 20 {
		torch.Empty(torch.Shape{4 * mib}, dev)
	}
	after := memory.GC()
	assert.Greater(t, after.Recovered, before.Recovered, "the collector found room")

	err := torch.Try(func() { torch.Empty(torch.Shape{32 * mib}, dev) })
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	var e *torch.Error
	require.ErrorAs(t, err, &e)
	require.NotNil(t, e.Memory)
	assert.Equal(t, "cuda:0", e.Memory.Device.String())
	assert.EqualValues(t, 128*mib, e.Memory.Requested)
	assert.Greater(t, memory.GC().Failed, after.Failed)
}

// Growing device memory starts garbage collections, just as growing CPU memory does.
func TestCUDAGarbageIsCollected(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	live := memory.Allocated(dev)
	memory.ResetPeak(dev)
	before := memory.GC().Collections
	for range 200 { // 800 MiB
		torch.Empty(torch.Shape{mib}, dev)
	}
	assert.Greater(t, memory.GC().Collections, before)
	assert.LessOrEqual(t, memory.MaxAllocated(dev), live+(64+16)*mib)
}

func TestNoSuchDevice(t *testing.T) {
	far := torch.CUDA.At(99)
	require.ErrorIs(t, far.Check(), torch.ErrDevice)
	_, _, err := memory.MemGetInfo(far)
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.Contains(t, err.Error(), "memory.MemGetInfo: device cuda:99 is not available")
	require.ErrorIs(t, memory.SetLimit(far, 1), torch.ErrDevice)
	require.ErrorIs(t, memory.Synchronize(far), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { memory.Stats(far) }), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { memory.EmptyCache(far) }), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { torch.Zeros(torch.Shape{1}, far) }), torch.ErrDevice)
	if torch.CUDA.At(0).Check() != nil {
		_, err = memory.HostStats()
		require.ErrorIs(t, err, torch.ErrDevice)
		require.ErrorIs(t, torch.Try(func() { torch.Zeros(torch.Shape{1}, torch.PinMemory(true)) }), torch.ErrDevice)
	}
}

// Goroutines that allocate and free memory at the limit make progress, even if some of them
// leave their tensors to the collector. The collector can free tensors even while an
// allocation holds its lock and waits.
func TestCUDAGoroutinesAtTheLimit(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	require.NoError(t, memory.SetLimit(dev, 64*mib))
	defer func() { require.NoError(t, memory.SetLimit(dev, 0)) }()
	var wg sync.WaitGroup
	var failed atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			for i := range 100 {
				err := torch.Try(func() {
					x := torch.Empty(torch.Shape{int64(1+i%3) * mib}, dev)
					if g%2 == 0 {
						_ = x.Close()
					}
				})
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrOutOfMemory)
					failed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	assert.Less(t, failed.Load(), int64(80), "of 800: what others hold at the moment")
	memory.Clear()
	assert.LessOrEqual(t, memory.Allocated(dev), int64(mib))
}
