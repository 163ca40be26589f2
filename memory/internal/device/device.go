package device

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Allocator is a device's allocator.
type Allocator interface {
	Read(*mem.Stats)
	ResetPeak()
	ResetAccumulated()
	EmptyCache()
	// SetLimit limits the reserved bytes. 0 removes the limit.
	SetLimit(bytes int64) error
	Limit() int64
	// Info returns the result of memory.MemGetInfo.
	Info() (free, total int64, err error)
	Name() string
	Settings(to map[string]any)
	// WindowOpen begins a measurement that has its own peaks, and returns its number.
	// WindowRead reads a measurement and optionally ends it.
	WindowOpen(op string) (id int64)
	WindowRead(id int64, w *mem.Window, end bool)
	Device() torch.Device
}

// cpuAllocator is the CPU's allocator.
type cpuAllocator struct{}

func (cpuAllocator) Read(s *mem.Stats) { mem.CPUStats(s) }
func (cpuAllocator) ResetPeak()        { mem.CPUResetPeak() }
func (cpuAllocator) ResetAccumulated() { mem.CPUResetAccumulated() }
func (cpuAllocator) EmptyCache()       { mem.CPUEmptyCache() }
func (cpuAllocator) Limit() int64      { return mem.CPULimit() }
func (cpuAllocator) Name() string      { return mem.CPUBackend() }

func (cpuAllocator) Device() torch.Device    { return torch.CPU }
func (cpuAllocator) WindowOpen(string) int64 { return mem.CPUWindowOpen() }
func (cpuAllocator) WindowRead(id int64, w *mem.Window, end bool) {
	mem.CPUWindowRead(id, w, end)
}

func (cpuAllocator) SetLimit(bytes int64) error {
	if left := mem.CPUSetLimit(bytes); left > 0 {
		return Error("SetLimit", torch.ErrValue,
			fmt.Sprintf("limit of %d bytes (%s) on cpu is below the %d bytes (%s) that live tensors hold", bytes,
				units.Size(bytes), left, units.Size(left)))
	}
	return nil
}

// Info returns the free and total bytes that the system reports, reduced by the limit.
func (c cpuAllocator) Info() (free, total int64, err error) {
	free, total, err = SystemMemory()
	if err != nil {
		return 0, 0, err
	}
	if l := c.Limit(); l > 0 {
		total = min(total, l)
		free = min(free, l-mem.CPU.ReservedBytes.Load())
	}
	return max(free, 0), total, nil
}

// Error returns a *torch.Error of the given kind that names op, a function of package
// memory.
func Error(op string, kind error, message string) *torch.Error {
	return &torch.Error{Op: "memory." + op, Kind: kind, Message: message}
}

// Of returns the allocator of dev. Errors name op, a function of package memory. The zero
// Device means the default device.
func Of(op string, dev torch.Device) (Allocator, error) {
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
		return nil, Error(op, torch.ErrDevice, "tensors on meta have no memory")
	case dev.IsCUDA():
		return cudaOf(dev), nil
	}
	return nil, Error(op, torch.ErrDevice, fmt.Sprintf("memory statistics of device %s are not supported", dev))
}

// Must is like Of, but panics instead of returning an error.
func Must(op string, dev torch.Device) Allocator {
	a, err := Of(op, dev)
	if err != nil {
		panic(err)
	}
	return a
}

// Requested returns the bytes that live tensors on a device requested. For the CPU this
// takes no longer than reading a variable.
func Requested(op string, dev torch.Device) int64 {
	if dev.IsCPU() {
		return mem.CPU.LiveBytes.Load()
	}
	var s mem.Stats
	Must(op, dev).Read(&s)
	return s.RequestedBytes[0].Current
}

// Memory returns the free and total memory of a device in bytes, ignoring limits.
func Memory(a Allocator) (free, total int64, err error) {
	if a.Device().IsCPU() {
		return SystemMemory()
	}
	return a.Info()
}
