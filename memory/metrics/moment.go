package metrics

import (
	"cmp"
	"slices"

	"github.com/gotorch/gotorch/memory"
	devices "github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/torch"
)

// moment contains the values that all metrics are computed from.
type moment struct {
	process memory.ProcessStats
	gc      memory.GCStats
	tensors int64
	// Memory of the machine or container in bytes; 0 if unknown.
	system  int64
	devices []device
	objects []object
	lists   []list
}

// device contains the memory statistics of one device.
type device struct {
	name       string
	stats      memory.DeviceStats
	limit      int64 // 0 if there is none
	free, size int64 // 0 if unknown
}

// object sums up all objects of one kind that are not tensors.
type object = objects.Group

// list sums up the listed tensors of one kind on one device; see memory.TrackTensors.
type list struct {
	kind, device string
	count, bytes float64
}

// readMoment reads the values that the metrics are computed from.
func readMoment() *moment {
	m := &moment{
		process: memory.Process(), gc: memory.GC(), tensors: torch.NumLiveTensors(),
		objects: kinds(), lists: lists(memory.LiveTensors()),
	}
	_, m.system, _ = devices.SystemMemory()
	for _, d := range devices.Used() {
		at := device{name: d.String(), stats: memory.Stats(d), limit: memory.Limit(d)}
		at.free, at.size, _ = memory.MemGetInfo(d)
		m.devices = append(m.devices, at)
	}
	return m
}

// kinds returns the sums of the objects by kind. It includes graph nodes even if there are
// none.
func kinds() []object {
	all := objects.Kinds()
	if nodes, _ := objects.Counts(); nodes == 0 {
		all = append(all, object{Kind: objects.Nodes})
	}
	return all
}

// lists sums up the listed tensors by kind and device.
func lists(tensors []memory.LiveTensor) []list {
	var out []list
	for _, t := range tensors {
		kind, on := string(t.Kind), t.Device.String()
		i := slices.IndexFunc(out, func(l list) bool { return l.kind == kind && l.device == on })
		if i < 0 {
			i = len(out)
			out = append(out, list{kind: kind, device: on})
		}
		out[i].count += t.Weight
		out[i].bytes += t.Weight * float64(t.Bytes)
	}
	slices.SortFunc(out, func(a, b list) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.device, b.device))
	})
	return out
}
