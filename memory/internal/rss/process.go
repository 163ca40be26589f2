package rss

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"syscall"
)

// process is what there is to know of a process's mappings.
type process struct {
	mappings []mapping
	exe      string
	segments []Range // of the CPU allocator
	object   uintptr // the address of an object of Go's
	stack    uintptr // the size of a thread's stack
	image    func(b []byte, at uintptr) bool
	present  func(Range) (int64, bool)
}

// claim is a range with a known owner.
type claim struct {
	Range
	owner Owner
}

// usage sums the resident bytes. What is in a claim has its owner; all else goes by what the
// mapping is.
func (p *process) usage() *Usage {
	u := &Usage{files: map[string]int64{}}
	images := map[string]bool{}
	for i := range p.mappings {
		if m := &p.mappings[i]; m.file() && m.executable() {
			images[m.path] = true
		}
	}
	claims := p.claims(images)
	for i := range p.mappings {
		m := &p.mappings[i]
		left := m.resident
		u.Total += left
		first, _ := slices.BinarySearchFunc(claims, m.Start, func(c claim, at uintptr) int { return cmp.Compare(c.End, at+1) })
		for _, c := range claims[first:] {
			if c.Start >= m.End || left == 0 {
				break
			}
			bytes := p.share(m, Range{max(c.Start, m.Start), min(c.End, m.End)}, left)
			u.by[c.owner] += bytes
			left -= bytes
		}
		p.otherwise(u, m, left, images)
	}
	return u
}

// share returns how many of the resident bytes of a mapping lie in a part of it.
func (p *process) share(m *mapping, part Range, left int64) int64 {
	if part == m.Range {
		return left
	}
	bytes, ok := p.present(part)
	if !ok {
		bytes = int64(float64(m.resident) * float64(part.End-part.Start) / float64(m.End-m.Start))
	}
	return min(bytes, left)
}

// otherwise adds the bytes of a mapping that nobody claims.
func (p *process) otherwise(u *Usage, m *mapping, bytes int64, images map[string]bool) {
	switch {
	case bytes == 0:
	case m.path == "[heap]" || strings.HasPrefix(m.path, "[anon: glibc: malloc"):
		u.by[CHeap] += bytes
	case m.path == "[stack]" || strings.HasPrefix(m.path, "[anon: glibc: pthread stack"):
		u.by[Stacks] += bytes
	case strings.HasPrefix(m.path, "[anon: Go: heap"):
		u.by[GoHeap] += bytes
	case strings.HasPrefix(m.path, "[anon: Go:"):
		u.by[GoRuntime] += bytes
	case images[m.path]:
		code, data := Code, Data
		if m.path == p.exe {
			code, data = ProgramCode, ProgramData
		}
		changed := min(m.anonymous, bytes)
		u.by[data] += changed
		u.by[code] += bytes - changed
	case shared(m):
		u.by[Shared] += bytes
	case m.file():
		u.by[Files] += bytes
		u.files[m.path] += bytes
	case m.path == "" && m.executable():
		u.by[Compiled] += bytes
	default:
		u.by[Rest] += bytes
	}
}

// shared says that a mapping is memory that other processes may have too.
func shared(m *mapping) bool {
	for _, at := range []string{"/dev/shm/", "/dev/zero", "/memfd:", "/SYSV"} {
		if strings.HasPrefix(m.path, at) {
			return true
		}
	}
	return m.path == "" && strings.HasSuffix(m.perms, "s")
}

// claims returns the ranges with an owner, in the order of addresses; none overlap.
func (p *process) claims(images map[string]bool) []claim {
	var out []claim
	add := func(r Range, o Owner) {
		if r.Start < r.End && !slices.ContainsFunc(out, func(c claim) bool { return c.Start < r.End && r.Start < c.End }) {
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
		case m.file() && images[m.path] && m.offset == 0:
			o := Data
			if m.path == p.exe {
				o = ProgramData
			}
			add(Range{p.lastOf(i), extent(p.image, m.Start)}, o)
		case !m.private() || m.resident == 0:
		case p.isArena(i):
			add(m.Range, CHeap)
		case p.isStack(i):
			add(Range{m.Start, min(m.End, m.Start+p.stack)}, Stacks)
		}
	}
	for i := range p.mappings {
		if m := &p.mappings[i]; m.private() && m.resident > 0 {
			for _, r := range p.largeBlocks(m.Range, out) {
				add(r, CHeap)
			}
		}
	}
	slices.SortFunc(out, func(a, b claim) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// lastOf returns the end of the last mapping of the file of mapping i, of those that follow.
func (p *process) lastOf(i int) uintptr {
	end := p.mappings[i].End
	for _, m := range p.mappings[i:] {
		if m.path == p.mappings[i].path {
			end = m.End
		}
	}
	return end
}

// goHeap returns the mappings around an object of Go's, which the runtime reserves as one
// range that it uses from the beginning.
func (p *process) goHeap() (Range, bool) {
	at := slices.IndexFunc(p.mappings, func(m mapping) bool { return m.Start <= p.object && p.object < m.End })
	if at < 0 || !p.mappings[at].private() {
		return Range{}, false
	}
	plain := func(m *mapping) bool { return m.private() || m.reserved() }
	from, to := at, at
	for from > 0 && plain(&p.mappings[from-1]) && p.mappings[from-1].End == p.mappings[from].Start {
		from--
	}
	for to+1 < len(p.mappings) && plain(&p.mappings[to+1]) && p.mappings[to+1].Start == p.mappings[to].End {
		to++
	}
	return Range{p.mappings[from].Start, p.mappings[to].End}, true
}

// arenaSize is what a heap of malloc's begins at a multiple of, and how large it may become.
const arenaSize = 64 << 20

// isArena says that mapping i is a heap of a malloc arena: glibc reserves 64 MiB and makes
// them accessible from the beginning.
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
	return next.reserved() && next.Start == m.End && next.End >= full
}

// isStack says that mapping i begins with a thread's stack: the C library puts pages below
// it that nobody can read.
func (p *process) isStack(i int) bool {
	const largestGuard = 64 << 10
	if i == 0 {
		return false
	}
	guard := &p.mappings[i-1]
	return guard.reserved() && guard.End == p.mappings[i].Start && guard.End-guard.Start <= largestGuard
}

// largeBlocks returns the blocks that malloc got from the system one by one: each begins
// with two words, 0 and its size with the bit of such blocks.
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
		if binary.NativeEndian.Uint64(b[:]) != 0 || size&flags != ofItsOwn || length == 0 || length%page != 0 || length > next-at {
			at = next
			continue
		}
		out = append(out, Range{at, at + length})
		at += length
	}
	return out
}

// defaultStack returns how large the C library makes the stacks of threads.
func defaultStack() uintptr {
	const most, unlimited = 64 << 20, 2 << 20
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &r); err != nil || r.Cur > math.MaxInt64/2 {
		return unlimited
	}
	return uintptr(min(r.Cur, most))
}
