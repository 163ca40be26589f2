package profiler

import (
	"maps"
	"slices"
	"time"

	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/torch"
)

// A GivenEvent is a synthetic event. Times are in ns.
type GivenEvent struct {
	Name         string
	Thread       uint64
	Start, End   int64
	Shapes       [][]int64
	Stack        []string
	Scope        int
	Memory       int64
	DeviceMemory int64 `json:"device_memory"`
	CUDA         bool
	Flops        int64
	Kernels      map[string]int64
}

// Given describes what a synthetic profile recorded.
type Given struct{ Device, Memory, Flops, Stack bool }

// ListOf makes a list of synthetic events.
func ListOf(es []GivenEvent, g Given) *EventList {
	b := newBuilder(&recorded{})
	for _, given := range es {
		e := &Event{
			Name: given.Name, Start: time.Duration(given.Start), End: time.Duration(given.End),
			Thread:      max(given.Thread, 1),
			InputShapes: given.Shapes, Scope: Scope(given.Scope), CPUMemoryUsage: given.Memory,
			DeviceMemoryUsage: given.DeviceMemory,
			Flops:             given.Flops, Device: torch.CPU, lane: b.onThread(max(given.Thread, 1)),
		}
		if g.Stack {
			e.lines = given.Stack
		}
		if given.CUDA {
			e.Device = torch.CUDA.At(0)
		}
		if g.Device {
			for _, k := range slices.Sorted(maps.Keys(given.Kernels)) {
				e.Kernels = append(e.Kernels, Kernel{Name: k, Duration: time.Duration(given.Kernels[k])})
			}
		} else if given.CUDA {
			continue
		}
		b.events = append(b.events, e)
	}
	b.tree()
	l := &EventList{Events: dropTwins(b.events), show: shown{memory: g.Memory, flops: g.Flops}}
	if g.Device {
		l.show.device = "CUDA"
	}
	return l
}

// GivenDevices is what Kineto and the recorder report for a synthetic program; see
// testdata/make_kineto.py. Times are in ns.
type GivenDevices struct {
	Threads []struct {
		Number      uint64
		TID, Handle int64
	}
	Operators []struct {
		Name         string
		Thread       uint64
		Start, End   int64
		Scope        uint16
		DeviceMemory int64 `json:"device_memory"`
		ID           int
	}
	Regions []struct {
		Name       string
		Start, End int64
	}
	Devices []struct {
		Name, Kind, Facts                           string
		Device                                      int32
		Resource, Correlation, Start, End, Operator int64
	}
}

// Profile returns a profile of the program. The operators with the indices in own
// allocate their memory themselves.
func (g GivenDevices) Profile(own ...int) *Profile {
	const lane = 1 // the goroutine of the first thread
	r := &recorded{
		Result: &profiler.Result{},
		config: config{made: true, cpu: true, cuda: true, kernels: true, memory: true}, end: 500_000,
	}
	number := map[uint64]uint32{}
	for i, t := range g.Threads {
		number[t.Number] = uint32(i)
		r.Threads = append(r.Threads, profiler.Thread{Number: t.Number, TID: t.TID, Handle: t.Handle})
	}
	for i, o := range g.Operators {
		e := profiler.Event{
			Start: o.Start, End: o.End, Seq: -1, Inputs: -1, Name: uint32(i), Scope: o.Scope, Thread: number[o.Thread],
			DevBytes: o.DeviceMemory,
			Stack:    1 - number[o.Thread], // thread 0 has the stack of a goroutine, thread 1 has none
		}
		r.Names, r.Events = append(r.Names, o.Name), append(r.Events, e)
		if slices.Contains(own, o.ID) {
			r.Memory = append(r.Memory,
				profiler.Block{Time: o.Start + 1, Bytes: o.DeviceMemory, Thread: e.Thread, InOperator: 1})
		}
	}
	for _, x := range g.Regions {
		r.regions = append(r.regions, &region.Region{Name: x.Name, Start: x.Start, End: x.End, Lane: lane})
	}
	kinds := map[string]int32{}
	for k, name := range categories {
		kinds[name] = k
	}
	for _, d := range g.Devices {
		r.Devices = append(r.Devices, profiler.DeviceEvent{
			Name: d.Name, Kind: kinds[d.Kind], Facts: d.Facts, Device: d.Device, Resource: d.Resource,
			Correlation: d.Correlation, Start: d.Start, End: d.End,
		})
	}
	b := newBuilder(r)
	b.known[1] = laneStack{lane: lane}
	b.construct()
	p := &Profile{config: r.config, ran: true, last: r, built: b}
	p.lists = &EventList{Events: b.events, show: p.shown()}
	return p
}

// BlocksOf returns a memory profile of CUDA device 0: for each block its time, size,
// address and thread.
func BlocksOf(blocks ...[4]int64) *Profile {
	r := &recorded{
		Result: &profiler.Result{Threads: make([]profiler.Thread, 2)},
		config: config{made: true, cuda: true, kernels: true, memory: true}, end: 100,
	}
	for _, x := range blocks {
		r.Memory = append(r.Memory, profiler.Block{Time: x[0], Bytes: x[1], Addr: uint64(x[2]), Thread: uint32(x[3])})
	}
	b := newBuilder(r)
	b.construct()
	return &Profile{config: r.config, ran: true, last: r, built: b}
}
