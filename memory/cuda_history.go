package memory

import (
	"bytes"
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
)

func (c cudaAllocator) record(o HistoryOptions) {
	mustCUDA("RecordHistory", cuda.Record(o.Enabled != HistoryOff, int64(o.MaxEntries), o.Clear))
}

// snapshot takes libtorch's own snapshot, which is of all devices, and copies
// what is this one's.
func (c cudaAllocator) snapshot(s *SnapshotData, _ *frameCache) {
	raw, err := cuda.Snapshot()
	mustCUDA("Snapshot", err)
	all, e := ReadSnapshot(bytes.NewReader(raw))
	if e != nil {
		panic(deviceError("Snapshot", torch.ErrRuntime, fmt.Sprintf("libtorch's snapshot of cuda:%d cannot be read: %v", c.index, e)))
	}
	device := len(s.Devices)
	s.Devices = append(s.Devices, torch.CUDA(c.index).String())
	trace := []TraceEntry{}
	if c.index < len(all.DeviceTraces) {
		trace = all.DeviceTraces[c.index]
	}
	s.DeviceTraces = append(s.DeviceTraces, trace)
	for k, v := range all.AllocatorSettings {
		s.AllocatorSettings[k] = v
	}
	for _, g := range all.Segments {
		if g.Device == c.index {
			g.Device = device
			s.Segments = append(s.Segments, g)
		}
	}
}
