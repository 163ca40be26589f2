package memory_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

func onDevice(dev torch.Device, bytes int64) *torch.Tensor {
	return torch.Empty(torch.Shape{bytes}, torch.Uint8, dev)
}

func TestCUDATrackNests(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	var inner memory.Usage
	outer := memory.Track("outer", func() {
		a := onDevice(dev, 8*mib)
		require.NoError(t, a.Close())
		inner = memory.Track("inner", func() {
			b := onDevice(dev, 4*mib)
			require.NoError(t, b.Close())
		}, memory.Device(dev))
		memory.ResetPeak(dev) // does not affect trackers
		memory.ResetAccumulated(dev)
		onCPU := torch.Zeros(torch.Shape{16 * mib})
		require.NoError(t, onCPU.Close())
	}, memory.Device(dev))
	assert.Equal(t, dev, outer.Device)
	assert.EqualValues(t, 8*mib, outer.PeakGrowth())
	assert.EqualValues(t, 4*mib, inner.PeakGrowth())
	assert.EqualValues(t, 2, outer.Allocations)
	assert.EqualValues(t, 12*mib, outer.AllocatedBytes)
	assert.EqualValues(t, 1, inner.Allocations)
	assert.EqualValues(t, 4*mib, inner.AllocatedBytes)
	assert.Zero(t, outer.Net())
	assert.Contains(t, outer.String(), " on cuda:0, net")

	// Trackings may overlap without nesting, and be read before they are stopped.
	first := memory.StartTrack("first", memory.Device(dev))
	a := onDevice(dev, mib)
	second := memory.StartTrack("second", memory.Device(dev))
	assert.EqualValues(t, mib, first.Read().Net())
	b := onDevice(dev, 2*mib)
	u := first.Stop()
	assert.EqualValues(t, 3*mib, u.PeakGrowth())
	require.NoError(t, a.Close())
	c := onDevice(dev, 3*mib)
	assert.Equal(t, u, first.Read(), "what Stop returned")
	v := second.Stop()
	assert.EqualValues(t, 5*mib, v.Peak-u.Start)
	assert.EqualValues(t, 4*mib, v.Net())
	assert.EqualValues(t, 2, v.Allocations)
	for _, x := range []*torch.Tensor{b, c} {
		require.NoError(t, x.Close())
	}
	require.PanicsWithValue(t, "x", func() { memory.Track("panics", func() { panic("x") }, memory.Device(dev)) })
}

// The peak includes the whole blocks, which are larger than the requested bytes, even if
// they are freed immediately.
func TestCUDATrackBlocks(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	start := memory.Allocated(dev)
	memory.ResetPeak(dev)
	for _, sizes := range [][]int64{{1}, {1, 1000}, {3*mib + 1}, {700, 20 * mib, 5}, {mib + 1, mib + 1}} {
		memory.ResetPeak(dev)
		u := memory.Track("blocks", func() {
			for i := range sizes {
				var live []*torch.Tensor
				for _, n := range sizes[:len(sizes)-i] {
					live = append(live, onDevice(dev, n))
				}
				for _, x := range live {
					require.NoError(t, x.Close())
				}
			}
		}, memory.Device(dev))
		assert.Equal(t, memory.MaxAllocated(dev), u.PeakAllocated, "%v", sizes)
		assert.Greater(t, u.PeakAllocated, start)
		assert.Equal(t, memory.MaxRequested(dev), u.Peak, "%v", sizes)
	}
}

// A block that was freed while another stream still uses it counts in the requested bytes,
// but not in the allocated bytes.
func TestCUDATrackStreams(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	side := cuda.NewStream(cuda.Device(dev))
	pinned := torch.Ones(torch.Shape{mib}, torch.Uint8).PinMemory()
	for range 20 {
		memory.ResetPeak(dev)
		before := memory.Stats(dev)
		u := memory.Track("streams", func() {
			for i := range int64(5) {
				x := onDevice(dev, mib)
				side.WaitStream(cuda.CurrentStream(cuda.Device(dev)))
				side.Do(func() { x.Copy_(pinned, torch.NonBlocking(true)) })
				side.RecordStream(x)
				require.NoError(t, x.Close())
				require.NoError(t, onDevice(dev, 1000+i*mib).Close())
			}
		}, memory.Device(dev))
		s := memory.Stats(dev)
		assert.Equal(t, s.RequestedBytes.All.Peak, u.Peak)
		assert.Equal(t, s.AllocatedBytes.All.Peak, u.PeakAllocated)
		assert.Equal(t, before.RequestedBytes.All.Current, u.Start)
		assert.Equal(t, s.RequestedBytes.All.Current, u.End)
		side.Synchronize()
	}
	require.NoError(t, pinned.Close())
}

// Concurrent measurements on two devices count all memory of their own device, while other
// measurements start and stop. Their results agree with the peaks and totals of the
// allocators.
func TestCUDATrackConcurrently(t *testing.T) {
	needCUDA(t)
	devices := []torch.Device{torch.CUDA.At(0), torch.CUDA.At(1)}
	if devices[1].Check() != nil {
		devices = devices[:1]
	}
	memory.Clear()
	var whole []*memory.Tracking
	var before []memory.DeviceStats
	for _, dev := range devices {
		memory.ResetPeak(dev)
		whole = append(whole, memory.StartTrack("whole", memory.Device(dev)))
		before = append(before, memory.Stats(dev))
	}
	var wg sync.WaitGroup
	for i, dev := range devices {
		for g := range 4 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), uint64(g)))
				for range 200 {
					own := int64(1 + random.IntN(3*mib))
					u := memory.Track("worker", func() {
						x := onDevice(dev, own)
						y := onDevice(dev, 700)
						require.NoError(t, x.Close())
						require.NoError(t, y.Close())
					}, memory.Device(dev))
					assert.GreaterOrEqual(t, u.Peak, own+700)
					assert.GreaterOrEqual(t, u.PeakAllocated, u.Peak)
					assert.GreaterOrEqual(t, u.Peak, max(u.Start, u.End))
					assert.GreaterOrEqual(t, u.Allocations, int64(2))
					assert.GreaterOrEqual(t, u.AllocatedBytes, own+700)
				}
			})
		}
	}
	wg.Wait()
	for i, dev := range devices {
		u, after := whole[i].Stop(), memory.Stats(dev)
		assert.Equal(t, after.RequestedBytes.All.Peak, u.Peak)
		assert.Equal(t, after.AllocatedBytes.All.Peak, u.PeakAllocated)
		assert.Equal(t, before[i].RequestedBytes.All.Current, u.Start)
		assert.Equal(t, after.RequestedBytes.All.Current, u.End)
		assert.Equal(t, after.Allocation.All.Allocated-before[i].Allocation.All.Allocated, u.Allocations)
		assert.Equal(t, after.RequestedBytes.All.Allocated-before[i].RequestedBytes.All.Allocated, u.AllocatedBytes)
		assert.EqualValues(t, 4*200*2, u.Allocations)
	}
}

func TestTrackNoSuchDevice(t *testing.T) {
	for _, dev := range []torch.Device{torch.CUDA.At(99), torch.Meta} {
		err := torch.Try(func() { memory.StartTrack("x", memory.Device(dev)) })
		require.ErrorIs(t, err, torch.ErrDevice)
		assert.ErrorContains(t, err, "memory.StartTrack: ")
		ran := false
		err = torch.Try(func() { memory.Track("x", func() { ran = true }, memory.Device(dev)) })
		require.ErrorIs(t, err, torch.ErrDevice)
		assert.ErrorContains(t, err, "memory.Track: ")
		assert.False(t, ran)
	}
	err := torch.Try(func() { memory.StartTrack("x", nil) })
	require.ErrorIs(t, err, torch.ErrNil)
	u := memory.Track("x", func() {}, memory.Device(torch.CPU))
	assert.Equal(t, torch.CPU, u.Device)
}
