package mem

/*
#cgo CXXFLAGS: -I${SRCDIR}/..
#cgo nocallback gt_history_start
#cgo nocallback gt_history_stop
#cgo nocallback gt_history_follow
#cgo nocallback gt_history_mode
#cgo noescape gt_heap_view_take
#cgo nocallback gt_heap_view_take
#cgo noescape gt_heap_view_free
#cgo nocallback gt_heap_view_free
#cgo noescape gt_history_sites
#cgo nocallback gt_history_sites
#include "history.h"
*/
import "C"

import "unsafe"

// What the history records.
const (
	HistoryOff   = C.GT_HISTORY_OFF
	HistoryState = C.GT_HISTORY_STATE // records only the live blocks, each with its stack
	HistoryAll   = C.GT_HISTORY_ALL   // also every event
)

// These select the events whose stacks are recorded.
const (
	ContextNone  = C.GT_CONTEXT_NONE
	ContextState = C.GT_CONTEXT_STATE // live blocks
	ContextAlloc = C.GT_CONTEXT_ALLOC // also allocations
	ContextAll   = C.GT_CONTEXT_ALL   // allocations, frees and segments
)

// The actions of an Event.
const (
	EventAlloc        = C.GT_EVENT_ALLOC
	EventFree         = C.GT_EVENT_FREE
	EventSegmentAlloc = C.GT_EVENT_SEGMENT_ALLOC
	EventSegmentFree  = C.GT_EVENT_SEGMENT_FREE
	EventSnapshot     = C.GT_EVENT_SNAPSHOT
	EventOOM          = C.GT_EVENT_OOM
)

// Event is one action of the allocator. The layout is gt_event.
type Event struct {
	Addr    uint64 // address; for EventOOM the bytes that are still available
	Size    int64
	TimeUs  int64  // since 1970
	Stack   uint32 // a trace.ID
	Forward uint32 // in a backward pass: stack of the operator whose gradient is computed
	Thread  uint32
	Action  uint32
}

// Segment is a region of the heap. The layout is gt_segment.
type Segment struct {
	Addr                       uint64
	Size, Allocated, Requested int64
	// index of the first block in HeapView.Blocks, and their number
	FirstBlock, Blocks int64
	Large              int32
	_                  int32
}

// Block is a part of a segment. The layout is gt_block.
type Block struct {
	Addr            uint64
	Size, Requested int64
	TimeUs          int64
	Stack, Forward  uint32
	Used            int32
	_               int32
}

// Site is the total live memory that was allocated by one stack. The layout is gt_site.
type Site struct {
	Stack, Forward uint32
	Bytes, Count   int64
}

// These index expressions do not compile if a layout differs from the one in C.
var (
	_ [unsafe.Sizeof(Event{}) - C.sizeof_gt_event]struct{}
	_ [C.sizeof_gt_event - unsafe.Sizeof(Event{})]struct{}
	_ [unsafe.Sizeof(Segment{}) - C.sizeof_gt_segment]struct{}
	_ [C.sizeof_gt_segment - unsafe.Sizeof(Segment{})]struct{}
	_ [unsafe.Sizeof(Block{}) - C.sizeof_gt_block]struct{}
	_ [C.sizeof_gt_block - unsafe.Sizeof(Block{})]struct{}
	_ [unsafe.Sizeof(Site{}) - C.sizeof_gt_site]struct{}
	_ [C.sizeof_gt_site - unsafe.Sizeof(Site{})]struct{}
)

// HeapView is a copy of the heap's structure and of the recorded events.
type HeapView struct {
	Segments []Segment
	Blocks   []Block
	Events   []Event
	Lost     int64 // number of events that were overwritten
}

// CPUHistoryStart starts recording, or changes what is recorded. It keeps the newest
// maxEntries events, or all events if maxEntries is 0. If forget is set, it discards
// earlier events.
func CPUHistoryStart(mode, context int, maxEntries int64, forget bool) {
	f := C.int(0)
	if forget {
		f = 1
	}
	C.gt_history_start(C.int(mode), C.int(context), C.int64_t(maxEntries), f)
}

// PlaceFunc returns the address of the C function gt_history_place, which writes the
// calling thread's stacks. The histories of other devices call it.
func PlaceFunc() unsafe.Pointer { return C.gt_history_place }

// CPUHistoryStop stops recording and discards all events.
func CPUHistoryStop() { C.gt_history_stop() }

// FollowOperators sets whether the histories of other devices need the stacks of forward
// operators in a backward pass.
func FollowOperators(on bool) {
	var c C.int
	if on {
		c = 1
	}
	C.gt_history_follow(c)
}

// CPUHistoryMode returns the current mode.
func CPUHistoryMode() int { return int(C.gt_history_mode()) }

// CPUHistoryEvents returns the number of recorded events and the bytes that they take.
func CPUHistoryEvents() (n, bytes int64) {
	var b C.int64_t
	n = int64(C.gt_history_events(&b))
	return n, int64(b)
}

// CPUHeapView copies the heap's blocks and, if withEvents is set, the events. It returns
// false if there is not enough memory.
func CPUHeapView(withEvents bool) (HeapView, bool) {
	var raw C.gt_heap_view
	w := C.int(0)
	if withEvents {
		w = 1
	}
	if C.gt_heap_view_take(&raw, w) == 0 {
		return HeapView{}, false
	}
	v := HeapView{
		Segments: append([]Segment(nil), unsafe.Slice((*Segment)(unsafe.Pointer(raw.segments)),
			int(raw.n_segments))...),
		Blocks: append([]Block(nil), unsafe.Slice((*Block)(unsafe.Pointer(raw.blocks)), int(raw.n_blocks))...),
		Lost:   int64(raw.lost),
	}
	if raw.events != nil {
		v.Events = append([]Event(nil), unsafe.Slice((*Event)(unsafe.Pointer(raw.events)), int(raw.n_events))...)
	}
	C.gt_heap_view_free(&raw)
	return v, true
}

// CPUSites returns at most limit of the sites with live blocks, largest first. all is the
// number of all sites.
func CPUSites(limit int) (sites []Site, all int) {
	if limit <= 0 || CPUHistoryMode() == HistoryOff {
		return nil, 0
	}
	sites = make([]Site, limit)
	all = int(C.gt_history_sites((*C.gt_site)(unsafe.Pointer(&sites[0])), C.int64_t(limit)))
	return sites[:min(all, limit)], all
}
