package memory

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Summary returns the statistics of dev as a table. On CUDA it is the text of
// Python's torch.cuda.memory_summary; on the CPU it is the same table with
// wording for the CPU. [Abbreviated] leaves out the rows of the two pools.
//
// On the CPU rows at the end say what the library itself holds for long: the memory of
// graphs ([torch.Capture]). It is part of what is allocated. The [Objects] of each kind
// follow, with their number and bytes.
func Summary(dev torch.Device, opts ...SummaryOption) string {
	if dev == 0 {
		dev = torch.DefaultDevice()
	}
	s := Stats(dev)
	if !dev.IsCPU() {
		return s.Summary(dev, opts...)
	}
	return s.table(dev, named.Sums(), objects.Kinds(), opts)
}

// words are what differs between the tables of devices.
type words struct {
	device, calls, memory string
}

// Summary is like the function Summary, for statistics that were read earlier.
// A CUDA device without a number counts as the first; the zero Device is the
// default device.
func (s DeviceStats) Summary(dev torch.Device, opts ...SummaryOption) string {
	return s.table(dev, nil, nil, opts)
}

func (s DeviceStats) table(dev torch.Device, held []named.Sum, beside []objects.Group, opts []SummaryOption) string {
	short := readAbbreviated(opts)
	if dev == 0 {
		dev = torch.DefaultDevice()
	}
	w := words{"CUDA", "cudaMalloc", "GPU"}
	if dev.IsCPU() {
		w = words{"CPU", "mmap", "CPU"}
	}
	double, single := strings.Repeat("=", 75), strings.Repeat("-", 75)
	// The words are of different length; the numbers' columns give way.
	slack := len("CUDA") - len(w.device)
	lines := []string{
		double,
		fmt.Sprintf(" %16s PyTorch %s memory summary, device ID %-*d ", "", w.device, 17+slack, max(dev.Index(), 0)),
		single,
		fmt.Sprintf("  %9s %s OOMs: %-*d | %6s %s retries: %-*d  ", "", w.device, 12+slack, s.NumOOMs,
			"", w.calls, 8+len("cudaMalloc")-len(w.calls), s.NumAllocRetries),
		double,
		"        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
	}
	row := func(name string, format func(v, scale int64) string, v, scale Stat) {
		lines = append(lines, fmt.Sprintf(" %-21s | %s | %s | %s | %s ", name,
			format(v.Current, scale.Current), format(v.Peak, scale.Peak),
			format(v.Allocated, scale.Allocated), format(v.Freed, scale.Freed)))
	}
	for _, m := range []struct {
		name   string
		pools  Pools
		format func(v, scale int64) string
	}{
		{"Allocated memory", s.AllocatedBytes, units.InScale},
		{"Active memory", s.ActiveBytes, units.InScale},
		{"Requested memory", s.RequestedBytes, units.InScale},
		{w.memory + " reserved memory", s.ReservedBytes, units.InScale},
		{"Non-releasable memory", s.InactiveSplitBytes, units.InScale},
		{"Allocations", s.Allocation, units.CountInScale},
		{"Active allocs", s.Active, units.CountInScale},
		{w.memory + " reserved segments", s.Segment, units.CountInScale},
		{"Non-releasable allocs", s.InactiveSplit, units.CountInScale},
	} {
		lines = append(lines, single)
		// The pools are shown in the unit of their sum.
		row(m.name, m.format, m.pools.All, m.pools.All)
		if !short {
			row("      from large pool", m.format, m.pools.LargePool, m.pools.All)
			row("      from small pool", m.format, m.pools.SmallPool, m.pools.All)
		}
	}
	lines = append(lines, single)
	row("Oversize allocations", units.CountInScale, s.OversizeAllocations, s.OversizeAllocations)
	lines = append(lines, single)
	row("Oversize "+w.memory+" segments", units.CountInScale, s.OversizeSegments, s.OversizeSegments)
	for _, h := range held {
		sum := Stat{h.Current, h.Peak, h.Allocated, h.Freed}
		lines = append(lines, single)
		row(h.Kind, units.InScale, sum, sum)
	}
	if len(beside) > 0 {
		lines = append(lines, double,
			"     Beside tensors    |   Count    |   Bytes    |            |            ", single)
	}
	for _, o := range beside {
		bytes := strings.TrimSpace(units.InScale(o.Bytes, o.Bytes))
		switch {
		case o.Bytes == 0:
			bytes = ""
		case !o.Exact:
			bytes = "~" + bytes
		}
		lines = append(lines, fmt.Sprintf(" %-21s | %10d | %10s | %10s | %10s ", o.Kind, o.Count, bytes, "", ""))
	}
	lines = append(lines, double)
	return "|" + strings.Join(lines, "|\n|") + "|\n"
}
