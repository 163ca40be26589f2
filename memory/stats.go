package memory

import (
	"fmt"
	"log/slog"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Stat is one statistic over time.
type Stat struct {
	Current   int64 // its value now
	Peak      int64 // its highest value since the start or ResetPeak
	Allocated int64 // the sum of its increases since the start or ResetAccumulated
	Freed     int64 // the sum of its decreases
}

// String is one line for a log: "3 (peak 5, allocated 10, freed 7)".
func (s Stat) String() string {
	return fmt.Sprintf("%d (peak %d, allocated %d, freed %d)", s.Current, s.Peak, s.Allocated, s.Freed)
}

// Pools is a statistic for all blocks and for the two pools that they come
// from: requests of up to 1 MiB are served by the small pool, others by the
// large one. The peak of All may be less than the sum of the pools' peaks, because
// these need not occur at the same moment.
type Pools struct {
	All, SmallPool, LargePool Stat
}

// String is one line for a log: that of All, and what each pool has now.
func (p Pools) String() string {
	return fmt.Sprintf("%v, small pool %d, large pool %d", p.All, p.SmallPool.Current, p.LargePool.Current)
}

// DeviceStats are the statistics of a device's allocator, as in Python's
// torch.cuda.memory_stats. Counts are numbers of blocks; other values are
// bytes.
type DeviceStats struct {
	Allocation         Pools // blocks handed out
	Segment            Pools // regions obtained from the system
	Active             Pools // blocks in use; on CUDA also freed ones that a stream still uses
	InactiveSplit      Pools // free blocks in a region that is partly in use
	AllocatedBytes     Pools // in blocks handed out
	ReservedBytes      Pools // in regions obtained from the system
	ActiveBytes        Pools // in blocks in use
	InactiveSplitBytes Pools // free, but not returnable to the system as whole regions
	RequestedBytes     Pools // asked for, before rounding up to blocks

	OversizeAllocations Stat // blocks above MaxSplitSize
	OversizeSegments    Stat // regions for such blocks

	NumAllocRetries   int64 // times that the cache was emptied because the system or the limit refused
	NumOOMs           int64 // times that the allocation failed even after that, without those whose operator was called again
	NumSyncAllStreams int64 // CUDA: times that all streams were waited for
	NumDeviceAlloc    int64 // calls to the system for a region
	NumDeviceFree     int64 // calls that gave one back
	MaxSplitSize      int64 // -1 if there is no limit
}

// LogValue is what package log/slog logs of the statistics: bytes and blocks, now and at their
// peaks. In JSON all of them are written.
func (s DeviceStats) LogValue() slog.Value {
	of := func(name string, p Pools) slog.Attr {
		return slog.Group(name, slog.Int64("current", p.All.Current), slog.Int64("peak", p.All.Peak))
	}
	return slog.GroupValue(of("allocated_bytes", s.AllocatedBytes), of("reserved_bytes", s.ReservedBytes),
		of("allocation", s.Allocation), slog.Int64("num_ooms", s.NumOOMs))
}

// String is one line for a log; Summary is the table.
func (s DeviceStats) String() string {
	return fmt.Sprintf("allocated %s (peak %s) in %d blocks, requested %s, reserved %s (peak %s) in %d segments, %d retries, %d OOMs",
		units.Size(s.AllocatedBytes.All.Current), units.Size(s.AllocatedBytes.All.Peak), s.Allocation.All.Current, units.Size(s.RequestedBytes.All.Current),
		units.Size(s.ReservedBytes.All.Current), units.Size(s.ReservedBytes.All.Peak), s.Segment.All.Current, s.NumAllocRetries, s.NumOOMs)
}

// Stats returns the statistics of dev's allocator, all read at one moment. It
// panics with a *torch.Error if dev is not available. In PyTorch:
// torch.cuda.memory_stats.
func Stats(dev torch.Device) DeviceStats {
	var raw mem.Stats
	device.Must("Stats", dev).Read(&raw)
	return fromRaw(&raw)
}

// StatsFlat returns Stats as the map that Python's torch.cuda.memory_stats
// returns: 122 keys such as "allocated_bytes.all.peak".
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

// each calls the functions for every statistic under PyTorch's name.
func (s *DeviceStats) each(pools func(string, *Pools), stat func(string, *Stat), value func(string, *int64)) {
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

// Flat returns the statistics under PyTorch's 122 keys.
func (s DeviceStats) Flat() map[string]int64 {
	flat := make(map[string]int64, 122)
	stat := func(name string, v *Stat) {
		flat[name+".current"] = v.Current
		flat[name+".peak"] = v.Peak
		flat[name+".allocated"] = v.Allocated
		flat[name+".freed"] = v.Freed
	}
	s.each(
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

// StatsFromFlat is the inverse of Flat: it reads statistics that a Python
// program saved from torch.cuda.memory_stats. Missing keys count as zero, and
// unknown keys are ignored.
func StatsFromFlat(flat map[string]int64) DeviceStats {
	var s DeviceStats
	stat := func(name string, v *Stat) {
		*v = Stat{flat[name+".current"], flat[name+".peak"], flat[name+".allocated"], flat[name+".freed"]}
	}
	s.each(
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
