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
// Python's torch.cuda.memory_summary. On the CPU it is the same table with slightly
// different words. [Abbreviated] leaves out the rows of the two pools.
//
// On the CPU the table also has the memory of captured graphs ([torch.Capture]), which is
// part of the allocated memory, and the number and bytes of the [Objects] of each kind.
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

// words are the parts of the table that differ between devices.
type words struct {
	device, calls, memory string
}

// Summary returns the table of the function [Summary] for statistics that were read
// earlier. A CUDA device without a number means the first one. The zero Device is
// the default device.
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
	// Adjust the columns to the different lengths of the words.
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
		// The pools have the same unit as their sum.
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
