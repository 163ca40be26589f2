package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/torch"
)

// actions maps the CPU allocator's events to their names in snapshots. A free becomes two
// entries. Nothing changes this map.
var actions = map[uint32]string{
	mem.EventAlloc: ActionAlloc, mem.EventSegmentAlloc: ActionSegmentAlloc, mem.EventSegmentFree: ActionSegmentFree,
	mem.EventSnapshot: ActionSnapshot, mem.EventOOM: ActionOOM,
}

// cpuHistorian adds the CPU's part to a snapshot.
type cpuHistorian struct{ history.CPU }

func (cpuHistorian) snapshot(s *SnapshotData, frames *frameCache) {
	view, ok := mem.CPUHeapView(true)
	if !ok {
		panic(device.Error("Snapshot", torch.ErrOutOfMemory,
			fmt.Sprintf("there is not enough memory to copy the allocator's state on %s", torch.CPU)))
	}
	number := len(s.Devices)
	s.Devices = append(s.Devices, torch.CPU.String())
	s.DeviceTraces = append(s.DeviceTraces, cpuTrace(view.Events, frames))
	device.Must("Snapshot", torch.CPU).Settings(s.AllocatorSettings)
	s.Resident = newExplainer(&view).explain().Parts
	for _, r := range view.Segments {
		kind := SegmentSmall
		if r.Large != 0 {
			kind = SegmentLarge
		}
		seg := Segment{
			Device: number, Address: r.Addr, TotalSize: r.Size, AllocatedSize: r.Allocated, ActiveSize: r.Allocated,
			RequestedSize: r.Requested, SegmentType: kind, Frames: frames.frames(0),
			Blocks: make([]Block, 0, r.Blocks),
		}
		for _, b := range view.Blocks[r.FirstBlock : r.FirstBlock+r.Blocks] {
			block := Block{
				Address: b.Addr, Size: b.Size, RequestedSize: b.Requested, State: BlockInactive,
				Frames: frames.frames(0),
			}
			if b.Used != 0 {
				block.State = BlockAllocated
				block.Frames = frames.frames(b.Stack)
				block.ForwardFrames = frames.forward(b.Forward)
				block.TimeUs = b.TimeUs
				block.Pool = named.At(uintptr(b.Addr))
			}
			seg.Blocks = append(seg.Blocks, block)
		}
		s.Segments = append(s.Segments, seg)
	}
}

func cpuTrace(events []mem.Event, frames *frameCache) []TraceEntry {
	out := make([]TraceEntry, 0, len(events)*3/2)
	for _, e := range events {
		t := TraceEntry{
			Action: actions[e.Action], Addr: e.Addr, Size: e.Size, TimeUs: e.TimeUs,
			Frames: frames.frames(e.Stack), ForwardFrames: frames.forward(e.Forward),
		}
		switch e.Action {
		case mem.EventOOM:
			t.Addr, t.DeviceFree = 0, int64(e.Addr)
		case mem.EventFree:
			t.Action = ActionFreeRequested
			out = append(out, t)
			t.Action = ActionFreeCompleted
		}
		out = append(out, t)
	}
	return out
}
