package memory_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

const mib = 1 << 20

// quiet frees memory left by earlier tests, so that byte counts are exact.
func quiet() { memory.Clear() }

func TestStatsCountTensors(t *testing.T) {
	quiet()
	memory.ResetPeak(torch.CPU)
	before := memory.Stats(torch.CPU)

	small := torch.Zeros(torch.Shape{25}) // 100 bytes, in a block of 128
	large := torch.Zeros(torch.Shape{3 * mib / 4})
	s := memory.Stats(torch.CPU)
	assert.EqualValues(t, 100, s.RequestedBytes.SmallPool.Current-before.RequestedBytes.SmallPool.Current)
	block := int64(128)
	if memory.Backend(torch.CPU) == "system" {
		block = 100 + 64 // including the header, which stores the size
	}
	assert.EqualValues(t, block, s.AllocatedBytes.SmallPool.Current-before.AllocatedBytes.SmallPool.Current)
	assert.EqualValues(t, 3*mib, s.RequestedBytes.LargePool.Current-before.RequestedBytes.LargePool.Current)
	assert.EqualValues(t, 2, s.Allocation.All.Current-before.Allocation.All.Current)
	assert.EqualValues(t, 2, s.Active.All.Current-before.Active.All.Current)
	assert.GreaterOrEqual(t, s.ReservedBytes.All.Current, s.AllocatedBytes.All.Current)
	assert.Equal(t, s.RequestedBytes.All.Current, memory.Requested(torch.CPU))
	assert.Equal(t, s.AllocatedBytes.All.Current, memory.Allocated(torch.CPU))

	require.NoError(t, large.Close())
	require.NoError(t, small.Close())
	s = memory.Stats(torch.CPU)
	assert.Equal(t, before.RequestedBytes.All.Current, s.RequestedBytes.All.Current)
	assert.EqualValues(t, before.RequestedBytes.All.Current+100+3*mib, memory.MaxRequested(torch.CPU))
	assert.GreaterOrEqual(t, memory.MaxReserved(torch.CPU), memory.MaxAllocated(torch.CPU))

	memory.ResetPeak(torch.CPU)
	assert.Equal(t, before.RequestedBytes.All.Current, memory.MaxRequested(torch.CPU))
	memory.ResetAccumulated(torch.CPU)
	s = memory.Stats(torch.CPU)
	assert.Zero(t, s.Allocation.All.Allocated)
	assert.Zero(t, s.RequestedBytes.All.Freed)
}

// If a small tensor reuses a part of a larger block, EmptyCache returns the pages of the
// rest of the block.
func TestEmptyCacheGivesBackTheRestOfAPlace(t *testing.T) {
	if memory.Backend(torch.CPU) == "system" {
		t.Skip("the C library's memory is not ours to give back")
	}
	quiet()
	m, err := memory.NewMonitor(memory.MonitorOptions{})
	require.NoError(t, err)
	if m.Sample().Resident == 0 {
		t.Skip("the system does not report resident memory")
	}
	const places = 32
	var large, between, small []*torch.Tensor
	for range places {
		large = append(large, torch.Ones(torch.Shape{2 * mib / 4}))
		between = append(between, torch.Ones(torch.Shape{5 * mib / 4 / 4}))
	}
	for _, x := range large {
		require.NoError(t, x.Close())
	}
	for range places {
		small = append(small, torch.Ones(torch.Shape{5 * mib / 4 / 4})) // 3/4 MiB of each block stay free
	}
	full := m.Sample().Resident
	memory.EmptyCache()
	assert.Greater(t, full-m.Sample().Resident, int64(places*mib/2))
	for _, x := range append(between, small...) {
		assert.InDelta(t, 1, x.Min().Item(), 0, "what tensors hold is not touched")
		require.NoError(t, x.Close())
	}
}

// Graph nodes are in the C library's heap, which keeps their pages if a block above them is
// still in use.
func TestClearGivesBackTheCHeap(t *testing.T) {
	runtime.LockOSThread() // malloc gives each thread its own heap
	defer runtime.UnlockOSThread()
	m, err := memory.NewMonitor(memory.MonitorOptions{})
	require.NoError(t, err)
	chain := func(n int) *torch.Tensor {
		x := torch.Zeros(torch.Shape{1}).RequiresGrad_()
		for range n {
			y := x.AddScalar(1)
			_ = x.Close()
			x = y
		}
		return x
	}
	memory.Clear()
	start := m.Sample().Resident
	if start == 0 {
		t.Skip("the system does not report resident memory")
	}
	long := chain(100_000)
	above := chain(1)
	require.NoError(t, long.Close())
	kept := m.Sample().Resident - start
	if kept < 8*mib {
		t.Skip("this C library has given the pages back by itself")
	}
	memory.Clear()
	assert.Less(t, m.Sample().Resident-start, kept/2)
	require.NoError(t, above.Close())
}

func TestFlatHasPyTorchsKeys(t *testing.T) {
	flat := memory.StatsFlat(torch.CPU)
	assert.Len(t, flat, 122)
	for _, k := range []string{
		"allocation.all.current", "requested_bytes.small_pool.peak", "oversize_segments.freed",
		"num_ooms", "max_split_size",
	} {
		assert.Contains(t, flat, k)
	}
	for k, v := range flat {
		if !strings.HasSuffix(k, ".current") {
			continue
		}
		base := strings.TrimSuffix(k, "current")
		assert.LessOrEqual(t, v, flat[base+"peak"], k)
		assert.GreaterOrEqual(t, v, int64(0), k)
	}
}

func TestEmptyCacheReturnsMemory(t *testing.T) {
	quiet()
	if memory.Backend(torch.CPU) == "system" {
		t.Skip("the system allocator caches nothing")
	}
	live := memory.Reserved(torch.CPU)
	require.NoError(t, torch.Zeros(torch.Shape{16 * mib}).Close())
	assert.GreaterOrEqual(t, memory.Reserved(torch.CPU), live+64*mib, "freed memory stays cached")
	memory.EmptyCache()
	assert.LessOrEqual(t, memory.Reserved(torch.CPU), live)
}

func TestLimit(t *testing.T) {
	quiet()
	keep := torch.Zeros(torch.Shape{4 * mib})
	defer func() { require.NoError(t, keep.Close()) }()

	err := memory.SetLimit(torch.CPU, 1*mib)
	require.ErrorIs(t, err, torch.ErrValue)
	assert.Contains(t, err.Error(), "live tensors hold")
	assert.Zero(t, memory.Limit(torch.CPU), "a limit below what lives changes nothing")
	require.ErrorIs(t, memory.SetLimit(torch.CPU, -1), torch.ErrValue)

	// A limit that rounds down to zero bytes must not mean "no limit".
	require.ErrorIs(t, memory.SetFraction(torch.CPU, 1e-18), torch.ErrValue)
	assert.Zero(t, memory.Limit(torch.CPU))

	limit := memory.Reserved(torch.CPU) + 64*mib
	require.NoError(t, memory.SetLimit(torch.CPU, limit))
	defer func() { require.NoError(t, memory.SetLimit(torch.CPU, 0)) }()
	free, total, err := memory.MemGetInfo(torch.CPU)
	require.NoError(t, err)
	assert.Equal(t, limit, total)
	assert.LessOrEqual(t, free, int64(64*mib))

	ooms := memory.Stats(torch.CPU).NumOOMs
	err = torch.Try(func() { torch.Zeros(torch.Shape{32 * mib}) })
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	assert.Contains(t, err.Error(), "tried to allocate 134217728 bytes")
	assert.Greater(t, memory.Stats(torch.CPU).NumOOMs, ooms)

	// Allocations within the limit still succeed, because garbage does not count against
	// it.
	for range 20 {
		torch.Zeros(torch.Shape{8 * mib})
	}
}

func TestAbsurdSizeIsAnError(t *testing.T) {
	err := torch.Try(func() { torch.Empty(torch.Shape{1 << 58}) })
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	var e *torch.Error
	require.True(t, errors.As(err, &e))
	assert.Contains(t, e.Message, "CPU out of memory")

	// These sizes exceed the memory of any machine, and some do not fit into 64 bits.
	for _, sizes := range []torch.Shape{{1 << 62}, {1 << 61}, {1 << 32, 1 << 32}, {1 << 40, 1 << 40}} {
		for name, fn := range map[string]func(){
			"Empty": func() { torch.Empty(sizes) },
			"Zeros": func() { torch.Zeros(sizes, torch.Float64) },
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrOutOfMemory, "%s of %v", name, sizes)
			require.ErrorAs(t, err, &e)
			assert.Nil(t, e.Memory, "no device was asked")
		}
	}
}

func TestAbsentDevice(t *testing.T) {
	for name, fn := range map[string]func(){
		"Stats":      func() { memory.Stats(torch.CUDA.At(7)) },
		"Summary":    func() { memory.Summary(torch.Meta) },
		"EmptyCache": func() { memory.EmptyCache(torch.CUDA.At(7)) },
		"ResetPeak":  func() { memory.ResetPeak(torch.CUDA.At(7)) },
	} {
		assert.ErrorIs(t, torch.Try(fn), torch.ErrDevice, name)
	}
	_, _, err := memory.MemGetInfo(torch.CUDA.At(7))
	require.ErrorIs(t, err, torch.ErrDevice)
	require.ErrorIs(t, memory.SetLimit(torch.CUDA.At(7), mib), torch.ErrDevice)
	require.ErrorIs(t, memory.SetFraction(torch.CPU, 0), torch.ErrValue)
	require.ErrorIs(t, memory.SetFraction(torch.CPU, 1.5), torch.ErrValue)
}

func TestTrackNests(t *testing.T) {
	quiet()
	var inner memory.Usage
	outer := memory.Track("outer", func() {
		a := torch.Zeros(torch.Shape{2 * mib}) // 8 MiB
		require.NoError(t, a.Close())
		inner = memory.Track("inner", func() {
			b := torch.Zeros(torch.Shape{mib}) // 4 MiB
			require.NoError(t, b.Close())
		})
		// ResetPeak does not affect the peaks of Track and StartTrack.
		memory.ResetPeak(torch.CPU)
	})
	assert.EqualValues(t, 8*mib, outer.PeakGrowth())
	assert.EqualValues(t, 4*mib, inner.PeakGrowth())
	assert.EqualValues(t, 2, outer.Allocations)
	assert.EqualValues(t, 12*mib, outer.AllocatedBytes)
	assert.EqualValues(t, 1, inner.Allocations)
	assert.Zero(t, outer.Net())
	assert.Positive(t, outer.Duration)
	assert.Contains(t, outer.String(), "outer: peak")
}

func TestTrackStopsOnPanic(t *testing.T) {
	assert.PanicsWithValue(t, "x", func() {
		memory.Track("panics", func() { panic("x") })
	})
	tr := memory.StartTrack("read")
	a := torch.Zeros(torch.Shape{mib})
	assert.GreaterOrEqual(t, tr.Read().PeakGrowth(), int64(4*mib))
	require.NoError(t, a.Close())
	last := tr.Stop()
	assert.Equal(t, last, tr.Stop(), "the first Stop counts")
	assert.Equal(t, last, tr.Read())
}

func TestTrackConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				u := memory.Track("worker", func() {
					require.NoError(t, torch.Zeros(torch.Shape{1000}).Close())
				})
				assert.GreaterOrEqual(t, u.PeakGrowth(), int64(0))
				assert.GreaterOrEqual(t, u.Allocations, int64(1))
			}
		})
	}
	wg.Wait()
}

// Tensors that are freed on other goroutines, and therefore on other threads, are counted
// as freed.
func TestCountsSurviveThreads(t *testing.T) {
	quiet()
	before := memory.Requested(torch.CPU)
	ch := make(chan *torch.Tensor, 64)
	var makers, closers sync.WaitGroup
	for range 4 {
		makers.Go(func() {
			for i := range 500 {
				ch <- torch.Zeros(torch.Shape{int64(1 + i*7%5000)})
			}
		})
		closers.Go(func() {
			for x := range ch {
				assert.NoError(t, x.Close())
			}
		})
	}
	makers.Wait()
	close(ch)
	closers.Wait()
	assert.Equal(t, before, memory.Requested(torch.CPU))
}

// Garbage stays bounded however many goroutines create it: a goroutine that finds memory
// far above the threshold waits for the collection.
func TestGarbageIsBounded(t *testing.T) {
	quiet()
	old := memory.SetMinHeap(16 * mib)
	defer memory.SetMinHeap(old)
	for _, goroutines := range []int{1, 8} {
		quiet()
		start := memory.GC()
		u := memory.Track("garbage", func() {
			var all sync.WaitGroup
			for range goroutines {
				all.Go(func() {
					for range 1600 / goroutines {
						torch.Zeros(torch.Shape{mib / 16}) // allocates 256 KiB and closes nothing
					}
				})
			}
			all.Wait()
		})
		assert.Less(t, u.PeakGrowth(), int64(16*mib*5/4), "%d goroutines: %v", goroutines, u)
		assert.Greater(t, memory.GC().Collections, start.Collections)
	}
}

// Collections that the program or Clear runs are not counted as caused by native memory.
func TestTimeOfCollections(t *testing.T) {
	before := memory.GC()
	memory.Collect()
	memory.Clear()
	assert.Equal(t, before.Time, memory.GC().Time)
	assert.Equal(t, before.Collections, memory.GC().Collections)
}

func TestSummaryAndReportAreReadable(t *testing.T) {
	x := torch.Zeros(torch.Shape{mib})
	r := memory.Report()
	for _, w := range []string{
		"native memory on cpu", "live", "peak", "cached", "reserved", "limit", "resident",
		"go",
	} {
		assert.Contains(t, r, w)
	}
	assert.Equal(t, memory.Process().CHeap > 0, strings.Contains(r, "c heap"))
	assert.NotRegexp(t, `\b1 \w+s\b`, r, "one of a thing")
	assert.Contains(t, []string{"caching", "system"}, memory.Backend(torch.CPU))
	runtime.KeepAlive(x)
	require.NoError(t, x.Close())
}
