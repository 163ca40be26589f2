package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func TestStatisticsPrint(t *testing.T) {
	s := memory.DeviceStats{NumOOMs: 2}
	s.AllocatedBytes.All = memory.Stat{Current: 10 << 20, Peak: 18 << 20}
	s.Allocation.All.Current = 3
	assert.Equal(t, "allocated 10.0 MiB (peak 18.0 MiB) in 3 blocks, requested 0 B, reserved 0 B (peak 0 B) in 0 "+
		"segments, 0 retries, 2 OOMs", s.String())
	assert.Equal(t, "1 collections in 2ms, 3 B alive after the last, next at 64.0 MiB, 0 retries (0 recovered, 0 "+
		"failed), 0 timeouts",
		memory.GCStats{Collections: 1, Time: 2 * time.Millisecond, Live: 3, Threshold: 64 << 20}.String())
	assert.Equal(t, "resident 1.0 KiB (peak 2.0 KiB), reserved 0 B, C heap 3 B (free 0 B, scratch 0 B), Go heap 4 B",
		memory.ProcessStats{Resident: 1 << 10, PeakResident: 2 << 10, CHeap: 3, GoHeap: 4}.String())
	assert.Contains(t, memory.HostStatistics{}.String(), "active 0 B")
	tracking := memory.StartTrack("stretch", memory.Device(torch.CPU))
	defer tracking.Stop()
	assert.Contains(t, tracking.String(), "stretch: peak ")
	tracker := memory.StartTracker(memory.TrackerOptions{})
	defer tracker.Stop()
	tracker.Step("a")
	assert.Equal(t, tracker.Report(), tracker.String())
	step := memory.StepUsage{
		Usage: memory.Usage{Name: "train", Start: 1, End: 3, Peak: 5}, Step: 4, Steps: 1,
		Reserved: 2 << 10,
	}
	assert.Equal(t, "step 4, train: peak 5 B (+4 B), net +2 B, 0 allocations of 0 B in 0s, reserved 2.0 KiB, "+
		"resident 0 B", step.String())
	step.Steps = 3
	assert.Contains(t, step.String(), "steps 4 to 6, train: ")
	stat := memory.Stat{Current: 3, Peak: 5, Allocated: 10, Freed: 7}
	assert.Equal(t, "3 (peak 5, allocated 10, freed 7)", stat.String())
	assert.Equal(t, "3 (peak 5, allocated 10, freed 7), small pool 1, large pool 2",
		memory.Pools{All: stat, SmallPool: memory.Stat{Current: 1}, LargePool: memory.Stat{Current: 2}}.String())
	assert.Equal(t, "3 calls in 4ms (longest 2ms, shortest 500µs)",
		memory.HostTime{
			Total: 4 * time.Millisecond, Max: 2 * time.Millisecond, Min: 500 * time.Microsecond,
			Count: 3,
		}.String())
	sample := memory.Sample{Time: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), Native: 1 << 10, Tensors: 2, GoHeap: 3}
	assert.Equal(t, "2030-01-02 03:04:05: native 1.0 KiB in 2 tensors, 0 graph nodes, 0 other objects, resident 0 B, "+
		"Go heap 3 B", sample.String())
	sample.CHeap = 4
	assert.Contains(t, sample.String(), ", C heap 4 B")
}
