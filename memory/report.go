package memory

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Report explains in a few lines where the process's memory is: what tensors on
// the CPU hold, what the allocator keeps, and what the C library and Go have.
func Report() string {
	s := Stats(torch.CPU)
	var g runtime.MemStats
	runtime.ReadMemStats(&g)
	p := Process()

	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s %s\n", label, fmt.Sprintf(format, args...))
	}
	req, alloc, res := s.RequestedBytes.All, s.AllocatedBytes.All, s.ReservedBytes.All
	free := res.Current - alloc.Current
	fmt.Fprintf(&b, "native memory on cpu (%s allocator)\n", Backend(torch.CPU))
	line("live", "%s in %d blocks, %s with rounding", units.Size(req.Current), s.Allocation.All.Current, units.Size(alloc.Current))
	line("peak", "%s requested, %s reserved", units.Size(req.Peak), units.Size(res.Peak))
	line("cached", "%s free for reuse, %s of it between blocks in use", units.Size(free), units.Size(s.InactiveSplitBytes.All.Current))
	line("reserved", "%s in %d segments", units.Size(res.Current), s.Segment.All.Current)
	line("traffic", "%s in %d allocations, %d calls to the system", units.Size(req.Allocated), s.Allocation.All.Allocated, s.NumDeviceAlloc)
	limit := "none"
	if l := Limit(torch.CPU); l > 0 {
		limit = units.Size(l)
	}
	line("limit", "%s, cache emptied for room %d times, out of memory %d times", limit, s.NumAllocRetries, s.NumOOMs)
	b.WriteString("process\n")
	if p.Resident > 0 {
		line("resident", "%s, at most %s", units.Size(p.Resident), units.Size(p.PeakResident))
	}
	if p.CHeap > 0 {
		line("c heap", "%s in use: %s of MKL's scratch space, oneDNN's kernels, graphs; %s free", units.Size(p.CHeap), units.Size(p.Scratch), units.Size(p.CHeapFree))
	}
	line("go", "%s live on the heap, %s from the system, %d collections", units.Size(int64(g.HeapAlloc)), units.Size(int64(g.Sys-g.HeapReleased)), g.NumGC)
	return b.String()
}
