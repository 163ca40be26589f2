package memory

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Summary returns the statistics of dev as a table. On CUDA it is the text of Python's
// torch.cuda.memory_summary. On the CPU it is the same table with slightly different
// wording. The option [Abbreviated] omits the rows about the small pool and the large
// pool.
//
// On the CPU the table also has the memory of captured graphs ([torch.Capture]) and of
// gradient buckets (package nn/parallel). Both are part of the allocated memory. Below
// them are the number and bytes of the [Objects] of each kind. docs/memory.md explains
// each row.
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
	w := tableWords{"CUDA", "cudaMalloc", "GPU"}
	if dev.IsCPU() {
		w = tableWords{"CPU", "mmap", "CPU"}
	}
	var t summaryTable
	t.title(w, dev, s)
	t.metrics(w, s, short)
	for _, h := range held {
		t.add(single)
		t.row(h.Kind, units.InScale, Stat{h.Current, h.Peak, h.Allocated, h.Freed})
	}
	t.addObjects(beside)
	t.add(double)
	return "|" + strings.Join(t.lines, "|\n|") + "|\n"
}

// tableWords are the words of the table that depend on the device.
type tableWords struct {
	device, calls, memory string
}

// summaryTable contains the lines of a table, without the vertical bars at both ends.
type summaryTable struct{ lines []string }

const (
	double = "==========================================================================="
	single = "---------------------------------------------------------------------------"
)

func (t *summaryTable) add(lines ...string) { t.lines = append(t.lines, lines...) }

// title adds the head of the table: the device, the number of errors, and the names of the
// columns.
func (t *summaryTable) title(w tableWords, dev torch.Device, s DeviceStats) {
	// Adjust the widths of the columns to the lengths of the device's words.
	slack := len("CUDA") - len(w.device)
	t.add(
		double,
		fmt.Sprintf(" %16s PyTorch %s memory summary, device ID %-*d ", "", w.device, 17+slack, max(dev.Index(), 0)),
		single,
		fmt.Sprintf("  %9s %s OOMs: %-*d | %6s %s retries: %-*d  ", "", w.device, 12+slack, s.NumOOMs,
			"", w.calls, 8+len("cudaMalloc")-len(w.calls), s.NumAllocRetries),
		double,
		"        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
	)
}

// metrics adds the rows that PyTorch's table has. A short table has no rows for
// individual pools.
func (t *summaryTable) metrics(w tableWords, s DeviceStats, short bool) {
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
		t.add(single)
		t.row(m.name, m.format, m.pools.All)
		if !short {
			t.rowInScale("      from large pool", m.format, m.pools.LargePool, m.pools.All)
			t.rowInScale("      from small pool", m.format, m.pools.SmallPool, m.pools.All)
		}
	}
	t.add(single)
	t.row("Oversize allocations", units.CountInScale, s.OversizeAllocations)
	t.add(single)
	t.row("Oversize "+w.memory+" segments", units.CountInScale, s.OversizeSegments)
}

func (t *summaryTable) row(name string, format func(v, scale int64) string, v Stat) {
	t.rowInScale(name, format, v, v)
}

// rowInScale adds a row for v, in the unit that suits a value of scale.
func (t *summaryTable) rowInScale(name string, format func(v, scale int64) string, v, scale Stat) {
	t.add(fmt.Sprintf(" %-21s | %s | %s | %s | %s ", name,
		format(v.Current, scale.Current), format(v.Peak, scale.Peak),
		format(v.Allocated, scale.Allocated), format(v.Freed, scale.Freed)))
}

// addObjects adds rows for the objects that are not tensors.
func (t *summaryTable) addObjects(groups []objects.Group) {
	if len(groups) > 0 {
		t.add(double, "     Beside tensors    |   Count    |   Bytes    |            |            ", single)
	}
	for _, o := range groups {
		bytes := strings.TrimSpace(units.InScale(o.Bytes, o.Bytes))
		switch {
		case o.Bytes == 0:
			bytes = ""
		case !o.Exact:
			bytes = "~" + bytes
		}
		t.add(fmt.Sprintf(" %-21s | %10d | %10s | %10s | %10s ", o.Kind, o.Count, bytes, "", ""))
	}
}
