package viz

import "github.com/gotorch/gotorch/memory"

// pairing finds the free of each allocation.
type pairing struct {
	d    *device
	m    *model
	open map[uint64]uint32 // blocks in use, by address
}

func (p *pairing) add(addr uint64, size int64, start, stack, meta uint32) uint32 {
	b := &p.d.blocks
	id := uint32(len(b.start))
	b.start = append(b.start, start)
	b.end = append(b.end, none)
	b.size = append(b.size, float64(max(size, 0)))
	b.addr = append(b.addr, addr)
	b.stack = append(b.stack, stack)
	b.freed = append(b.freed, none)
	b.meta = append(b.meta, meta)
	p.open[addr] = id
	return id
}

// addOpen adds the blocks that were in use when the trace began. The first event of such
// a block is a free, or the block has no events and is still in use at the end.
func (p *pairing) addOpen(trace []memory.TraceEntry, segments []*memory.Segment) {
	seen := map[uint64]bool{}
	for i := range trace {
		e := &trace[i]
		switch e.Action {
		case memory.ActionAlloc:
			seen[e.Addr] = true
		case memory.ActionFreeRequested, memory.ActionFreeCompleted, "free":
			if !seen[e.Addr] {
				seen[e.Addr] = true
				p.add(e.Addr, e.Size, 0, 0, none)
			}
		}
	}
	for _, seg := range segments {
		addr := seg.Address
		for _, b := range seg.Blocks {
			at := b.Address
			// Snapshots of older versions of PyTorch contain only the sizes of blocks.
			if at == 0 {
				at = addr
			}
			addr = at + uint64(max(b.Size, 0))
			if b.State == memory.BlockInactive || seen[at] {
				continue
			}
			size := b.RequestedSize
			if size <= 0 {
				size = b.Size
			}
			p.add(at, size, 0, p.m.stack(b.Frames, b.ForwardFrames), none)
		}
	}
}

func (p *pairing) alloc(e *memory.TraceEntry, moment uint32) uint32 {
	// The trace does not contain the free of the block that was at this address before.
	if id, ok := p.open[e.Addr]; ok {
		p.d.blocks.end[id] = moment
	}
	meta := uint32(none)
	if e.UserMetadata != "" {
		meta = p.m.str(e.UserMetadata)
	}
	return p.add(e.Addr, e.Size, moment, p.m.stack(e.Frames, e.ForwardFrames), meta)
}

func (p *pairing) freeRequested(e *memory.TraceEntry) uint32 {
	id, ok := p.open[e.Addr]
	if !ok {
		return none
	}
	if len(e.Frames) > 0 {
		p.d.blocks.freed[id] = p.m.stack(e.Frames, e.ForwardFrames)
	}
	return id
}

func (p *pairing) freeCompleted(e *memory.TraceEntry, moment uint32) uint32 {
	id, ok := p.open[e.Addr]
	if !ok {
		return none
	}
	b := &p.d.blocks
	b.end[id] = moment
	if b.freed[id] == none && len(e.Frames) > 0 {
		b.freed[id] = p.m.stack(e.Frames, e.ForwardFrames)
	}
	delete(p.open, e.Addr)
	return id
}
