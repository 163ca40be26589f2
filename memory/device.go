package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/torch"
)

// allocator is what this package needs of a device's allocator.
type allocator interface {
	read(*mem.Stats)
	resetPeak()
	resetAccumulated()
	emptyCache()
	setLimit(bytes int64) error
	limit() int64
	info() (free, total int64, err error)
	name() string
	settings(to map[string]any)
	// windowOpen begins a stretch with peaks of its own; windowRead reads it, and
	// ends it if told so.
	windowOpen(op string) (id int64)
	windowRead(id int64, w *mem.Window, end bool)
	device() torch.Device
}

type cpuAllocator struct{}

func (cpuAllocator) read(s *mem.Stats) { mem.CPUStats(s) }
func (cpuAllocator) resetPeak()        { mem.CPUResetPeak() }
func (cpuAllocator) resetAccumulated() { mem.CPUResetAccumulated() }
func (cpuAllocator) emptyCache()       { mem.CPUEmptyCache() }
func (cpuAllocator) limit() int64      { return mem.CPULimit() }
func (cpuAllocator) name() string      { return mem.CPUBackend() }

func (cpuAllocator) device() torch.Device    { return torch.CPU }
func (cpuAllocator) windowOpen(string) int64 { return mem.CPUWindowOpen() }
func (cpuAllocator) windowRead(id int64, w *mem.Window, end bool) {
	mem.CPUWindowRead(id, w, end)
}

func (cpuAllocator) setLimit(bytes int64) error {
	if left := mem.CPUSetLimit(bytes); left > 0 {
		return deviceError("SetLimit", torch.ErrValue,
			fmt.Sprintf("limit of %d bytes (%s) on cpu is below the %d bytes (%s) that live tensors hold", bytes, size(bytes), left, size(left)))
	}
	return nil
}

// info reports what the system would still give. A limit makes both smaller.
func (c cpuAllocator) info() (free, total int64, err error) {
	free, total, err = systemMemory()
	if err != nil {
		return 0, 0, err
	}
	if l := c.limit(); l > 0 {
		total = min(total, l)
		free = min(free, l-mem.CPU.ReservedBytes.Load())
	}
	return max(free, 0), total, nil
}

func deviceError(op string, kind error, message string) *torch.Error {
	return &torch.Error{Op: "memory." + op, Kind: kind, Message: message}
}

// allocatorOf finds a device's allocator; the zero Device is the default one.
func allocatorOf(op string, dev torch.Device) (allocator, error) {
	if dev == 0 {
		dev = torch.DefaultDevice()
	}
	if err := dev.Check(); err != nil {
		e := *err.(*torch.Error) //nolint:errorlint // Check returns no other
		e.Op = "memory." + op
		return nil, &e
	}
	switch {
	case dev.IsCPU():
		return cpuAllocator{}, nil
	case dev == torch.Meta:
		return nil, deviceError(op, torch.ErrDevice, "tensors on meta have no memory")
	case dev.IsCUDA():
		return cudaAllocatorOf(op, dev)
	}
	return nil, deviceError(op, torch.ErrDevice, fmt.Sprintf("the memory of device %s cannot be seen from here", dev))
}

// mustAllocator is allocatorOf for functions that only read.
func mustAllocator(op string, dev torch.Device) allocator {
	a, err := allocatorOf(op, dev)
	if err != nil {
		panic(err)
	}
	return a
}
