// Package metrics tells monitoring systems what tensors, their memory and their collections
// are doing in a server: [Handler] is a page for Prometheus, [Publish] a variable of package
// expvar. [Read] returns the same figures to programs that have a library for metrics.
//
// docs/deploy.md shows which of them to draw and when to raise an alarm.
package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/torch"
)

// Kind says how a metric behaves.
type Kind string

// The kinds.
const (
	KindGauge   Kind = "gauge"   // goes up and down
	KindCounter Kind = "counter" // only goes up, from 0 at the start of the process
)

// Metric is a figure, or several that differ in a label.
type Metric struct {
	Name    string // such as "gotorch_memory_reserved_bytes"
	Help    string // a sentence
	Kind    Kind
	Samples []Sample // never empty
}

// Sample is one value of a metric.
type Sample struct {
	Labels []Label // such as device "cpu"; nil for a metric with one sample
	Value  float64
}

// Label tells samples of one metric apart.
type Label struct{ Name, Value string }

// Read returns all metrics, sorted by name:
//
//	gotorch_c_heap_bytes                   by state: used, free
//	gotorch_collection_seconds_total       spent in collections that native memory caused
//	gotorch_collection_threshold_bytes     at which the next one starts
//	gotorch_collection_timeouts_total      waits for frees that were given up
//	gotorch_collections_total              collections that native memory caused
//	gotorch_device_memory_bytes            by device: what there is, or what the container may have
//	gotorch_device_memory_free_bytes       by device: what is left of it
//	gotorch_go_heap_bytes                  Go's objects
//	gotorch_listed_bytes                   by kind and device, while memory.TrackTensors is on
//	gotorch_listed_tensors                 likewise
//	gotorch_memory_allocated_bytes         by device: blocks that tensors hold
//	gotorch_memory_allocations_total       by device
//	gotorch_memory_cached_bytes            by device: free blocks that the allocator keeps
//	gotorch_memory_limit_bytes             by device, where memory.SetLimit set one
//	gotorch_memory_peak_allocated_bytes    by device: the most so far
//	gotorch_memory_requested_bytes         by device: what tensors asked for
//	gotorch_memory_reserved_bytes          by device: what the allocator has from the system
//	gotorch_operators_out_of_memory_total  by result: recovered after a second call, failed
//	gotorch_resident_bytes                 of the process
//	gotorch_resident_peak_bytes            the most so far
//	gotorch_tensors                        open tensors
//
// Those that the system does not tell are left out. Read takes less than a millisecond as a
// rule; see [memory.Process] for what a large heap of malloc's costs. While tensors are tracked
// it also walks their list, half a microsecond for each.
func Read() []Metric {
	var r reader
	r.process()
	r.collections()
	for _, d := range device.Used() {
		r.device(d)
	}
	r.listed()
	slices.SortFunc(r.out, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return r.out
}

// reader collects metrics.
type reader struct{ out []Metric }

// add adds a sample. The first one of a name says what the metric is.
func (r *reader) add(kind Kind, name, help string, value int64, labels ...Label) {
	r.addFloat(kind, name, help, float64(value), labels...)
}

func (r *reader) addFloat(kind Kind, name, help string, value float64, labels ...Label) {
	i := slices.IndexFunc(r.out, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		i = len(r.out)
		r.out = append(r.out, Metric{Name: name, Help: help, Kind: kind})
	}
	r.out[i].Samples = append(r.out[i].Samples, Sample{labels, value})
}

func (r *reader) process() {
	p := memory.Process()
	r.add(KindGauge, "gotorch_tensors", "Open tensors.", torch.NumLiveTensors())
	r.add(KindGauge, "gotorch_go_heap_bytes", "Objects on Go's heap, dead ones included that are not collected yet.", p.GoHeap)
	if p.Resident > 0 {
		r.add(KindGauge, "gotorch_resident_bytes", "Resident memory of the process.", p.Resident)
		r.add(KindGauge, "gotorch_resident_peak_bytes", "The most resident memory that the process has had.", p.PeakResident)
	}
	if p.CHeap > 0 {
		const name, help = "gotorch_c_heap_bytes", "The C library's heap, where libtorch keeps all but the elements of tensors, by state."
		r.add(KindGauge, name, help, p.CHeap, Label{"state", "used"})
		r.add(KindGauge, name, help, p.CHeapFree, Label{"state", "free"})
	}
}

func (r *reader) collections() {
	g := memory.GC()
	r.add(KindCounter, "gotorch_collections_total", "Garbage collections that native memory caused.", g.Collections)
	r.addFloat(KindCounter, "gotorch_collection_seconds_total", "Time spent in these collections, the wait for frees included.", g.Time.Seconds())
	r.add(KindCounter, "gotorch_collection_timeouts_total", "Waits for frees that were given up.", g.Timeouts)
	if g.Threshold < math.MaxInt64 {
		r.add(KindGauge, "gotorch_collection_threshold_bytes", "Native memory at which the next collection starts.", g.Threshold)
	}
	const name, help = "gotorch_operators_out_of_memory_total", "Operators that ran out of memory, by what became of them."
	r.add(KindCounter, name, help, g.Recovered, Label{"result", "recovered"})
	r.add(KindCounter, name, help, g.Failed, Label{"result", "failed"})
}

func (r *reader) device(d torch.Device) {
	of := Label{"device", d.String()}
	s := memory.Stats(d)
	allocated, reserved := s.AllocatedBytes.All, s.ReservedBytes.All
	r.add(KindGauge, "gotorch_memory_requested_bytes", "Bytes that tensors asked for, by device.", s.RequestedBytes.All.Current, of)
	r.add(KindGauge, "gotorch_memory_allocated_bytes", "Bytes in blocks that tensors hold, by device.", allocated.Current, of)
	r.add(KindGauge, "gotorch_memory_peak_allocated_bytes", "The most bytes in blocks that tensors held, by device.", allocated.Peak, of)
	r.add(KindGauge, "gotorch_memory_reserved_bytes", "Bytes that the allocator has from the system, by device.", reserved.Current, of)
	r.add(KindGauge, "gotorch_memory_cached_bytes", "Bytes in free blocks that the allocator keeps, by device.", reserved.Current-allocated.Current, of)
	r.add(KindCounter, "gotorch_memory_allocations_total", "Allocations, by device.", s.Allocation.All.Allocated, of)
	if limit := memory.Limit(d); limit > 0 {
		r.add(KindGauge, "gotorch_memory_limit_bytes", "The limit on what the allocator may reserve, by device.", limit, of)
	}
	if free, total, err := memory.MemGetInfo(d); err == nil {
		r.add(KindGauge, "gotorch_device_memory_bytes", "Memory that the device has, or that the container or the limit allows.", total, of)
		r.add(KindGauge, "gotorch_device_memory_free_bytes", "What is left of it.", free, of)
	}
}

// listed sums the tensors that memory.TrackTensors lists.
func (r *reader) listed() {
	type group struct{ kind, device string }
	type sum struct{ count, bytes float64 }
	sums := map[group]sum{}
	for _, t := range memory.LiveTensors() {
		g := group{string(t.Kind), t.Device.String()}
		s := sums[g]
		sums[g] = sum{s.count + t.Weight, s.bytes + t.Weight*float64(t.Bytes)}
	}
	groups := make([]group, 0, len(sums))
	for g := range sums {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.device, b.device)) })
	for _, g := range groups {
		labels := []Label{{"kind", g.kind}, {"device", g.device}}
		r.addFloat(KindGauge, "gotorch_listed_tensors", "Open tensors on the list of memory.TrackTensors, by kind and device.", sums[g].count, labels...)
		r.addFloat(KindGauge, "gotorch_listed_bytes", "Bytes that they hold, each storage once.", sums[g].bytes, labels...)
	}
}
