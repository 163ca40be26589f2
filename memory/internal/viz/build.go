package viz

import (
	"fmt"
	"math"
	"sort"

	"github.com/gotorch/gotorch/memory"
)

// model is the data that the page shows.
type model struct {
	*stacks
	snapshots []snapshot
}

type snapshot struct {
	name     string
	settings map[string]any
	resident []memory.ResidentPart
	devices  []*device
}

// device is one device of one snapshot. A moment is a number of events: moment k is the
// time after the first k events.
type device struct {
	name     string
	actions  []uint8   // of each event: index in the list of actions
	refs     []uint32  // of each event: the block, region or note it belongs to
	times    []float64 // of each event: time in microseconds since base
	base     int64     // microseconds since 1970
	blocks   blocks
	regions  []region
	notes    []note // texts of the out-of-memory events
	marks    []mark
	open     map[string][]int // marks without an end, by name; the newest is last
	segments int              // number of segments in the snapshot
}

// blocks contains all blocks that were ever in use, ordered by start. Each field has one
// entry per block.
type blocks struct {
	start, end []uint32 // moments; for blocks still in use, end is one past the last event
	size       []float64
	addr       []uint64
	region     []int32 // -1: unknown
	offset     []float64
	stack      []uint32
	freed      []uint32 // the stack of the call that freed the block
	meta       []uint32 // metadata that the program attached
}

// region is a segment, or a part of a segment that was mapped by itself, with its lifetime.
type region struct {
	addr       uint64
	size       int64
	start, end uint32
	stack      uint32
	kind       string
	stream     int64
	pool       [2]int64
}

type note struct {
	Size int64  `json:"size"`
	Free int64  `json:"free"`
	Text string `json:"text"`
	// Stack is the stack of the failed allocation.
	Stack uint32 `json:"stack"`
}

type mark struct {
	Name  string `json:"name"`
	Start uint32 `json:"start"`
	End   uint32 `json:"end"`
}

// actions are the names of the events' actions. The page relies on their order.
var actions = []string{
	memory.ActionAlloc, memory.ActionFreeRequested, memory.ActionFreeCompleted, memory.ActionSegmentAlloc,
	memory.ActionSegmentFree, memory.ActionSegmentMap, memory.ActionSegmentUnmap, memory.ActionSnapshot,
	memory.ActionOOM,
}

const none = math.MaxUint32

func build(inputs []Input) *model {
	m := &model{stacks: newStacks()}
	for _, in := range inputs {
		s := snapshot{name: in.Name, settings: in.Snapshot.AllocatorSettings, resident: in.Snapshot.Resident}
		n := max(len(in.Snapshot.DeviceTraces), len(in.Snapshot.Devices))
		for _, seg := range in.Snapshot.Segments {
			// A wrong device number in a damaged file must not create millions of devices.
			if seg.Device >= n && seg.Device < 1024 {
				n = seg.Device + 1
			}
		}
		// Group the segments once instead of searching them for each device, because a file
		// may name many devices.
		segments := group(in.Snapshot.Segments, func(seg *memory.Segment) int { return seg.Device })
		annotations := group(in.Snapshot.ExternalAnnotations, func(a *memory.Annotation) int { return a.Device })
		for d := range n {
			s.devices = append(s.devices, m.device(in.Snapshot, d, segments[d], annotations[d]))
		}
		m.snapshots = append(m.snapshots, s)
	}
	return m
}

// group divides a list by device. Within a device the order stays the same.
func group[T any](list []T, device func(*T) int) map[int][]*T {
	of := map[int][]*T{}
	for i := range list {
		d := device(&list[i])
		of[d] = append(of[d], &list[i])
	}
	return of
}

func (m *model) device(s *memory.SnapshotData, number int, segments []*memory.Segment,
	annotations []*memory.Annotation,
) *device {
	d := &device{name: fmt.Sprintf("cuda:%d", number)}
	if number < len(s.Devices) {
		d.name = s.Devices[number]
	}
	var trace []memory.TraceEntry
	if number < len(s.DeviceTraces) {
		trace = s.DeviceTraces[number]
	}
	d.segments = len(segments)
	d.pair(m, trace, segments)
	d.findRegions()
	for _, a := range annotations {
		d.annotate(a)
	}
	return d
}

// pair finds the free of each allocation. Blocks that were in use before the trace began
// are known from their frees, or from the segments at the end of the trace.
func (d *device) pair(m *model, trace []memory.TraceEntry, segments []*memory.Segment) {
	p := pairing{d: d, m: m, open: map[uint64]uint32{}}
	p.addOpen(trace, segments)
	if len(trace) > 0 {
		d.base = trace[0].TimeUs
	}
	n := len(trace)
	d.actions, d.refs, d.times = make([]uint8, 0, n), make([]uint32, 0, n), make([]float64, 0, n)
	open := newRegions(d, m, trace, segments)
	for i := range trace {
		e := &trace[i]
		moment := uint32(i + 1)
		kind, ref := uint8(len(actions)), uint32(none)
		for k, name := range actions {
			if e.Action == name {
				kind = uint8(k)
			}
		}
		switch e.Action {
		case memory.ActionAlloc:
			ref = p.alloc(e, moment)
		case memory.ActionFreeRequested:
			ref = p.freeRequested(e)
		case memory.ActionFreeCompleted, "free":
			ref = p.freeCompleted(e, moment)
		case memory.ActionSegmentAlloc, memory.ActionSegmentMap:
			ref = open.begin(e, moment)
		case memory.ActionSegmentFree, memory.ActionSegmentUnmap:
			ref = open.finish(e, moment)
		case memory.ActionOOM:
			ref = uint32(len(d.notes))
			d.notes = append(d.notes, note{
				Size: e.Size, Free: e.DeviceFree, Text: e.UserMetadata,
				Stack: m.stack(e.Frames, e.ForwardFrames),
			})
		}
		d.actions, d.refs = append(d.actions, kind), append(d.refs, ref)
		d.times = append(d.times, float64(e.TimeUs-d.base))
	}
	open.setPools()
}

// annotate adds the start of a mark, or ends the newest open mark with the same name.
func (d *device) annotate(a *memory.Annotation) {
	at := uint32(sort.SearchFloat64s(d.times, float64(a.TimeUs-d.base)))
	open := d.open[a.Name]
	switch {
	case a.Stage == memory.StageStart:
		if d.open == nil {
			d.open = map[string][]int{}
		}
		d.open[a.Name] = append(open, len(d.marks))
		d.marks = append(d.marks, mark{a.Name, at, uint32(len(d.actions)) + 1})
	case len(open) > 0:
		newest := len(open) - 1
		d.marks[open[newest]].End = at
		d.open[a.Name] = open[:newest]
	default:
		d.marks = append(d.marks, mark{a.Name, 0, at})
	}
}
