package memory_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// limited limits the reserved memory to its current size plus room bytes until the test
// ends. Meanwhile collections run only when memory is short.
func limited(t *testing.T, room int64) {
	t.Helper()
	if memory.Backend(torch.CPU) == "system" {
		t.Skip("the room in reserved bytes is that of the caching allocator")
	}
	quiet()
	old := memory.SetMinHeap(1 << 40)
	require.NoError(t, memory.SetLimit(torch.CPU, memory.Reserved(torch.CPU)+room))
	t.Cleanup(func() {
		memory.SetMinHeap(old)
		require.NoError(t, memory.SetLimit(torch.CPU, 0))
	})
}

//go:noinline
func takeMemory(n int64) *torch.Tensor { return torch.Zeros(torch.Shape{n}) }

// outOfMemory runs fn, which must run out of memory, and returns the error and its details.
func outOfMemory(t *testing.T, fn func()) (*torch.Error, *torch.OutOfMemory) {
	t.Helper()
	err := torch.Try(fn)
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	var e *torch.Error
	require.ErrorAs(t, err, &e)
	require.NotNil(t, e.Memory)
	return e, e.Memory
}

func TestOutOfMemoryExplains(t *testing.T) {
	limited(t, 64*mib)
	limit := memory.Limit(torch.CPU)
	_, m := outOfMemory(t, func() { takeMemory(32 * mib) })
	assert.Equal(t, torch.CPU, m.Device)
	assert.EqualValues(t, 128*mib, m.Requested)
	assert.Equal(t, limit, m.Limit)
	assert.Equal(t, limit-m.Reserved, m.Free)
	assert.GreaterOrEqual(t, m.Reserved, m.Allocated)
	assert.Empty(t, m.Largest)
	assert.Contains(t, m.Hint, "memory.RecordHistory")
	assert.Contains(t, m.String(), "requested 128.00 MiB")

	record(t, memory.HistoryOptions{Enabled: memory.HistoryState})
	var kept []*torch.Tensor
	for range 3 {
		kept = append(kept, takeMemory(2*mib)) // 8 MiB each
	}
	kept = append(kept, torch.Ones(torch.Shape{mib}))
	e, m := outOfMemory(t, func() { takeMemory(32 * mib) })
	assert.Empty(t, m.Hint)
	require.GreaterOrEqual(t, len(m.Largest), 2)
	assert.LessOrEqual(t, len(m.Largest), 10)
	assert.EqualValues(t, 24*mib, m.Largest[0].Bytes)
	assert.EqualValues(t, 3, m.Largest[0].Count)
	assert.Regexp(t, `oom_test\.go:\d+ .*\.takeMemory$`, m.Largest[0].Site)
	assert.EqualValues(t, 4*mib, m.Largest[1].Bytes)
	assert.GreaterOrEqual(t, m.Allocated, int64(28*mib))
	assert.Regexp(t, `the largest part, 24\.00 MiB, was allocated at oom_test\.go:\d+`, e.Error())
	assert.Contains(t, m.String(), "takeMemory")
	memory.StopHistory()
	old := memory.TrackTensors(1)
	defer memory.TrackTensors(old)
	kept = append(kept, takeMemory(3*mib))
	_, m = outOfMemory(t, func() { takeMemory(32 * mib) })
	assert.Empty(t, m.Hint)
	require.NotEmpty(t, m.Largest)
	assert.EqualValues(t, 12*mib, m.Largest[0].Bytes)
	assert.Contains(t, m.Largest[0].Site, "takeMemory")
	for _, x := range kept {
		require.NoError(t, x.Close())
	}
}

func TestErrorsOfOtherKindsHaveNoMemory(t *testing.T) {
	err := torch.Try(func() { torch.Zeros(torch.Shape{2}).MatMul(torch.Zeros(torch.Shape{3})) })
	var e *torch.Error
	require.ErrorAs(t, err, &e)
	assert.Nil(t, e.Memory)
}

func TestSnapshotOnOOM(t *testing.T) {
	limited(t, 64*mib)
	record(t, memory.HistoryOptions{})
	path := filepath.Join(t.TempDir(), "oom.pickle")
	memory.SnapshotOnOOM(path)
	defer memory.SnapshotOnOOM("")
	_, m := outOfMemory(t, func() { takeMemory(32 * mib) })
	require.NoError(t, m.SnapshotErr)
	assert.Equal(t, path, m.Snapshot)
	s, err := memory.LoadSnapshot(path)
	require.NoError(t, err)
	var ooms []memory.TraceEntry
	for _, e := range cpuTrace(t, s) {
		if e.Action == memory.ActionOOM {
			ooms = append(ooms, e)
		}
	}
	require.Len(t, ooms, 1, "the call and its repetition are one error")
	assert.EqualValues(t, 128*mib, ooms[0].Size)
	assert.Positive(t, ooms[0].DeviceFree)

	memory.SnapshotOnOOM(filepath.Join(path, "not", "a", "folder"))
	_, m = outOfMemory(t, func() { takeMemory(32 * mib) })
	require.Error(t, m.SnapshotErr)
	assert.Contains(t, m.String(), "snapshot: ")
	memory.SnapshotOnOOM("")
	_, m = outOfMemory(t, func() { takeMemory(32 * mib) })
	assert.Empty(t, m.Snapshot)
}

// garbage fills the room below the limit with unreachable tensors.
func garbage() {
	for range 7 {
		torch.Zeros(torch.Shape{2 * mib}) // 8 MiB
	}
}

func TestGarbageAtTheLimitIsCollected(t *testing.T) {
	data := make([]float32, 4*mib)
	data[5] = 2
	whole := torch.Ones(torch.Shape{2, mib})
	defer func() { assert.NoError(t, whole.Close()) }()
	double := torch.Full(torch.Shape{2 * mib}, 3.0, torch.Float64)
	defer func() { assert.NoError(t, double.Close()) }()
	for name, fn := range map[string]func(){
		"a factory":    func() { torch.Ones(torch.Shape{4 * mib}) },
		"an operator":  func() { whole.Add(whole); whole.Add(whole) },
		"data from Go": func() { assert.EqualValues(t, 2, torch.FromSlice(data).Index(5).Item()) },
		"data to Go":   func() { whole.T().Float32s() },
		"indexing":     func() { whole.Index(torch.Zeros(torch.Shape{4}, torch.Int64)) },
		"in place": func() {
			v := whole.View(2 * mib)
			v.Mul_(double)
			assert.EqualValues(t, 3, v.Index(7).Item(), "once, not twice")
			v.Sub_(double).AddScalar_(1)
			assert.EqualValues(t, 1, v.Index(7).Item())
		},
	} {
		t.Run(name, func(t *testing.T) {
			limited(t, 64*mib)
			before, ooms := memory.GC(), memory.Stats(torch.CPU).NumOOMs
			garbage()
			require.NoError(t, torch.Try(fn))
			after := memory.GC()
			assert.Equal(t, ooms, memory.Stats(torch.CPU).NumOOMs, "no error")
			assert.Greater(t, after.Retries, before.Retries)
			assert.Greater(t, after.Recovered, before.Recovered)
			assert.Equal(t, before.Failed, after.Failed)
		})
	}
}

// An operator that succeeds when it is called again counts as a retry and not as an
// error, in the statistics and in the history.
func TestRecoveredIsNoOutOfMemory(t *testing.T) {
	limited(t, 64*mib)
	// 0 keeps all events; a ring buffer of 5 events is full and overwrites old ones.
	for _, entries := range []int{0, 5} {
		record(t, memory.HistoryOptions{MaxEntries: entries})
		before := memory.Stats(torch.CPU)
		garbage()
		require.NoError(t, torch.Try(func() { takeMemory(4 * mib) }))
		after := memory.Stats(torch.CPU)
		assert.Equal(t, before.NumOOMs, after.NumOOMs)
		assert.Greater(t, after.NumAllocRetries, before.NumAllocRetries)
		_, _ = outOfMemory(t, func() { takeMemory(32 * mib) })
		var ooms []int64
		for _, e := range cpuTrace(t, memory.Snapshot(torch.CPU)) {
			if e.Action == memory.ActionOOM {
				ooms = append(ooms, e.Size)
			}
		}
		assert.Equal(t, []int64{128 * mib}, ooms, "%d entries", entries)
		memory.StopHistory()
	}
}

func TestRetriesAreCounted(t *testing.T) {
	limited(t, 64*mib)
	before, ooms := memory.GC(), memory.Stats(torch.CPU).NumOOMs
	_, _ = outOfMemory(t, func() { takeMemory(32 * mib) })
	after := memory.GC()
	assert.Equal(t, before.Retries+1, after.Retries)
	assert.Equal(t, ooms+1, memory.Stats(torch.CPU).NumOOMs, "called twice, but one error")
	assert.Equal(t, before.Recovered, after.Recovered)
	assert.Equal(t, before.Failed+1, after.Failed)

	// An operator that cannot be called twice fails immediately.
	x := torch.Ones(torch.Shape{12 * mib}).RequiresGrad_()
	defer func() { require.NoError(t, x.Close()) }()
	y := x.Sum()
	defer func() { require.NoError(t, y.Close()) }()
	_, _ = outOfMemory(t, func() { y.Backward() })
	assert.Equal(t, after.Retries, memory.GC().Retries)
	assert.Equal(t, after.Failed+1, memory.GC().Failed)
}

func TestOutOfMemoryInACallback(t *testing.T) {
	limited(t, 64*mib)
	x := torch.Ones(torch.Shape{2}).RequiresGrad_()
	defer func() { require.NoError(t, x.Close()) }()
	y := x.Mul(x)
	defer func() { require.NoError(t, y.Close()) }()
	defer y.RegisterHook(func(*torch.Tensor) *torch.Tensor { return takeMemory(32 * mib) }).Remove()
	before := memory.GC().Failed
	_, m := outOfMemory(t, func() { y.Sum().Backward() })
	assert.EqualValues(t, 128*mib, m.Requested)
	assert.Equal(t, before+1, memory.GC().Failed, "one failure, not two")
}

// Goroutines that free memory while others allocate at the limit make progress, with or
// without an error, and no memory is lost.
func TestNoDeadlockAtTheLimit(t *testing.T) {
	limited(t, 96*mib)
	live := memory.Requested(torch.CPU)
	ch := make(chan *torch.Tensor, 4)
	var makers, closers sync.WaitGroup
	var made, refused atomic.Int64
	for g := range 6 {
		makers.Go(func() {
			for i := range 60 {
				err := torch.Try(func() {
					x := torch.Zeros(torch.Shape{int64(1+(i+g)%5) * mib})
					made.Add(1)
					if i%3 > 0 {
						ch <- x
					}
				})
				if err != nil {
					refused.Add(1)
					assert.ErrorIs(t, err, torch.ErrOutOfMemory)
				}
			}
		})
	}
	for range 3 {
		closers.Go(func() {
			for x := range ch {
				assert.NoError(t, x.Close())
			}
		})
	}
	makers.Wait()
	close(ch)
	closers.Wait()
	assert.EqualValues(t, 360, made.Load()+refused.Load())
	assert.Positive(t, made.Load())
	memory.Collect()
	assert.Equal(t, live, memory.Requested(torch.CPU))
}
