package profiler

import (
	"maps"
	"slices"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// A GivenEvent is an event that a test makes up. Times are in ns.
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

// Given says what a made-up profile kept.
type Given struct{ Device, Memory, Flops, Stack bool }

// ListOf makes a list of made-up events.
func ListOf(es []GivenEvent, g Given) *EventList {
	b := &builder{recorded: &recorded{}, byG: map[uintptr]int{}, byT: map[uint64]int{}}
	for _, given := range es {
		e := &Event{
			Name: given.Name, Start: time.Duration(given.Start), End: time.Duration(given.End), Thread: max(given.Thread, 1),
			InputShapes: given.Shapes, Scope: Scope(given.Scope), CPUMemoryUsage: given.Memory, DeviceMemoryUsage: given.DeviceMemory,
			Flops: given.Flops, Device: torch.CPU, lane: b.onThread(max(given.Thread, 1)),
		}
		if g.Stack {
			e.lines = given.Stack
		}
		if given.CUDA {
			e.Device = torch.CUDA(0)
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
