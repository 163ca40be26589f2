package profiler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// hidden are functions that profiles omit, as in Python.
var hidden = map[string]bool{
	"aten::is_leaf": true, "aten::output_nr": true, "aten::_version": true,
	"profiler::_record_function_enter": true, "profiler::_record_function_enter_new": true,
	"profiler::_record_function_exit": true,
}

const memoryEvent = "[memory]"

// lane is a row of the timeline: a goroutine, a thread of libtorch, or a stream of a device.
type lane struct {
	goroutine int // counted from 1; 0 if the lane is not a goroutine
	thread    uint64
	device    torch.Device // the device of a stream
	stream    int64
}

// String returns the name of the row.
func (l lane) String() string {
	switch {
	case l.goroutine > 0:
		return fmt.Sprintf("goroutine %d", l.goroutine)
	case l.device != 0:
		return fmt.Sprintf("%v stream %d", l.device, l.stream)
	}
	if l.thread > math.MaxUint32 {
		return fmt.Sprintf("system thread %d", math.MaxUint64-l.thread)
	}
	return fmt.Sprintf("thread %d", l.thread)
}

// builder makes events from a recording.
type builder struct {
	*recorded
	events  []*Event // the events in the order in which Python's event list has them
	made    []*Event // for each of Result.Events, the Event made from it, or nil if profiles omit it
	modules []*Event // forward passes of modules, which tables omit
	lanes   []lane
	byG     map[uintptr]int
	byT     map[uint64]int
	byS     map[lane]int
	known   map[uint32]laneStack
	// launchers maps device events to the operators that launched them.
	launchers map[*Event]*Event
}

type laneStack struct {
	lane  uintptr
	stack trace.ID
}

func newBuilder(r *recorded) *builder {
	return &builder{
		recorded: r, byG: map[uintptr]int{}, byT: map[uint64]int{}, byS: map[lane]int{},
		known: map[uint32]laneStack{}, launchers: map[*Event]*Event{},
	}
}

// construct makes the events of a recording, with their trees.
func (b *builder) construct() {
	b.operators()
	b.joinDevices()
	b.markRegions()
	byStart(b.events)
	b.tree()
	b.annotate()
	b.blocks()
	b.events = dropTwins(b.events)
	forwardStacks(b.events)
	for i, e := range b.events {
		e.ID = i + 1
	}
}

// byStart sorts events by start, so that each comes after its parent.
func byStart(es []*Event) {
	slices.SortStableFunc(es, func(x, y *Event) int {
		if c := cmp.Compare(x.Start, y.Start); c != 0 {
			return c
		}
		return cmp.Compare(y.End, x.End)
	})
}

func (b *builder) onGoroutine(g uintptr) int {
	i, ok := b.byG[g]
	if !ok {
		i = len(b.lanes)
		b.byG[g] = i
		b.lanes = append(b.lanes, lane{goroutine: len(b.byG)})
	}
	return i
}

func (b *builder) onThread(t uint64) int {
	i, ok := b.byT[t]
	if !ok {
		i = len(b.lanes)
		b.byT[t] = i
		b.lanes = append(b.lanes, lane{thread: t})
	}
	return i
}

func (b *builder) onStream(device torch.Device, stream int64) int {
	l := lane{device: device, stream: stream}
	i, ok := b.byS[l]
	if !ok {
		i = len(b.lanes)
		b.byS[l] = i
		b.lanes = append(b.lanes, l)
	}
	return i
}

func (b *builder) where(stack uint32) laneStack {
	w, ok := b.known[stack]
	if !ok {
		w.lane, w.stack = trace.Lane(trace.ID(stack))
		b.known[stack] = w
	}
	return w
}

func (b *builder) operators() {
	drop := make([]bool, len(b.Names))
	for i, n := range b.Names {
		drop[i] = hidden[n]
	}
	all := make([]Event, len(b.Events))
	b.events = make([]*Event, 0, len(b.Events)+len(b.regions))
	b.made = make([]*Event, len(b.Events))
	for i := range b.Events {
		raw := &b.Events[i]
		if drop[raw.Name] || !b.config.cpu {
			continue
		}
		at := b.where(raw.Stack)
		th := b.Threads[raw.Thread]
		e := &all[i]
		*e = Event{
			Name: b.Names[raw.Name], TraceName: b.Names[raw.Name],
			Start: time.Duration(raw.Start - b.begin), End: time.Duration(raw.End - b.begin),
			Thread: th.Number, tid: th.TID, FwdThread: raw.FwdThread, Scope: Scope(raw.Scope), SequenceNr: raw.Seq,
			Flops: raw.Flops, Device: torch.CPU, inputs: raw.Inputs,
			Unfinished: raw.Flags&profiler.Open != 0,
		}
		if b.config.memory {
			e.CPUMemoryUsage, e.DeviceMemoryUsage = raw.Bytes, raw.DevBytes
		}
		if b.config.stack {
			e.stack = at.stack
		}
		if at.lane != 0 && raw.Flags&profiler.Foreign == 0 {
			e.lane = b.onGoroutine(at.lane)
		} else {
			e.lane = b.onThread(th.Number)
		}
		e.Goroutine = b.lanes[e.lane].goroutine
		if raw.Inputs >= 0 {
			e.InputShapes = shapesOf(b.Inputs, raw.Inputs)
		}
		b.events = append(b.events, e)
		b.made[i] = e
	}
}

func (b *builder) markRegions() {
	if !b.config.cpu {
		return
	}
	for _, r := range b.regions {
		end, open := r.End, r.End == 0
		if open {
			end = max(b.end, r.Start)
		}
		e := &Event{
			Name: r.Name, TraceName: r.Name, Start: time.Duration(r.Start - b.begin), End: time.Duration(end - b.begin),
			Scope: ScopeUser, SequenceNr: -1, Device: torch.CPU, inputs: -1,
			IsUserAnnotation: true, Unfinished: open, lane: b.onGoroutine(r.Lane), module: r.Kind == region.Module,
		}
		if b.config.stack {
			e.stack = r.Stack
		}
		e.Goroutine = b.lanes[e.lane].goroutine
		if strings.HasPrefix(e.Name, "ProfilerStep#") {
			e.Name = "ProfilerStep*"
		}
		if e.module {
			b.modules = append(b.modules, e)
		} else {
			b.events = append(b.events, e)
		}
	}
}

// tree finds the parent of each event: the innermost event of the same lane that encloses
// it. Events must be sorted by start.
func (b *builder) tree() {
	open := make([][]*Event, len(b.lanes))
	for _, e := range b.events {
		if !e.Device.IsCPU() {
			continue
		}
		stack := open[e.lane]
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			if e.Start < p.End && e.End <= p.End {
				e.CPUParent = p
				p.CPUChildren = append(p.CPUChildren, e)
				break
			}
			stack = stack[:len(stack)-1]
		}
		open[e.lane] = append(stack, e)
		if e.Thread == 0 && e.CPUParent != nil {
			e.Thread, e.tid = e.CPUParent.Thread, e.CPUParent.tid
		}
	}
	// A region is assigned to the thread on which its first operator ran.
	for i := len(b.events) - 1; i >= 0; i-- {
		e := b.events[i]
		if e.Thread == 0 && len(e.CPUChildren) > 0 {
			e.Thread, e.tid = e.CPUChildren[0].Thread, e.CPUChildren[0].tid
		}
	}
}

// blocks adds to each region the memory allocated and freed during it, and makes events
// for memory outside of operators and regions.
func (b *builder) blocks() {
	if !b.config.memory {
		return
	}
	// Each thread recorded its own list. Sort all of them together, because b.lives needs
	// a single order even if the profile does not record the CPU.
	slices.SortStableFunc(b.Memory, func(x, y profiler.Block) int { return cmp.Compare(x.Time, y.Time) })
	if !b.config.cpu {
		return
	}
	sums, onDevices := make([]int64, len(b.Memory)+1), make([]int64, len(b.Memory)+1)
	for i, m := range b.Memory {
		cpu, device := split(m)
		sums[i+1], onDevices[i+1] = sums[i]+cpu, onDevices[i]+device
	}
	seen := make([]bool, len(b.Memory))
	at := func(t time.Duration) int {
		return sort.Search(len(b.Memory), func(i int) bool { return b.Memory[i].Time-b.begin >= int64(t) })
	}
	until := 0 // blocks before this index have been marked as seen
	for _, e := range b.events {
		if !e.IsUserAnnotation || !e.Device.IsCPU() {
			continue
		}
		from, to := at(e.Start), at(e.End+1)
		e.CPUMemoryUsage, e.DeviceMemoryUsage = sums[to]-sums[from], onDevices[to]-onDevices[from]
		for i := max(from, until); i < to; i++ {
			seen[i] = true
		}
		until = max(until, to)
	}
	for i, m := range b.Memory {
		if seen[i] || m.InOperator != 0 {
			continue
		}
		th := b.Threads[m.Thread]
		at := time.Duration(m.Time - b.begin)
		cpu, device := split(m)
		b.events = append(b.events, &Event{
			Name: memoryEvent, Start: at, End: at, Thread: th.Number, tid: th.TID, FwdThread: th.Number, SequenceNr: -1,
			CPUMemoryUsage: cpu, DeviceMemoryUsage: device, Device: torch.CPU, inputs: -1, lane: b.onThread(th.Number),
		})
	}
	byStart(b.events)
}

// split returns the bytes of a block, either as CPU memory or as device memory.
func split(m profiler.Block) (cpu, device int64) {
	if m.Device < 0 {
		return m.Bytes, 0
	}
	return 0, m.Bytes
}

// dropTwins removes each event that is the only child of an event with the same name, and
// gives its children to that parent. An operator that calls a different form of itself
// therefore counts once. It follows Python's _remove_dup_nodes.
func dropTwins(es []*Event) []*Event {
	return slices.DeleteFunc(es, func(e *Event) bool {
		p := e.CPUParent
		if p == nil || p.Name != e.Name || len(p.CPUChildren) != 1 {
			return false
		}
		p.CPUChildren, p.Kernels = e.CPUChildren, e.Kernels
		for _, c := range e.CPUChildren {
			c.CPUParent = p
		}
		return true
	})
}

// forwardStacks gives the operators of a backward pass the stacks of their forward
// operators. These have the same sequence number on the forward thread.
func forwardStacks(es []*Event) {
	type node struct {
		seq    int64
		thread uint64
	}
	forward := map[node]trace.ID{}
	in := make(map[*Event]*Event) // the backward node that an operator belongs to
	for _, e := range es {
		if e.Scope == ScopeBackwardFunction {
			in[e] = e
		} else if n := in[e.CPUParent]; e.CPUParent != nil && n != nil {
			in[e] = n
		} else if e.stack != 0 && e.SequenceNr >= 0 {
			n := node{e.SequenceNr, e.Thread}
			if _, ok := forward[n]; !ok {
				forward[n] = e.stack
			}
		}
	}
	for e, n := range in {
		if e.stack == 0 {
			continue
		}
		if s := forward[node{n.SequenceNr, n.FwdThread}]; s != 0 {
			e.stack = s
		}
	}
}
