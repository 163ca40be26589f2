package entry_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/team"
	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/native/entry"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

// settings sets the limit of calls and the number of threads. It restores the old values
// when the test ends.
func settings(t *testing.T, limit, threads int) {
	t.Helper()
	n := entry.Threads()
	entry.SetLimit(limit)
	entry.SetThreads(threads)
	t.Cleanup(func() {
		entry.SetLimit(0)
		entry.SetThreads(n)
	})
}

func threads(cx abi.Ctx) int { return int(cx >> abi.CtxThreadsShift) }

func TestATeamDividesNoLess(t *testing.T) {
	if !team.Active() {
		t.Skip("libgomp runs parallel regions here")
	}
	settings(t, 5, 8)
	for range 4 {
		assert.Equal(t, 8, threads(entry.Enter()))
	}
	for range 4 {
		entry.Leave()
	}
}

func TestThoseInsideShareLibgompsThreads(t *testing.T) {
	if !again.With(t, "GOTORCH_OPENMP=system") {
		return
	}
	settings(t, 5, 8)
	assert.Equal(t, 5, entry.Limit())
	assert.Equal(t, 8, entry.Threads())
	var got []int
	for range 4 {
		got = append(got, threads(entry.Enter()))
	}
	assert.Equal(t, []int{8, 4, 4, 2}, got)
	for range 3 {
		entry.Leave()
	}
	assert.Equal(t, 4, threads(entry.Enter()), "two are inside again")
	entry.Leave()
	entry.Leave()

	entry.SetThreads(1)
	assert.Equal(t, 1, threads(entry.Enter()))
	assert.Equal(t, 1, threads(entry.Enter()), "nobody gets less")
	entry.Leave()
	entry.Leave()
}

func TestReenterDoesNotWait(t *testing.T) {
	settings(t, 1, 8)
	entry.Enter()
	entry.Leave() // as a callback does
	entry.Enter() // another goroutine
	entry.Reenter()
	entry.Leave()
	entry.Leave()
	assert.Equal(t, 8, threads(entry.Enter()), "the place is free, and no more than that")
	entry.Leave()
}

func TestEnterCollectsWithoutAPlace(t *testing.T) {
	settings(t, 1, 8)
	percent, minHeap := pacer.SetPercent(100), pacer.SetMinHeap(1<<20)
	defer func() {
		pacer.SetPercent(percent)
		pacer.SetMinHeap(minHeap)
		pacer.Collect()
	}()
	pacer.Collect()
	entered := false
	pacer.OnCollect(func() int64 {
		entry.Enter() // would wait forever if the goroutine that collects still counted as inside
		entered = true
		entry.Leave()
		return 0
	})
	defer pacer.OnCollect(nil)

	data := make([]float32, 4<<20)
	r := cgotorch.FromData(0, unsafe.Pointer(unsafe.SliceData(data)), 16<<20, []int64{4 << 20}, abi.DTypeFloat32,
		abi.DeviceCPU<<8)
	require.Zero(t, r.Err)
	defer cgotorch.Free(r.T)
	require.True(t, pacer.Pressed())
	before := pacer.ReadStats().Collections
	assert.Equal(t, 8, threads(entry.Enter()))
	entry.Leave()
	assert.False(t, pacer.Pressed())
	assert.Equal(t, before+1, pacer.ReadStats().Collections)
	assert.True(t, entered)
}
