package memory

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// HostStatistics contains the statistics of page-locked host memory. In
// PyTorch: torch.cuda.host_memory_stats.
type HostStatistics struct {
	ActiveRequests Stat // number of blocks that tensors hold
	ActiveBytes    Stat // bytes in blocks that tensors hold
	Allocations    Stat // number of all blocks, including free ones
	AllocatedBytes Stat // bytes in all blocks
	NumHostAlloc   int64
	NumHostFree    int64
	AllocTime      HostTime // duration of the driver calls that lock memory
	FreeTime       HostTime // duration of the driver calls that unlock memory
}

// String returns the statistics as one line for a log.
func (s HostStatistics) String() string {
	return fmt.Sprintf("active %s (peak %s) in %d blocks, allocated %s (peak %s) in %d blocks",
		units.Size(s.ActiveBytes.Current), units.Size(s.ActiveBytes.Peak), s.ActiveRequests.Current,
		units.Size(s.AllocatedBytes.Current), units.Size(s.AllocatedBytes.Peak), s.Allocations.Current)
}

// HostTime contains the number of calls of one kind, and their durations.
type HostTime struct {
	Total, Max, Min time.Duration
	Count           int64
}

// String returns a line such as "3 calls in 4ms (longest 2ms, shortest 500µs)".
func (h HostTime) String() string {
	return fmt.Sprintf("%d calls in %v (longest %v, shortest %v)", h.Count, h.Total, h.Max, h.Min)
}

// HostStats returns the statistics of page-locked host memory, which tensors created with
// torch.PinMemory(true) use. Without CUDA it returns a *torch.Error of kind
// torch.ErrDevice. In PyTorch: torch.cuda.host_memory_stats.
func HostStats() (HostStatistics, error) {
	if err := checkCUDA("HostStats"); err != nil {
		return HostStatistics{}, err
	}
	var s cuda.HostStats
	if err := cuda.ReadHostStats(&s); err != nil {
		return HostStatistics{}, device.CUDAError("HostStats", err)
	}
	us := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	return HostStatistics{
		ActiveRequests: Stat(s.ActiveRequests),
		ActiveBytes:    Stat(s.ActiveBytes),
		Allocations:    Stat(s.Allocations),
		AllocatedBytes: Stat(s.AllocatedBytes),
		NumHostAlloc:   s.NumHostAlloc,
		NumHostFree:    s.NumHostFree,
		AllocTime:      HostTime{us(s.AllocTotal), us(s.AllocMax), us(s.AllocMin), s.AllocCount},
		FreeTime:       HostTime{us(s.FreeTotal), us(s.FreeMax), us(s.FreeMin), s.FreeCount},
	}, nil
}

// Flat returns the statistics as a map with the keys of Python's
// torch.cuda.host_memory_stats. Times are in microseconds.
func (s HostStatistics) Flat() map[string]int64 {
	flat := map[string]int64{"num_host_alloc": s.NumHostAlloc, "num_host_free": s.NumHostFree}
	stat := func(name string, v Stat) {
		flat[name+".current"] = v.Current
		flat[name+".peak"] = v.Peak
		flat[name+".allocated"] = v.Allocated
		flat[name+".freed"] = v.Freed
	}
	stat("active_requests", s.ActiveRequests)
	stat("active_bytes", s.ActiveBytes)
	stat("allocations", s.Allocations)
	stat("allocated_bytes", s.AllocatedBytes)
	span := func(name string, t HostTime) {
		flat[name+".total"] = t.Total.Microseconds()
		flat[name+".max"] = t.Max.Microseconds()
		flat[name+".min"] = t.Min.Microseconds()
		flat[name+".count"] = t.Count
	}
	span("host_alloc_time", s.AllocTime)
	span("host_free_time", s.FreeTime)
	return flat
}

// ResetHostPeak sets the peaks of HostStats to the current values. In PyTorch:
// torch.cuda.reset_peak_host_memory_stats.
func ResetHostPeak() error {
	if err := checkCUDA("ResetHostPeak"); err != nil {
		return err
	}
	return device.CUDAErrorOrNil("ResetHostPeak", cuda.ResetHostPeak())
}

// ResetHostAccumulated sets the totals of HostStats to zero. In PyTorch:
// torch.cuda.reset_accumulated_host_memory_stats.
func ResetHostAccumulated() error {
	if err := checkCUDA("ResetHostAccumulated"); err != nil {
		return err
	}
	return device.CUDAErrorOrNil("ResetHostAccumulated", cuda.ResetHostAccumulated())
}

// EmptyHostCache unlocks and frees all cached blocks of page-locked memory that no tensor
// uses. In PyTorch: torch._C._host_emptyCache.
func EmptyHostCache() error {
	if err := checkCUDA("EmptyHostCache"); err != nil {
		return err
	}
	return device.CUDAErrorOrNil("EmptyHostCache", cuda.EmptyHostCache())
}

func checkCUDA(op string) error {
	_, err := device.Of(op, torch.CUDA)
	return err
}
