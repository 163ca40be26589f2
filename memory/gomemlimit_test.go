package memory_test

import (
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Without a limit, a model of 200 MiB with 256 KiB of garbage per step would grow to twice
// its size. Go's memory limit counts native memory too.
func TestMemoryLimitBoundsTheWholeProcess(t *testing.T) {
	const mib = 1 << 20
	model := torch.Zeros(torch.Shape{200 * mib / 4})
	defer model.Close()
	steps := func() (peak int64) {
		memory.Collect()
		memory.ResetPeak(torch.CPU)
		for range 1200 {
			torch.Zeros(torch.Shape{256 << 10 / 4})
		}
		return memory.Stats(torch.CPU).RequestedBytes.All.Peak - 200*mib
	}
	// The limit is lower than the model's size, so each collection starts after the
	// smallest possible growth.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	limited := steps()
	debug.SetMemoryLimit(1 << 62)
	free := steps()
	assert.Less(t, limited, int64(20*mib))
	assert.Greater(t, free, int64(150*mib))
}

// goBytes returns the bytes that Go's runtime counts for its limit.
func goBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

// A limit that is set at run time takes effect within the next 16 MiB of allocations, even
// if no collection runs that would read the limit.
func TestMemoryLimitIsSeenAtRunTime(t *testing.T) {
	const mib = 1 << 20
	garbage := func(n int) {
		for range n {
			torch.Zeros(torch.Shape{mib / 4})
		}
	}
	for name, c := range map[string]struct{ percent, alive, room int64 }{
		"collections are off": {-1, 0, 100},
		"the defaults":        {100, 240, 60},
	} {
		t.Run(name, func(t *testing.T) {
			model := torch.Zeros(torch.Shape{c.alive * mib / 4})
			defer func() { assert.NoError(t, model.Close()) }()
			defer memory.SetGCPercent(memory.SetGCPercent(int(c.percent)))
			debug.FreeOSMemory()
			memory.Collect()
			live := memory.Requested(torch.CPU)
			garbage(10)
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(goBytes() + live + c.room*mib))
			memory.ResetPeak(torch.CPU)
			garbage(500)
			assert.LessOrEqual(t, memory.MaxRequested(torch.CPU)-live, (c.room+16+1)*mib)
			assert.GreaterOrEqual(t, memory.MaxRequested(torch.CPU)-live, (c.room-(c.alive+c.room)/16-8)*mib,
				"the limit, no less")

			// If the limit is lowered, the lower limit also takes effect soon, and the
			// existing garbage is freed.
			debug.SetMemoryLimit(goBytes() + live + 20*mib)
			garbage(16 + 1)
			memory.ResetPeak(torch.CPU)
			garbage(200)
			assert.LessOrEqual(t, memory.MaxRequested(torch.CPU)-live, int64(20+16+1)*mib)
		})
	}
}
