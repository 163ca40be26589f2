package profiler

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/torch"
)

// launch is a call to CUDA's runtime or driver API.
type launch struct {
	raw   *profiler.DeviceEvent
	owner *Event // the operator that made the call
}

// joinDevices makes events for device work and for the calls that launched it. A call
// belongs to the operator that its thread was running. Device work has the same
// correlation ID as the call. joinDevices must run after the method operators.
func (b *builder) joinDevices() {
	if len(b.Devices) == 0 {
		return
	}
	calls := b.callsOf()
	launched := map[int64]*Event{} // the owner of each launch, by correlation ID
	for _, thread := range slices.Sorted(maps.Keys(calls)) {
		ls := calls[thread]
		if thread >= 0 {
			b.findOwners(ls, uint32(thread))
		}
		for _, l := range ls {
			if l.owner != nil {
				launched[l.raw.Correlation] = l.owner
			}
			if b.config.cpu {
				b.events = append(b.events, b.callEvent(l, thread))
			}
		}
	}
	for i := range b.Devices {
		raw := &b.Devices[i]
		if raw.Device < 0 {
			continue
		}
		e := b.deviceEvent(raw)
		e.lane = b.onStream(e.Device, raw.Resource)
		b.events = append(b.events, e)
		if o := launched[raw.Correlation]; o != nil && raw.Correlation != 0 {
			o.Kernels = append(o.Kernels, Kernel{Name: e.Name, Device: int(raw.Device), Duration: e.End - e.Start})
			b.launchers[e] = o
		}
	}
}

// callsOf groups the calls by thread. The key is -1 for threads without operators.
func (b *builder) callsOf() map[int][]launch {
	threads := map[int64]int{}
	for i, t := range b.Threads {
		threads[t.Handle] = i
	}
	// Kineto identifies a thread by the system's thread ID if possible, and otherwise by
	// its handle.
	for i, t := range b.Threads {
		threads[t.TID] = i
	}
	calls := map[int][]launch{}
	for i := range b.Devices {
		raw := &b.Devices[i]
		if raw.Device >= 0 {
			continue
		}
		t, ok := threads[raw.Resource]
		if !ok {
			t = -1
		}
		calls[t] = append(calls[t], launch{raw: raw})
	}
	return calls
}

func middle(raw *profiler.DeviceEvent) int64 { return raw.Start + (raw.End-raw.Start)/2 }

// findOwners finds the innermost operator around each call of a thread. It compares the
// middle of a call, because CUPTI's clock may differ slightly from the recorder's.
func (b *builder) findOwners(calls []launch, thread uint32) {
	slices.SortStableFunc(calls, func(x, y launch) int { return cmp.Compare(middle(x.raw), middle(y.raw)) })
	times := make([]int64, len(calls))
	for i, c := range calls {
		times[i] = middle(c.raw)
	}
	for i, e := range b.ownersAt(times, thread) {
		calls[i].owner = e
	}
}

// ownersAt returns the innermost operator that the thread was running at each of the
// times, or nil. The times must be ascending.
func (b *builder) ownersAt(times []int64, thread uint32) []*Event {
	out := make([]*Event, len(times))
	var open []int
	next := 0
	for i, at := range times {
		for ; next < len(b.Events) && (b.Events[next].Thread != thread || b.Events[next].Start <= at); next++ {
			if b.Events[next].Thread == thread && b.made[next] != nil {
				open = append(open, next)
			}
		}
		for len(open) > 0 && b.Events[open[len(open)-1]].End < at {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			out[i] = b.made[open[len(open)-1]]
		}
	}
	return out
}

// callEvent returns the event of a call on the CPU. Its times are clamped to its
// operator's times.
func (b *builder) callEvent(l launch, thread int) *Event {
	e := b.deviceEvent(l.raw)
	if o := l.owner; o != nil {
		e.Start, e.End = min(max(e.Start, o.Start), o.End), max(min(e.End, o.End), o.Start)
		e.Thread, e.tid, e.Goroutine, e.lane, e.stack = o.Thread, o.tid, o.Goroutine, o.lane, o.stack
		return e
	}
	e.tid = l.raw.Resource
	// libtorch has not numbered this thread, so use a number that libtorch does not use.
	e.Thread = math.MaxUint64 - uint64(uint32(l.raw.Resource))
	if thread >= 0 {
		e.Thread, e.tid = b.Threads[thread].Number, b.Threads[thread].TID
	}
	e.lane = b.onThread(e.Thread)
	return e
}

func (b *builder) deviceEvent(raw *profiler.DeviceEvent) *Event {
	d := &deviceEvent{
		category: categories[raw.Kind], stream: raw.Resource, correlation: raw.Correlation,
		facts: raw.Facts,
	}
	e := &Event{
		Name: raw.Name, TraceName: raw.Name, Start: time.Duration(raw.Start - b.begin),
		End:        time.Duration(raw.End - b.begin),
		SequenceNr: -1, Device: torch.CPU, inputs: -1, device: d,
	}
	if raw.Device >= 0 {
		e.Device = torch.CUDA.At(int(raw.Device))
	}
	return e
}

// annotate adds regions to devices, as Kineto does. For each region, device and stream,
// it adds an event from the start of the first kernel to the end of the last one. It must
// run after the method tree.
func (b *builder) annotate() {
	type place struct {
		region *Event
		lane   int
	}
	known := map[place]*Event{}
	var added []*Event
	for _, e := range b.events {
		o := b.launchers[e]
		if o == nil {
			continue
		}
		for up := o.CPUParent; up != nil; up = up.CPUParent {
			if !up.IsUserAnnotation {
				continue
			}
			at := place{up, e.lane}
			a := known[at]
			if a == nil {
				a = &Event{
					Name: up.Name, TraceName: up.TraceName, Start: e.Start, End: e.End, Scope: ScopeUser,
					SequenceNr: -1, Device: e.Device,
					inputs: -1, lane: e.lane, IsUserAnnotation: true,
					device: &deviceEvent{category: "gpu_user_annotation", stream: e.device.stream},
				}
				known[at] = a
				added = append(added, a)
			}
			a.Start, a.End = min(a.Start, e.Start), max(a.End, e.End)
		}
	}
	b.events = append(b.events, added...)
	byStart(b.events)
}
