package pacer_test

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

// goBytes returns the number of bytes that Go counts toward its memory limit.
func goBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

// limit sets Go's memory limit n bytes above Go's current use. It returns this limit, and
// restores the old one when the test ends.
func limit(t *testing.T, n int64) int64 {
	t.Helper()
	debug.FreeOSMemory() // free the Go memory that earlier tensors were copied from
	abs := goBytes() + n
	old := debug.SetMemoryLimit(abs)
	t.Cleanup(func() { debug.SetMemoryLimit(old); pacer.Collect() })
	return abs
}

func TestMemoryLimitCountsNativeBytesToo(t *testing.T) {
	settings(t, 100, 64*mib)
	model := tensor(t, 200*mib)
	defer cgotorch.Free(model)
	pacer.Collect()
	free := pacer.ReadStats()
	require.InDelta(t, 2*float64(free.LastLiveBytes), free.Threshold, 100, "without a limit")

	abs := limit(t, 300*mib)
	pacer.Collect()
	s := pacer.ReadStats()
	assert.InDelta(t, float64(abs-goBytes())*15/16, s.Threshold, 4*mib,
		"what Go leaves, and something for the allocator")
	assert.Less(t, s.Threshold, free.Threshold)

	// A larger Go heap leaves less room for tensors. The pacer sees this at its next
	// count.
	heap := make([]byte, 40*mib)
	for i := range heap {
		heap[i] = 1
	}
	pacer.Recount()
	assert.Less(t, pacer.ReadStats().Threshold, s.Threshold-37*mib)
	assert.EqualValues(t, 1, heap[len(heap)-1])

	// Go's memory limit applies even if the pacer is off, just as it applies with
	// GOGC=off.
	pacer.SetPercent(-1)
	assert.Less(t, pacer.ReadStats().Threshold, free.Threshold)
	pacer.SetPercent(100)

	// Even if live memory exceeds the limit, 16 MiB may be allocated before the next
	// collection.
	debug.SetMemoryLimit(1)
	pacer.Collect()
	s = pacer.ReadStats()
	assert.Equal(t, s.LastLiveBytes+16*mib, s.Threshold)

	debug.SetMemoryLimit(math.MaxInt64)
	pacer.Collect()
	assert.Equal(t, free.Threshold, pacer.ReadStats().Threshold, "without one as before")
}

// A collection empties the allocator's cache if the memory limit has no room for it.
func TestMemoryLimitEmptiesTheCache(t *testing.T) {
	settings(t, 100, 64*mib)
	pacer.Collect()
	mem.CPUEmptyCache()
	reserved := func() int64 {
		var s mem.Stats
		mem.CPUStats(&s)
		return s.ReservedBytes[0].Current
	}
	before := reserved()
	var hs []abi.Tensor
	for range 8 {
		hs = append(hs, tensor(t, 32*mib))
	}
	for _, h := range hs {
		cgotorch.Free(h)
	}
	if reserved() == before {
		t.Skip("this allocator keeps nothing")
	}
	require.GreaterOrEqual(t, reserved(), before+8*32*mib, "kept")
	limit(t, 100*mib)
	pacer.Collect()
	assert.Less(t, reserved(), before+32*mib)
}

// A loop that stays below the memory limit keeps the cached memory, which it reuses.
func TestMemoryLimitLeavesTheCacheOfALoop(t *testing.T) {
	settings(t, 100, 64*mib)
	model := tensor(t, 80*mib)
	defer cgotorch.Free(model)
	limit(t, 240*mib)
	pacer.Collect()
	var hs []abi.Tensor
	s := pacer.ReadStats()
	for live := s.LastLiveBytes; live < s.Threshold; live += 2 * mib {
		hs = append(hs, tensor(t, 2*mib))
	}
	for _, h := range hs {
		cgotorch.Free(h)
	}
	debug.FreeOSMemory() // free the Go memory that the tensors were copied from
	var before, after mem.Stats
	mem.CPUStats(&before)
	pacer.Collect()
	mem.CPUStats(&after)
	assert.Equal(t, before.ReservedBytes[0].Current, after.ReservedBytes[0].Current)
}
