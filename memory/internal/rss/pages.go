package rss

import (
	"encoding/binary"
	"os"
)

// Pages finds out which pages are resident, from /proc/self/pagemap.
type Pages struct {
	file *os.File // nil if the system has no /proc/self/pagemap
	page uintptr
}

// OpenPages opens /proc/self/pagemap. Close the result after use.
func OpenPages() *Pages { return &Pages{open("pagemap"), uintptr(os.Getpagesize())} }

// Close closes the file.
func (p *Pages) Close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

const (
	word        = 8       // the size of an entry in bytes
	residentBit = 1 << 63 // in an entry
)

// each calls fn for every page of a range and passes whether the page is resident. It
// returns false if the system does not show which pages are resident.
func (p *Pages) each(r Range, fn func(resident bool)) bool {
	if p.file == nil {
		return false
	}
	at, end := r.Start/p.page, (r.End+p.page-1)/p.page
	buf := make([]byte, min(uintptr(64<<10), (end-at)*word))
	for at < end {
		part := buf[:min(uintptr(len(buf)), (end-at)*word)]
		n, err := p.file.ReadAt(part, int64(at*word))
		n -= n % word
		if n == 0 || err != nil && n < len(part) {
			return false
		}
		for i := 0; i < n; i += word {
			fn(binary.NativeEndian.Uint64(part[i:])&residentBit != 0)
		}
		at += uintptr(n / word)
	}
	return true
}

// Count returns the bytes of a range's resident pages. It reports false if the system
// does not provide them.
func (p *Pages) Count(r Range) (bytes int64, ok bool) {
	n := int64(0)
	ok = p.each(r, func(resident bool) {
		if resident {
			n++
		}
	})
	return n * int64(p.page), ok
}

// Region knows which pages of a range are resident.
type Region struct {
	Range
	page uintptr
	// Before[i] is the number of resident pages before page i.
	before []uint32
}

// Region finds out which pages of r are resident. r must begin at a page boundary. The
// method returns false if the system does not show which pages are resident.
func (p *Pages) Region(r Range) (region *Region, ok bool) {
	g := &Region{Range: r, page: p.page, before: make([]uint32, 1, (r.End-r.Start+p.page-1)/p.page+1)}
	ok = p.each(r, func(resident bool) {
		n := g.before[len(g.before)-1]
		if resident {
			n++
		}
		g.before = append(g.before, n)
	})
	return g, ok
}

// Resident returns how many bytes of the given part are in resident pages of the region.
func (g *Region) Resident(part Range) int64 {
	from, to := max(part.Start, g.Start), min(part.End, g.End)
	if from >= to {
		return 0
	}
	return g.upTo(to) - g.upTo(from)
}

// upTo returns how many bytes of the region below an address are resident.
func (g *Region) upTo(at uintptr) int64 {
	i, rest := (at-g.Start)/g.page, (at-g.Start)%g.page
	n := int64(g.before[i]) * int64(g.page)
	if rest != 0 && g.before[i+1] > g.before[i] {
		n += int64(rest)
	}
	return n
}
