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
	assert.Equal(t, "allocated 10.0 MiB (peak 18.0 MiB) in 3 blocks, requested 0 B, reserved 0 B (peak 0 B) in 0 segments, 0 retries, 2 OOMs", s.String())
	assert.Equal(t, "1 collections in 2ms, 3 B alive after the last, next at 64.0 MiB, 0 retries (0 recovered, 0 failed), 0 timeouts",
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
}
