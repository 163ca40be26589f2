package rss

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"syscall"
)

// process contains what is known about the memory mappings of this process.
type process struct {
	mappings   []mapping
	exe        string
	segments   []Range // of the CPU's allocator
	object     uintptr // the address of an object on Go's heap
	stack      uintptr // the default size of a thread's stack in bytes
	image      func(b []byte, at uintptr) bool
	residentIn func(Range) (int64, bool)
}

// claim is a range with a known owner.
type claim struct {
	Range
	owner Owner
}

// usage sums the resident bytes by owner. Memory inside a claim belongs to the claim's
// owner; all other memory is classified by its mapping.
func (p *process) usage() *Usage {
	u := &Usage{files: map[string]int64{}}
	images := map[string]bool{}
	for i := range p.mappings {
		if m := &p.mappings[i]; m.isFile() && m.isExecutable() {
			images[m.path] = true
		}
	}
	claims := p.claims(images)
	for i := range p.mappings {
		m := &p.mappings[i]
		left := m.resident
		u.Total += left
		first, _ := slices.BinarySearchFunc(claims, m.Start, func(c claim, at uintptr) int {
			return cmp.Compare(c.End, at+1)
		})
		for _, c := range claims[first:] {
			if c.Start >= m.End || left == 0 {
				break
			}
			bytes := p.share(m, Range{max(c.Start, m.Start), min(c.End, m.End)}, left)
			u.bytesBy[c.owner] += bytes
			left -= bytes
		}
		p.addUnclaimed(u, m, left, images)
	}
	return u
}

// share returns how many of the mapping's resident bytes are in the given part.
func (p *process) share(m *mapping, part Range, left int64) int64 {
	if part == m.Range {
		return left
	}
	bytes, ok := p.residentIn(part)
	if !ok {
		bytes = int64(float64(m.resident) * float64(part.End-part.Start) / float64(m.End-m.Start))
	}
	return min(bytes, left)
}

// addUnclaimed adds the bytes of a mapping that are outside all claims to the owner that
// the mapping indicates.
func (p *process) addUnclaimed(u *Usage, m *mapping, bytes int64, images map[string]bool) {
	switch {
	case bytes == 0:
	case m.path == "[heap]" || strings.HasPrefix(m.path, "[anon: glibc: malloc"):
		u.bytesBy[CHeap] += bytes
	case m.path == "[stack]" || strings.HasPrefix(m.path, "[anon: glibc: pthread stack"):
		u.bytesBy[Stacks] += bytes
	case strings.HasPrefix(m.path, "[anon: Go: heap"):
		u.bytesBy[GoHeap] += bytes
	case strings.HasPrefix(m.path, "[anon: Go:"):
		u.bytesBy[GoRuntime] += bytes
	case images[m.path]:
		code, data := Code, Data
		if m.path == p.exe {
			code, data = ProgramCode, ProgramData
		}
		changed := min(m.anonymous, bytes)
		u.bytesBy[data] += changed
		u.bytesBy[code] += bytes - changed
	case mayBeShared(m):
		u.bytesBy[Shared] += bytes
	case m.isFile():
		u.bytesBy[Files] += bytes
		u.files[m.path] += bytes
	case m.path == "" && m.isExecutable():
		u.bytesBy[Compiled] += bytes
	default:
		u.bytesBy[Rest] += bytes
	}
}

// mayBeShared reports whether other processes may share the mapping's memory.
func mayBeShared(m *mapping) bool {
	for _, at := range []string{"/dev/shm/", "/dev/zero", "/memfd:", "/SYSV"} {
		if strings.HasPrefix(m.path, at) {
			return true
		}
	}
	return m.path == "" && strings.HasSuffix(m.perms, "s")
}

// claims returns all ranges with a known owner, sorted by address. They do not overlap.
func (p *process) claims(images map[string]bool) []claim {
	var out []claim
	add := func(r Range, o Owner) {
		if r.Start < r.End && !slices.ContainsFunc(out, func(c claim) bool {
			return c.Start < r.End && r.Start < c.End
		}) {
			out = append(out, claim{r, o})
		}
	}
	for _, r := range p.segments {
		out = append(out, claim{r, Allocator})
	}
	if r, ok := p.goHeap(); ok {
		add(r, GoHeap)
	}
	for i := range p.mappings {
		m := &p.mappings[i]
		switch {
		case m.isFile() && images[m.path] && m.offset == 0:
			o := Data
			if m.path == p.exe {
				o = ProgramData
			}
			add(Range{p.lastOf(i), extent(p.image, m.Start)}, o)
		case !m.isPrivate() || m.resident == 0:
		case p.isArena(i):
			add(m.Range, CHeap)
		case p.isStack(i):
			add(Range{m.Start, min(m.End, m.Start+p.stack)}, Stacks)
		}
	}
	for i := range p.mappings {
		if m := &p.mappings[i]; m.isPrivate() && m.resident > 0 {
			for _, r := range p.largeBlocks(m.Range, out) {
				add(r, CHeap)
			}
		}
	}
	slices.SortFunc(out, func(a, b claim) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// lastOf returns the end of the last mapping of the file that mapping i belongs to.
func (p *process) lastOf(i int) uintptr {
	end := p.mappings[i].End
	for _, m := range p.mappings[i:] {
		if m.path == p.mappings[i].path {
			end = m.End
		}
	}
	return end
}

// goHeap returns the mappings around an object on Go's heap. The runtime reserves them as
// one range and uses it from the start.
func (p *process) goHeap() (Range, bool) {
	at := slices.IndexFunc(p.mappings, func(m mapping) bool { return m.Start <= p.object && p.object < m.End })
	if at < 0 || !p.mappings[at].isPrivate() {
		return Range{}, false
	}
	plain := func(m *mapping) bool { return m.isPrivate() || m.isReserved() }
	from, to := at, at
	for from > 0 && plain(&p.mappings[from-1]) && p.mappings[from-1].End == p.mappings[from].Start {
		from--
	}
	for to+1 < len(p.mappings) && plain(&p.mappings[to+1]) && p.mappings[to+1].Start == p.mappings[to].End {
		to++
	}
	return Range{p.mappings[from].Start, p.mappings[to].End}, true
}

// arenaSize is both the alignment and the maximum size of a malloc arena's heap.
const arenaSize = 64 << 20

// isArena reports whether mapping i is a heap of a malloc arena. glibc reserves 64 MiB for
// a heap, and makes its pages accessible as needed, beginning with the first.
func (p *process) isArena(i int) bool {
	m := &p.mappings[i]
	if m.Start%arenaSize != 0 {
		return false
	}
	full := (m.End + arenaSize - 1) / arenaSize * arenaSize
	if m.End == full {
		return true
	}
	if i+1 == len(p.mappings) {
		return false
	}
	next := &p.mappings[i+1]
	return next.isReserved() && next.Start == m.End && next.End >= full
}

// isStack reports whether mapping i begins with a thread's stack. Below a stack, the C
// library has inaccessible pages.
func (p *process) isStack(i int) bool {
	const largestGuard = 64 << 10
	if i == 0 {
		return false
	}
	guard := &p.mappings[i-1]
	return guard.isReserved() && guard.End == p.mappings[i].Start && guard.End-guard.Start <= largestGuard
}

// largeBlocks returns the blocks for which malloc called mmap. Each begins with two words:
// 0, and the block's size together with the flag for mmap.
func (p *process) largeBlocks(r Range, claims []claim) (out []Range) {
	const page, ofItsOwn, flags = 4096, 2, 7
	for at := r.Start; at < r.End; {
		if i := slices.IndexFunc(claims, func(c claim) bool { return c.Start <= at && at < c.End }); i >= 0 {
			at = claims[i].End
			continue
		}
		next := r.End
		for _, c := range claims {
			if c.Start > at {
				next = min(next, c.Start)
			}
		}
		var b [16]byte
		if !p.image(b[:], at) {
			return out
		}
		size := binary.NativeEndian.Uint64(b[8:])
		length := uintptr(size &^ flags)
		if binary.NativeEndian.Uint64(b[:]) != 0 || size&flags != ofItsOwn || length == 0 || length%page != 0 ||
			length > next-at {
			at = next
			continue
		}
		out = append(out, Range{at, at + length})
		at += length
	}
	return out
}

// defaultStack returns the default size of a thread's stack in the C library.
func defaultStack() uintptr {
	const most, unlimited = 64 << 20, 2 << 20
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &r); err != nil || r.Cur > math.MaxInt64/2 {
		return unlimited
	}
	return uintptr(min(r.Cur, most))
}
