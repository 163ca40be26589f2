package cuda

// #include "cuda_history.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// HistoryEvent is one action of an allocator. The layout is gt_cuda_event.
type HistoryEvent struct {
	Addr           uint64 // address; for ActionOOM the number of free bytes
	Size, TimeUs   int64
	Stream         uint64
	Stack, Forward uint32 // trace.IDs
	Device, Action int32
}

// The actions of a HistoryEvent, with the numbers of libtorch's enumeration.
const (
	ActionAlloc         = C.GT_CUDA_ALLOC
	ActionFreeRequested = C.GT_CUDA_FREE_REQUESTED
	ActionFreeCompleted = C.GT_CUDA_FREE_COMPLETED
	ActionSegmentAlloc  = C.GT_CUDA_SEGMENT_ALLOC
	ActionSegmentFree   = C.GT_CUDA_SEGMENT_FREE
	ActionSegmentMap    = C.GT_CUDA_SEGMENT_MAP
	ActionSegmentUnmap  = C.GT_CUDA_SEGMENT_UNMAP
	ActionSnapshot      = C.GT_CUDA_SNAPSHOT
	ActionOOM           = C.GT_CUDA_OOM
)

// Segment is a region obtained from the driver. The layout is gt_cuda_segment.
type Segment struct {
	Addr                               uint64
	Size, Allocated, Active, Requested int64
	Stream, PoolA, PoolB               uint64
	// index of the first block in View.Blocks, and their number
	FirstBlock, Blocks           int64
	Stack, Forward               uint32
	Device, Large, Expandable, _ int32
}

// Block is a part of a segment; the layout is gt_cuda_block.
type Block struct {
	Addr              uint64
	Size, Requested   int64
	Stack, Forward    uint32
	Allocated, Active int32
}

// These index expressions do not compile if a layout differs from the one in C.
var (
	_ [unsafe.Sizeof(HistoryEvent{}) - C.sizeof_gt_cuda_event]struct{}
	_ [C.sizeof_gt_cuda_event - unsafe.Sizeof(HistoryEvent{})]struct{}
	_ [unsafe.Sizeof(Segment{}) - C.sizeof_gt_cuda_segment]struct{}
	_ [C.sizeof_gt_cuda_segment - unsafe.Sizeof(Segment{})]struct{}
	_ [unsafe.Sizeof(Block{}) - C.sizeof_gt_cuda_block]struct{}
	_ [C.sizeof_gt_cuda_block - unsafe.Sizeof(Block{})]struct{}
)

// View is a copy of the state of all devices, with the recorded events. The events are
// ordered first by device and then by time.
type View struct {
	Segments []Segment
	Blocks   []Block
	Events   []HistoryEvent
	Settings Settings
}

// TakeView copies the state of all devices. If withEvents is set, it also copies the
// events, without forgiven failures.
func TakeView(withEvents bool) (View, *cgotorch.Error) {
	var raw C.gt_cuda_view
	w := C.int(0)
	if withEvents {
		w = 1
	}
	if err := take(C.gt_cuda_view_take(&raw, w)); err != nil {
		return View{}, err
	}
	defer C.gt_cuda_view_free(&raw)
	return View{
		Segments: append([]Segment(nil), unsafe.Slice((*Segment)(unsafe.Pointer(raw.segments)),
			int(raw.n_segments))...),
		Blocks:   append([]Block(nil), unsafe.Slice((*Block)(unsafe.Pointer(raw.blocks)), int(raw.n_blocks))...),
		Events:   unforgiven(unsafe.Slice((*HistoryEvent)(unsafe.Pointer(raw.events)), int(raw.n_events))),
		Settings: toSettings(&raw.settings),
	}, nil
}

// Record starts or stops the history of all devices. It keeps at most the given number of
// newest events, or all events if entries is 0. context is one of mem's constants, such
// as mem.ContextNone.
func Record(on bool, context int, entries int64, forget bool) *cgotorch.Error {
	var o, c C.int
	if on {
		o = 1
	}
	if forget {
		c = 1
	}
	mem.FollowOperators(on && context != mem.ContextNone)
	return take(C.gt_cuda_record(o, C.int(context), C.int64_t(entries), c, C.gt_place_fn(mem.PlaceFunc())))
}
