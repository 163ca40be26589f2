package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/torch"
)

// Allocated returns the bytes of the blocks that tensors on dev hold. In PyTorch:
// torch.cuda.memory_allocated.
func Allocated(dev torch.Device) int64 { return Stats(dev).AllocatedBytes.All.Current }

// MaxAllocated returns the peak of [Allocated] since the program started or [ResetPeak] was
// called. In PyTorch: torch.cuda.max_memory_allocated.
func MaxAllocated(dev torch.Device) int64 { return Stats(dev).AllocatedBytes.All.Peak }

// Requested returns the bytes that live tensors on dev requested: the same bytes as
// [Allocated], but before they are rounded up to blocks. For the CPU this takes no longer
// than reading a variable.
func Requested(dev torch.Device) int64 {
	return device.Requested("Requested", dev)
}

// MaxRequested returns the peak of [Requested] since the program started or [ResetPeak] was
// called.
func MaxRequested(dev torch.Device) int64 { return Stats(dev).RequestedBytes.All.Peak }

// Reserved returns the bytes that dev's allocator holds, including free blocks.
// In PyTorch: torch.cuda.memory_reserved.
func Reserved(dev torch.Device) int64 { return Stats(dev).ReservedBytes.All.Current }

// MaxReserved returns the peak of [Reserved] since the program started or [ResetPeak] was
// called. In PyTorch: torch.cuda.max_memory_reserved.
func MaxReserved(dev torch.Device) int64 { return Stats(dev).ReservedBytes.All.Peak }

// ResetPeak sets the peaks of dev to the current values. It does not affect
// running trackers. In PyTorch: torch.cuda.reset_peak_memory_stats.
func ResetPeak(dev torch.Device) { device.Must("ResetPeak", dev).ResetPeak() }

// ResetAccumulated sets dev's totals of allocated and freed bytes, and its counts of
// events, to zero. In PyTorch: torch.cuda.reset_accumulated_memory_stats.
func ResetAccumulated(dev torch.Device) { device.Must("ResetAccumulated", dev).ResetAccumulated() }

// EmptyCache returns all cached memory to the system, on the given devices or, if none is
// given, on all devices. It does not free tensors, and it does not collect garbage. In
// PyTorch: torch.cuda.empty_cache, which empties all CUDA devices.
//
// A [MemPool] keeps its memory until it is closed. While another goroutine uses a
// pool on a CUDA device, EmptyCache returns only the memory of closed pools there.
// With cudaMallocAsync it always empties all CUDA devices.
//
// Call EmptyCache at the end of a phase of a program. If a loop calls it in every
// iteration, the allocator has to get the same memory from the system again and again.
// After twenty calls from one line, each within a second of the previous one, a warning
// names the line (see [torch.SetWarnings]).
func EmptyCache(devices ...torch.Device) {
	emptyCalls.note("EmptyCache")
	if len(devices) == 0 {
		devices = device.Used()
	}
	emptyCache(devices)
}

func emptyCache(devices []torch.Device) {
	for _, d := range devices {
		device.Must("EmptyCache", d).EmptyCache()
	}
}

// SetLimit limits the bytes that dev's allocator reserves; 0 removes the limit. An
// allocation that would exceed the limit first returns cached memory to the system. If
// that is not enough, the operator fails, gotorch collects garbage and calls it again; if
// it fails again, the error is torch.ErrOutOfMemory. The CPU's limit covers tensors and
// their cache, not libtorch's tables, graph nodes and scratch space. SetLimit returns an
// error and changes nothing if tensors already hold more memory than the limit, or if
// bytes is negative.
//
// PyTorch has set_per_process_memory_fraction for CUDA; see [SetFraction].
func SetLimit(dev torch.Device, bytes int64) error {
	a, err := device.Of("SetLimit", dev)
	if err != nil {
		return err
	}
	if bytes < 0 {
		return device.Error("SetLimit", torch.ErrValue, fmt.Sprintf("limit of %d bytes on %s is negative", bytes, dev))
	}
	return a.SetLimit(bytes)
}

// Limit returns the limit set by [SetLimit] or [SetFraction], or 0 if there is
// none.
func Limit(dev torch.Device) int64 { return device.Must("Limit", dev).Limit() }

// SetFraction limits dev's allocator to a fraction of the device's total memory, as
// returned by [MemGetInfo]. The fraction must be above 0 and at most 1. For the CPU the
// total memory is the container's, if there is one. See [SetLimit]. In PyTorch:
// torch.cuda.set_per_process_memory_fraction.
func SetFraction(dev torch.Device, fraction float64) error {
	a, err := device.Of("SetFraction", dev)
	if err != nil {
		return err
	}
	if !(fraction > 0 && fraction <= 1) {
		return device.Error("SetFraction", torch.ErrValue,
			fmt.Sprintf("expected a fraction above 0 and at most 1, got %v on %s", fraction, dev))
	}
	_, total, err := device.Memory(a)
	if err != nil {
		return err
	}
	// 0 bytes would mean "no limit".
	return a.SetLimit(max(1, int64(fraction*float64(total))))
}

// MemGetInfo returns the free and total bytes of a device. For the CPU they are the
// smallest of three: the machine's memory, the limit of [SetLimit], and the limits of the
// process's control groups (a container, a Slurm job, a systemd slice). File cache that the
// kernel can drop counts as free. Swap does not count. In PyTorch: torch.cuda.mem_get_info.
func MemGetInfo(dev torch.Device) (free, total int64, err error) {
	a, err := device.Of("MemGetInfo", dev)
	if err != nil {
		return 0, 0, err
	}
	return a.Info()
}

// Backend names the allocator of dev: for the CPU "caching", or "system" if the
// program was started with GOTORCH_CPU_ALLOCATOR=system. In PyTorch:
// torch.cuda.get_allocator_backend.
func Backend(dev torch.Device) string { return device.Must("Backend", dev).Name() }

// Synchronize waits until a device has finished all its work. For the CPU it returns
// immediately. It returns a *torch.Error of kind torch.ErrDevice for a device that does
// not exist. In PyTorch: torch.cuda.synchronize.
func Synchronize(dev torch.Device) error {
	if dev.IsCPU() {
		return nil
	}
	a, err := device.Of("Synchronize", dev)
	if err != nil {
		return err
	}
	index, ok := device.CUDAIndex(a)
	if !ok {
		return nil
	}
	return device.CUDAErrorOrNil("Synchronize", cuda.Synchronize(index))
}
