package viz

import (
	"cmp"
	gslices "slices"

	"github.com/gotorch/gotorch/memory"
)

// regions tracks which segments exist at each moment.
type regions struct {
	d    *device
	m    *model
	open map[uint64]uint32 // by address
	// The segments of the snapshot by address. If several have the same address, the last
	// one counts.
	segments []*memory.Segment
}

// newRegions starts with the regions that existed before the trace: parts of the
// snapshot's segments that the trace does not obtain, and regions that the trace frees
// without having obtained them.
func newRegions(d *device, m *model, trace []memory.TraceEntry, segments []*memory.Segment) *regions {
	r := &regions{d: d, m: m, open: map[uint64]uint32{}, segments: gslices.Clone(segments)}
	gslices.SortStableFunc(r.segments, func(a, b *memory.Segment) int { return cmp.Compare(a.Address, b.Address) })
	obtained := map[uint64]int64{}
	for i := range trace {
		e := &trace[i]
		switch e.Action {
		case memory.ActionSegmentAlloc, memory.ActionSegmentMap:
			obtained[e.Addr] = e.Size
		case memory.ActionSegmentFree, memory.ActionSegmentUnmap:
			if _, ok := obtained[e.Addr]; ok {
				delete(obtained, e.Addr)
			} else {
				r.add(e.Addr, e.Size, 0, 0)
			}
		}
	}
	parts := make([]uint64, 0, len(obtained))
	for addr := range obtained {
		parts = append(parts, addr)
	}
	gslices.Sort(parts)
	// In an undamaged file segments do not overlap. In a damaged one the lower segment gets
	// the overlap; otherwise each segment would be divided at the start of every other
	// part.
	var taken uint64
	for _, seg := range r.segments {
		at, end := max(seg.Address, taken), seg.Address+uint64(max(seg.TotalSize, 0))
		taken = max(taken, end)
		stack := m.stack(seg.Frames, nil)
		i, _ := gslices.BinarySearch(parts, at)
		for ; i < len(parts) && parts[i] < end; i++ {
			if parts[i] > at {
				r.add(at, int64(parts[i]-at), 0, stack)
			}
			at = max(at, parts[i]+uint64(max(obtained[parts[i]], 0)))
		}
		if at < end {
			r.add(at, int64(end-at), 0, stack)
		}
	}
	return r
}

func (r *regions) add(addr uint64, size int64, start, stack uint32) uint32 {
	id := uint32(len(r.d.regions))
	r.d.regions = append(r.d.regions, region{addr: addr, size: max(size, 0), start: start, end: none, stack: stack})
	r.open[addr] = id
	return id
}

// setPools sets the pools of the regions that exist at the end of the trace. The trace
// itself does not contain pools.
func (r *regions) setPools() {
	for _, id := range r.open {
		x := &r.d.regions[id]
		i, _ := gslices.BinarySearchFunc(r.segments, x.addr, func(seg *memory.Segment, addr uint64) int {
			if seg.Address <= addr {
				return -1
			}
			return 1
		})
		if i == 0 {
			continue
		}
		if seg := r.segments[i-1]; x.addr-seg.Address < uint64(max(seg.TotalSize, 1)) {
			x.kind, x.stream, x.pool = seg.SegmentType, seg.Stream, seg.SegmentPoolID
		}
	}
}

func (r *regions) begin(e *memory.TraceEntry, moment uint32) uint32 {
	if id, ok := r.open[e.Addr]; ok {
		r.d.regions[id].end = moment
	}
	id := r.add(e.Addr, e.Size, moment, r.m.stack(e.Frames, e.ForwardFrames))
	r.d.regions[id].stream = e.Stream
	return id
}

func (r *regions) finish(e *memory.TraceEntry, moment uint32) uint32 {
	id, ok := r.open[e.Addr]
	if !ok {
		return none
	}
	r.d.regions[id].end = moment
	delete(r.open, e.Addr)
	return id
}

// findRegions finds the region of each block. Addresses are reused, so it takes the region
// that existed when the block was allocated.
func (d *device) findRegions() {
	order := make([]int32, len(d.regions))
	for i := range order {
		order[i] = int32(i)
	}
	gslices.SortFunc(order, func(a, b int32) int {
		x, y := &d.regions[a], &d.regions[b]
		return cmp.Or(cmp.Compare(x.addr, y.addr), cmp.Compare(x.start, y.start))
	})
	b := &d.blocks
	b.region, b.offset = make([]int32, len(b.addr)), make([]float64, len(b.addr))
	for i, addr := range b.addr {
		b.region[i] = -1
		k, _ := gslices.BinarySearchFunc(order, addr, func(r int32, addr uint64) int {
			if d.regions[r].addr <= addr {
				return -1
			}
			return 1
		})
		// Regions with overlapping addresses existed at different times. The region that
		// contained the block is at most a few steps back.
		for steps := 0; k > 0 && steps < 64; steps++ {
			k--
			r := &d.regions[order[k]]
			if addr-r.addr < uint64(r.size) && r.start < b.end[i] && b.start[i] < r.end {
				b.region[i], b.offset[i] = order[k], float64(addr-r.addr)
				break
			}
		}
	}
}
