package pacer_test

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

const (
	mib              = 1 << 20
	float32Type, cpu = 6, 0
)

// tensor returns a tensor of the given number of bytes.
func tensor(t *testing.T, bytes int64) abi.Tensor {
	t.Helper()
	data := make([]float32, bytes/4)
	r := cgotorch.FromData(0, unsafe.Pointer(&data[0]), bytes, []int64{bytes / 4}, float32Type, cpu)
	require.Zero(t, r.Err)
	return r.T
}

// settings sets the percentage and the minimum heap of the pacer. It restores them when
// the test ends.
func settings(t *testing.T, percent int, minHeap int64) {
	t.Helper()
	p, m := pacer.SetPercent(percent), pacer.SetMinHeap(minHeap)
	t.Cleanup(func() {
		pacer.SetPercent(p)
		pacer.SetMinHeap(m)
		pacer.Collect()
	})
}

func TestThresholdFollowsWhatIsAlive(t *testing.T) {
	assert.Equal(t, pacer.DefaultPercent, pacer.SetPercent(pacer.DefaultPercent))
	assert.EqualValues(t, pacer.DefaultMinHeap, pacer.SetMinHeap(pacer.DefaultMinHeap))
	settings(t, 50, 1*mib)
	pacer.Collect()
	none := pacer.ReadStats().LastLiveBytes
	assert.Equal(t, none+1*mib, pacer.ReadStats().Threshold)

	h := tensor(t, 10*mib)
	pacer.Collect()
	s := pacer.ReadStats()
	assert.EqualValues(t, none+10*mib+pacer.BlockBytes, s.LastLiveBytes)
	assert.InDelta(t, 1.5*float64(s.LastLiveBytes), s.Threshold, 100)
	pacer.SetMinHeap(20 * mib)
	assert.Equal(t, s.LastLiveBytes+20*mib, pacer.ReadStats().Threshold, "at once")
	pacer.SetMinHeap(-1)
	assert.Zero(t, pacer.SetMinHeap(0), "as 0")

	for _, percent := range []int{-1, math.MaxInt} {
		pacer.SetPercent(percent)
		assert.EqualValues(t, math.MaxInt64, pacer.ReadStats().Threshold)
	}
	pacer.SetPercent(100)
	pacer.SetMinHeap(math.MaxInt64)
	assert.EqualValues(t, math.MaxInt64, pacer.ReadStats().Threshold)
	cgotorch.Free(h)
}

func TestPressureAndRelief(t *testing.T) {
	settings(t, 100, 1*mib)
	pacer.Collect()
	assert.False(t, pacer.Pressed())
	before := pacer.ReadStats()

	// If the memory has been freed before, Relieve collects nothing.
	cgotorch.Free(tensor(t, 4*mib))
	assert.True(t, pacer.Pressed())
	pacer.Relieve()
	assert.False(t, pacer.Pressed())
	assert.Equal(t, before.Collections, pacer.ReadStats().Collections)

	h := tensor(t, 4*mib)
	assert.True(t, pacer.Pressed())
	pacer.Relieve()
	pacer.Relieve() // does nothing, because the pressure is already gone
	assert.False(t, pacer.Pressed())
	after := pacer.ReadStats()
	assert.Equal(t, before.Collections+1, after.Collections)
	assert.EqualValues(t, before.LastLiveBytes+4*mib+pacer.BlockBytes, after.LastLiveBytes)
	assert.Greater(t, after.Threshold, after.LastLiveBytes)
	assert.Greater(t, after.Time, before.Time)

	// With a negative percentage, pressure starts no collection.
	more := tensor(t, 4*mib)
	assert.True(t, pacer.Pressed())
	pacer.SetPercent(-1)
	pacer.Relieve()
	assert.False(t, pacer.Pressed())
	assert.Equal(t, after.Collections, pacer.ReadStats().Collections)
	cgotorch.Free(h)
	cgotorch.Free(more)
}

// A program may change Go's memory limit at any time. The pacer therefore also signals
// pressure after every 16 MiB, and then reads the limit again.
func TestLimitIsReadAgain(t *testing.T) {
	settings(t, -1, 0)
	pacer.Collect()
	before := pacer.ReadStats().Collections
	for range 3 {
		for range 4 {
			assert.False(t, pacer.Pressed())
			cgotorch.Free(tensor(t, 4*mib))
		}
		assert.True(t, pacer.Pressed())
		pacer.Relieve()
	}
	assert.False(t, pacer.Pressed())
	assert.Equal(t, before, pacer.ReadStats().Collections)
}

// An operator that runs out of memory is called a second time. The outcome is counted
// only on the goroutine that makes the second call.
func TestRetriesAreCounted(t *testing.T) {
	count := func() [3]int64 {
		s := pacer.ReadStats()
		return [3]int64{s.Retries, s.Recovered, s.Failed}
	}
	start := count()
	expect := func(retries, recovered, failed int64) {
		t.Helper()
		assert.Equal(t, [3]int64{start[0] + retries, start[1] + recovered, start[2] + failed}, count())
	}
	elsewhere := func(fn func()) {
		done := make(chan struct{})
		go func() { fn(); close(done) }()
		<-done
	}
	pacer.Succeed()
	expect(0, 0, 0)
	pacer.RetryOutOfMemory()
	elsewhere(pacer.Succeed)
	expect(1, 0, 0)
	pacer.Succeed()
	pacer.Succeed()
	expect(1, 1, 0)
	pacer.RetryOutOfMemory()
	elsewhere(func() { pacer.Fail(true) })
	expect(2, 1, 1)
	pacer.Fail(true)
	pacer.Succeed()
	expect(2, 1, 2)
	pacer.RetryOutOfMemory()
	pacer.Fail(false) // the second call failed, but not for lack of memory
	pacer.Succeed()
	expect(3, 1, 2)
}

func TestObserver(t *testing.T) {
	path, err := pacer.NotifyOutOfMemory()
	assert.Empty(t, path)
	require.NoError(t, err)
	full := errors.New("disk full")
	pacer.ObserveOutOfMemory(func() (string, error) { return "file", full })
	path, err = pacer.NotifyOutOfMemory()
	assert.Equal(t, "file", path)
	assert.Equal(t, full, err)
	pacer.ObserveOutOfMemory(nil)
	path, _ = pacer.NotifyOutOfMemory()
	assert.Empty(t, path)
}

// A collection that releases callbacks is repeated, because they may have kept more
// tensors alive. The number of repetitions is limited.
func TestCollectionsRepeatForCallbacks(t *testing.T) {
	defer pacer.OnCollect(func() int64 { return 0 })
	calls := 0
	pacer.OnCollect(func() int64 { calls++; return 7 })
	pacer.Collect()
	assert.Equal(t, 2, calls, "before and after")

	calls = 0
	pacer.OnCollect(func() int64 { calls++; return min(int64(calls), 2) })
	pacer.Collect()
	assert.Equal(t, 3, calls, "once more for what went with the first")

	calls = 0
	pacer.OnCollect(func() int64 { calls++; return int64(calls) })
	pacer.Collect()
	assert.Equal(t, 4, calls)
}
