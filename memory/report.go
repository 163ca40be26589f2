package memory

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Report returns a short text about the memory of the process. It covers CPU tensors, the
// allocator's cache, the heaps of C and Go, and the [Objects] of each kind.
func Report() string {
	s := Stats(torch.CPU)
	var g runtime.MemStats
	runtime.ReadMemStats(&g)
	p := Process()

	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	req, alloc, res := s.RequestedBytes.All, s.AllocatedBytes.All, s.ReservedBytes.All
	free := res.Current - alloc.Current
	fmt.Fprintf(&b, "native memory on cpu (%s allocator)\n", Backend(torch.CPU))
	line("live", "%s in %s, %s after rounding up", units.Size(req.Current), countOf(s.Allocation.All.Current, "block"),
		units.Size(alloc.Current))
	line("peak", "%s requested, %s reserved", units.Size(req.Peak), units.Size(res.Peak))
	line("cached", "%s free for reuse, %s of it in segments that also hold blocks in use", units.Size(free),
		units.Size(s.InactiveSplitBytes.All.Current))
	line("reserved", "%s in %s", units.Size(res.Current), countOf(s.Segment.All.Current, "segment"))
	line("traffic", "%s in %s, %s to the system", units.Size(req.Allocated),
		countOf(s.Allocation.All.Allocated, "allocation"), countOf(s.NumDeviceAlloc, "call"))
	limit := "none"
	if l := Limit(torch.CPU); l > 0 {
		limit = units.Size(l)
	}
	line("limit", "%s, cache emptied to make room %s, out of memory %s", limit, countOf(s.NumAllocRetries, "time"),
		countOf(s.NumOOMs, "time"))
	b.WriteString("process\n")
	if p.Resident > 0 {
		line("resident", "%s, at most %s", units.Size(p.Resident), units.Size(p.PeakResident))
	}
	if p.CHeap > 0 {
		line("c heap", "%s in use: libtorch's tables, graphs, oneDNN's kernels, %s of MKL's scratch space; %s free",
			units.Size(p.CHeap), units.Size(p.Scratch), units.Size(p.CHeapFree))
	}
	for _, o := range objects.Kinds() {
		text := strconv.FormatInt(o.Count, 10)
		if size := sizeOf(o.Bytes, o.Exact); size != "" {
			text += ", " + size
		}
		line(o.Kind, "%s", text)
	}
	line("go", "%s live on the heap, %s from the system, %s", units.Size(int64(g.HeapAlloc)),
		units.Size(int64(g.Sys-g.HeapReleased)), countOf(int64(g.NumGC), "collection"))
	return b.String()
}

// countOf returns a count with a noun in the right form, such as "1 block" or "2 blocks".
func countOf(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
