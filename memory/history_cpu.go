package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/torch"
)

var (
	rawModes    = map[HistoryMode]int{HistoryState: mem.HistoryState, HistoryAll: mem.HistoryAll}
	rawContexts = map[HistoryContext]int{
		ContextNone: mem.ContextNone, ContextState: mem.ContextState,
		ContextAlloc: mem.ContextAlloc, ContextAll: mem.ContextAll,
	}
	actions = map[uint32]string{
		mem.EventAlloc: ActionAlloc, mem.EventSegmentAlloc: ActionSegmentAlloc, mem.EventSegmentFree: ActionSegmentFree,
		mem.EventSnapshot: ActionSnapshot, mem.EventOOM: ActionOOM,
	}
)

func (cpuAllocator) recording() *recording { return &history.cpu }

func (cpuAllocator) record(o HistoryOptions) bool {
	if !o.on() {
		mem.CPUHistoryStop()
		return true
	}
	mem.CPUHistoryStart(rawModes[o.Enabled], rawContexts[o.Context], int64(o.MaxEntries), o.Clear)
	return o.Clear
}

func (c cpuAllocator) snapshot(s *SnapshotData, frames *frameCache) {
	view, ok := mem.CPUHeapView(true)
	if !ok {
		panic(deviceError("Snapshot", torch.ErrOutOfMemory, fmt.Sprintf("no memory for a copy of the state of %s", torch.CPU)))
	}
	device := len(s.Devices)
	s.Devices = append(s.Devices, torch.CPU.String())
	s.DeviceTraces = append(s.DeviceTraces, cpuTrace(view.Events, frames))
	c.settings(s.AllocatorSettings)
	for _, r := range view.Segments {
		kind := SegmentSmall
		if r.Large != 0 {
			kind = SegmentLarge
		}
		seg := Segment{
			Device: device, Address: r.Addr, TotalSize: r.Size, AllocatedSize: r.Allocated, ActiveSize: r.Allocated,
			RequestedSize: r.Requested, SegmentType: kind, Frames: frames.frames(0),
			Blocks: make([]Block, 0, r.Blocks),
		}
		for _, b := range view.Blocks[r.FirstBlock : r.FirstBlock+r.Blocks] {
			block := Block{Address: b.Addr, Size: b.Size, RequestedSize: b.Requested, State: BlockInactive, Frames: frames.frames(0)}
			if b.Used != 0 {
				block.State = BlockAllocated
				block.Frames = frames.frames(b.Stack)
				block.ForwardFrames = frames.forward(b.Forward)
				block.TimeUs = b.TimeUs
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
