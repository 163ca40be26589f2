package memory

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
)

func (cudaAllocator) recording() *recording { return &history.cuda }

func (cudaAllocator) record(o HistoryOptions) bool {
	// A ring of libtorch's that is full is written beyond its end once it is given
	// fewer entries, and is out of order with more: it begins anew.
	most := cudaEntries(&o)
	forget := o.Clear || most != cudaEntries(&history.cuda.options)
	mustCUDA("RecordHistory", cuda.Record(o.on(), rawContexts[o.Context], most, forget))
	return forget || !o.on()
}

// cudaEntries is how many events libtorch keeps, 0 for all. It has no mode
// without events; PyTorch gives it one entry then.
func cudaEntries(o *HistoryOptions) int64 {
	if o.Enabled != HistoryAll {
		return 1
	}
	return int64(o.MaxEntries)
}

var cudaActions = map[int32]string{
	cuda.ActionAlloc: ActionAlloc, cuda.ActionFreeRequested: ActionFreeRequested,
	cuda.ActionFreeCompleted: ActionFreeCompleted, cuda.ActionSegmentAlloc: ActionSegmentAlloc,
	cuda.ActionSegmentFree: ActionSegmentFree, cuda.ActionSegmentMap: ActionSegmentMap,
	cuda.ActionSegmentUnmap: ActionSegmentUnmap, cuda.ActionSnapshot: ActionSnapshot, cuda.ActionOOM: ActionOOM,
}

// snapshot copies what is this device's of libtorch's view of all.
func (c cudaAllocator) snapshot(s *SnapshotData, frames *frameCache) {
	view, err := cuda.TakeView(true)
	mustCUDA("Snapshot", err)
	device := len(s.Devices)
	s.Devices = append(s.Devices, torch.CUDA(c.index).String())
	s.DeviceTraces = append(s.DeviceTraces, c.trace(view.Events, frames))
	addSettings(s.AllocatorSettings, &view.Settings)
	for _, g := range view.Segments {
		if int(g.Device) != c.index {
			continue
		}
		kind := SegmentSmall
		if g.Large != 0 {
			kind = SegmentLarge
		}
		seg := Segment{
			Device: device, Address: g.Addr, TotalSize: g.Size, AllocatedSize: g.Allocated, ActiveSize: g.Active,
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

func (c cudaAllocator) trace(events []cuda.HistoryEvent, frames *frameCache) []TraceEntry {
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

// addSettings adds the settings under the keys of Python's snapshots.
func addSettings(to map[string]any, s *cuda.Settings) {
	to["PYTORCH_CUDA_ALLOC_CONF"] = s.Conf
	to["max_split_size"] = s.MaxSplitSize
	to["garbage_collection_threshold"] = s.GarbageCollectionThreshold
	to["expandable_segments"] = s.ExpandableSegments
	to["pinned_num_register_threads"] = s.PinnedNumRegisterThreads
	to["release_lock_on_cudamalloc"] = s.ReleaseLock
	to["pinned_use_cuda_host_register"] = s.PinnedUseHostRegister
	to["graph_capture_record_stream_reuse"] = s.GraphCaptureReuseStreams
	divisions := make(map[string]any, len(s.Roundup))
	for i, n := range s.Roundup {
		divisions[strconv.Itoa(1<<i)] = n
	}
	to["roundup_power2_divisions"] = divisions
}
