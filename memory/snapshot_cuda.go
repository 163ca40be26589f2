package memory

import (
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/torch"
)

// cudaHistorian adds a CUDA device's part to a snapshot.
type cudaHistorian struct {
	history.CUDA
	index int
}

// cudaActions maps libtorch's events to their names in snapshots. Nothing changes this map.
var cudaActions = map[int32]string{
	cuda.ActionAlloc: ActionAlloc, cuda.ActionFreeRequested: ActionFreeRequested,
	cuda.ActionFreeCompleted: ActionFreeCompleted, cuda.ActionSegmentAlloc: ActionSegmentAlloc,
	cuda.ActionSegmentFree: ActionSegmentFree, cuda.ActionSegmentMap: ActionSegmentMap,
	cuda.ActionSegmentUnmap: ActionSegmentUnmap, cuda.ActionSnapshot: ActionSnapshot, cuda.ActionOOM: ActionOOM,
}

// snapshot copies this device's part of libtorch's snapshot of all devices.
func (c cudaHistorian) snapshot(s *SnapshotData, frames *frameCache) {
	view, err := cuda.TakeView(true)
	device.MustCUDA("Snapshot", err)
	number := len(s.Devices)
	s.Devices = append(s.Devices, torch.CUDA.At(c.index).String())
	s.DeviceTraces = append(s.DeviceTraces, c.trace(view.Events, frames))
	device.AddSettings(s.AllocatorSettings, &view.Settings)
	for _, g := range view.Segments {
		if int(g.Device) != c.index {
			continue
		}
		kind := SegmentSmall
		if g.Large != 0 {
			kind = SegmentLarge
		}
		seg := Segment{
			Device: number, Address: g.Addr, TotalSize: g.Size, AllocatedSize: g.Allocated, ActiveSize: g.Active,
			RequestedSize: g.Requested, Stream: int64(g.Stream), SegmentType: kind,
			SegmentPoolID: [2]int64{int64(g.PoolA), int64(g.PoolB)}, IsExpandable: g.Expandable != 0,
			Frames: frames.frames(g.Stack), Blocks: make([]Block, 0, g.Blocks),
		}
		for _, b := range view.Blocks[g.FirstBlock : g.FirstBlock+g.Blocks] {
			state := BlockInactive
			switch {
			case b.Allocated != 0:
				state = BlockAllocated
			case b.Active != 0:
				state = BlockPendingFree
			}
			seg.Blocks = append(seg.Blocks, Block{
				Address: b.Addr, Size: b.Size, RequestedSize: b.Requested, State: state,
				Frames: frames.frames(b.Stack), ForwardFrames: frames.forward(b.Forward),
			})
		}
		s.Segments = append(s.Segments, seg)
	}
}

func (c cudaHistorian) trace(events []cuda.HistoryEvent, frames *frameCache) []TraceEntry {
	out := []TraceEntry{}
	for _, e := range events {
		action, known := cudaActions[e.Action]
		if int(e.Device) != c.index || !known {
			continue
		}
		t := TraceEntry{
			Action: action, Addr: e.Addr, Size: e.Size, Stream: int64(e.Stream), TimeUs: e.TimeUs,
			CompileContext: "N/A", Frames: frames.frames(e.Stack), ForwardFrames: frames.forward(e.Forward),
		}
		if action == ActionOOM {
			t.Addr, t.DeviceFree = 0, int64(e.Addr)
		}
		out = append(out, t)
	}
	return out
}
