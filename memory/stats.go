package memory

import (
	"fmt"
	"log/slog"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Stat is a statistic with its current value, its peak and its totals.
type Stat struct {
	Current   int64 // the current value
	Peak      int64 // highest value since the program started or ResetPeak was called
	Allocated int64 // sum of all increases since the program started or ResetAccumulated was called
	Freed     int64 // sum of all decreases since the program started or ResetAccumulated was called
}

// String returns a line such as "3 (peak 5, allocated 10, freed 7)".
func (s Stat) String() string {
	return fmt.Sprintf("%d (peak %d, allocated %d, freed %d)", s.Current, s.Peak, s.Allocated, s.Freed)
}

// Pools is a statistic for all blocks and for each of the two pools. The small pool serves
// requests of up to 1 MiB, the large pool all others. The peak of All may be less than the
// sum of the peaks of both pools, because these may occur at different times.
type Pools struct {
	All, SmallPool, LargePool Stat
}

// String returns one line for a log: All, and the current value of each pool.
func (p Pools) String() string {
	return fmt.Sprintf("%v, small pool %d, large pool %d", p.All, p.SmallPool.Current, p.LargePool.Current)
}

// DeviceStats contains the statistics of a device's allocator. In PyTorch:
// torch.cuda.memory_stats.
type DeviceStats struct {
	Allocation         Pools // number of blocks that tensors hold
	Segment            Pools // number of regions obtained from the system
	Active             Pools // number of blocks in use; on CUDA also freed blocks that a stream still uses
	InactiveSplit      Pools // number of free blocks in regions that are partly in use
	AllocatedBytes     Pools // bytes in blocks that tensors hold
	ReservedBytes      Pools // bytes in regions obtained from the system
	ActiveBytes        Pools // bytes in blocks in use, counted as in Active
	InactiveSplitBytes Pools // bytes in free blocks that cannot be returned to the system
	RequestedBytes     Pools // bytes requested, before rounding up to blocks

	OversizeAllocations Stat // number of blocks larger than MaxSplitSize
	OversizeSegments    Stat // number of regions for such blocks

	// NumAllocRetries counts allocations for which the cache was emptied, because the
	// system had no more memory or the limit was reached.
	NumAllocRetries int64
	// NumOOMs counts allocations that failed even after the cache was emptied. Failures do
	// not count if gotorch collected garbage and called the operator again.
	NumOOMs           int64
	NumSyncAllStreams int64 // on CUDA: number of waits for all streams
	NumDeviceAlloc    int64 // number of requests to the system for a region
	NumDeviceFree     int64 // number of regions returned to the system
	MaxSplitSize      int64 // in bytes; -1 if there is no limit
}

// LogValue returns the value that package log/slog logs: bytes and blocks, with their
// peaks. The JSON encoding contains all statistics.
func (s DeviceStats) LogValue() slog.Value {
	of := func(name string, p Pools) slog.Attr {
		return slog.Group(name, slog.Int64("current", p.All.Current), slog.Int64("peak", p.All.Peak))
	}
	return slog.GroupValue(of("allocated_bytes", s.AllocatedBytes), of("reserved_bytes", s.ReservedBytes),
		of("allocation", s.Allocation), slog.Int64("num_ooms", s.NumOOMs))
}

// String returns the main statistics as one line for a log. [DeviceStats.Summary] returns a
// table of all.
func (s DeviceStats) String() string {
	return fmt.Sprintf("allocated %s (peak %s) in %d blocks, requested %s, "+
		"reserved %s (peak %s) in %d segments, %d retries, %d OOMs",
		units.Size(s.AllocatedBytes.All.Current), units.Size(s.AllocatedBytes.All.Peak), s.Allocation.All.Current,
		units.Size(s.RequestedBytes.All.Current), units.Size(s.ReservedBytes.All.Current),
		units.Size(s.ReservedBytes.All.Peak), s.Segment.All.Current, s.NumAllocRetries, s.NumOOMs)
}

// Stats returns the statistics of dev's allocator. All values are from the same moment. It
// panics with a *torch.Error if dev is not available. In PyTorch: torch.cuda.memory_stats.
func Stats(dev torch.Device) DeviceStats {
	var raw mem.Stats
	device.Must("Stats", dev).Read(&raw)
	return fromRaw(&raw)
}

// StatsFlat returns the statistics of [Stats] as a map with the 122 keys of Python's
// torch.cuda.memory_stats, such as "allocated_bytes.all.peak".
func StatsFlat(dev torch.Device) map[string]int64 {
	return Stats(dev).Flat()
}

func fromRaw(r *mem.Stats) DeviceStats {
	pools := func(p [3]mem.Stat) Pools { return Pools{Stat(p[0]), Stat(p[1]), Stat(p[2])} }
	return DeviceStats{
		Allocation:          pools(r.Allocation),
		Segment:             pools(r.Segment),
		Active:              pools(r.Active),
		InactiveSplit:       pools(r.InactiveSplit),
		AllocatedBytes:      pools(r.AllocatedBytes),
		ReservedBytes:       pools(r.ReservedBytes),
		ActiveBytes:         pools(r.ActiveBytes),
		InactiveSplitBytes:  pools(r.InactiveSplitBytes),
		RequestedBytes:      pools(r.RequestedBytes),
		OversizeAllocations: Stat(r.OversizeAllocations),
		OversizeSegments:    Stat(r.OversizeSegments),
		NumAllocRetries:     r.NumAllocRetries,
		NumOOMs:             r.NumOOMs,
		NumSyncAllStreams:   r.NumSyncAllStreams,
		NumDeviceAlloc:      r.NumDeviceAlloc,
		NumDeviceFree:       r.NumDeviceFree,
		MaxSplitSize:        r.MaxSplitSize,
	}
}

// visit passes every statistic, with its name in PyTorch, to the function for its type.
func (s *DeviceStats) visit(pools func(string, *Pools), stat func(string, *Stat), value func(string, *int64)) {
	pools("allocation", &s.Allocation)
	pools("segment", &s.Segment)
	pools("active", &s.Active)
	pools("inactive_split", &s.InactiveSplit)
	pools("allocated_bytes", &s.AllocatedBytes)
	pools("reserved_bytes", &s.ReservedBytes)
	pools("active_bytes", &s.ActiveBytes)
	pools("inactive_split_bytes", &s.InactiveSplitBytes)
	pools("requested_bytes", &s.RequestedBytes)
	stat("oversize_allocations", &s.OversizeAllocations)
	stat("oversize_segments", &s.OversizeSegments)
	value("num_alloc_retries", &s.NumAllocRetries)
	value("num_ooms", &s.NumOOMs)
	value("num_sync_all_streams", &s.NumSyncAllStreams)
	value("num_device_alloc", &s.NumDeviceAlloc)
	value("num_device_free", &s.NumDeviceFree)
	value("max_split_size", &s.MaxSplitSize)
}

// Flat returns the statistics as a map with PyTorch's 122 keys.
func (s DeviceStats) Flat() map[string]int64 {
	flat := make(map[string]int64, 122)
	stat := func(name string, v *Stat) {
		flat[name+".current"] = v.Current
		flat[name+".peak"] = v.Peak
		flat[name+".allocated"] = v.Allocated
		flat[name+".freed"] = v.Freed
	}
	s.visit(
		func(name string, p *Pools) {
			stat(name+".all", &p.All)
			stat(name+".small_pool", &p.SmallPool)
			stat(name+".large_pool", &p.LargePool)
		},
		stat,
		func(name string, v *int64) { flat[name] = *v },
	)
	return flat
}

// StatsFromFlat is the inverse of [DeviceStats.Flat]. It also converts maps from Python's
// torch.cuda.memory_stats. Missing keys count as zero, and unknown keys are ignored.
func StatsFromFlat(flat map[string]int64) DeviceStats {
	var s DeviceStats
	stat := func(name string, v *Stat) {
		*v = Stat{flat[name+".current"], flat[name+".peak"], flat[name+".allocated"], flat[name+".freed"]}
	}
	s.visit(
		func(name string, p *Pools) {
			stat(name+".all", &p.All)
			stat(name+".small_pool", &p.SmallPool)
			stat(name+".large_pool", &p.LargePool)
		},
		stat,
		func(name string, v *int64) { *v = flat[name] },
	)
	return s
}
