package memory

import (
	"cmp"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/torch"
)

// Snapshot copies the state of the allocators of the given devices or, by default,
// of all devices in use. It contains each segment and block and, if
// [RecordHistory] recorded them, their stacks and the trace of earlier events. The
// CPU has the highest device number. If the CPU is included, the snapshot also has
// the result of [Explain]. In PyTorch: torch.cuda.memory._snapshot.
//
// Snapshot leaves out CUDA devices with the backend cudaMallocAsync, which has no
// snapshots. Snapshot panics with a *torch.Error: of kind torch.ErrNotImplemented if such a
// device is named, and of kind torch.ErrDevice for a device that does not exist.
//
// All allocations wait while the state is copied: about 10 ms for a million blocks
// and events.
func Snapshot(devices ...torch.Device) *SnapshotData {
	if len(devices) == 0 {
		devices = snapshotDevices()
	}
	s := &SnapshotData{}
	s.fillLists()
	whole, program := newFrameCache(false), newFrameCache(true)
	for number, d := range devices {
		h, err := historianOf("Snapshot", d)
		if err != nil {
			panic(err)
		}
		r := h.Recording()
		frames := whole
		if r.Program() {
			frames = program
		}
		h.snapshot(s, frames)
		for _, m := range r.Marks() {
			s.ExternalAnnotations = append(s.ExternalAnnotations, Annotation{m.Name, m.Stage, number, m.TimeUs})
		}
	}
	slices.SortStableFunc(s.ExternalAnnotations, func(a, b Annotation) int { return cmp.Compare(a.TimeUs, b.TimeUs) })
	return s
}

// snapshotDevices returns the devices in use that support snapshots. The CPU is last.
func snapshotDevices() []torch.Device {
	all := device.Used()
	if len(all) > 1 && !device.NativeCUDA() {
		return all[len(all)-1:]
	}
	return all
}

// historian is an allocator that can record a history and add it to a snapshot.
type historian interface {
	history.Allocator
	// snapshot appends the device's name, trace and segments to s. The device gets the
	// number len(s.Devices).
	snapshot(s *SnapshotData, frames *frameCache)
}

func historianOf(op string, dev torch.Device) (historian, error) {
	a, err := device.Of(op, dev)
	if err != nil {
		return nil, err
	}
	index, onCUDA := device.CUDAIndex(a)
	if !onCUDA {
		return cpuHistorian{}, nil
	}
	switch name, err := cuda.Backend(); {
	case err != nil:
		return nil, device.CUDAError(op, err)
	case name != device.NativeBackend:
		return nil, device.Error(op, torch.ErrNotImplemented,
			"the allocator "+name+" of "+a.Device().String()+" has no history and no snapshot")
	}
	return cudaHistorian{index: index}, nil
}
