// Package metrics exports metrics of tensors, their memory and garbage collections to
// monitoring systems. [Handler] serves them to Prometheus, and [Publish] adds them to
// package expvar. [Read] returns them to programs that use another metrics library.
//
// docs/deploy.md shows which metrics to plot and when to raise an alert.
package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/torch"
)

// Kind is the type of a metric.
type Kind string

// The kinds.
const (
	KindGauge   Kind = "gauge"   // goes up and down
	KindCounter Kind = "counter" // only goes up, from 0 at the start of the process
)

// Metric is a metric with one sample, or with several samples that differ in a label.
type Metric struct {
	Name    string // such as "gotorch_memory_reserved_bytes"
	Help    string // one sentence
	Kind    Kind
	Samples []Sample // never empty
}

// Sample is one value of a metric.
type Sample struct {
	Labels []Label // such as device "cpu"; nil for a metric with one sample
	Value  float64
}

// Label distinguishes the samples of one metric.
type Label struct{ Name, Value string }

// Read returns all metrics, sorted by name:
//
//	gotorch_c_heap_bytes                   by state: used, free
//	gotorch_collection_seconds_total       time of collections caused by native memory
//	gotorch_collection_threshold_bytes     native memory that starts the next collection
//	gotorch_collection_timeouts_total      waits for frees that were given up
//	gotorch_collections_total              collections caused by native memory
//	gotorch_device_memory_bytes            by device: memory of the device or container
//	gotorch_device_memory_free_bytes       by device: free memory of the device or container
//	gotorch_go_heap_bytes                  objects on Go's heap
//	gotorch_listed_bytes                   by kind and device, while memory.TrackTensors is on
//	gotorch_listed_tensors                 by kind and device, while memory.TrackTensors is on
//	gotorch_memory_allocated_bytes         by device: blocks that tensors hold
//	gotorch_memory_allocations             by device: allocations since memory.ResetAccumulated
//	gotorch_memory_cached_bytes            by device: free blocks that the allocator keeps
//	gotorch_memory_limit_bytes             by device, if memory.SetLimit set a limit
//	gotorch_memory_peak_allocated_bytes    by device: peak since memory.ResetPeak
//	gotorch_memory_requested_bytes         by device: bytes requested by tensors
//	gotorch_memory_reserved_bytes          by device: memory obtained from the system
//	gotorch_object_bytes                   by kind: objects that are not tensors, see memory.Objects
//	gotorch_objects                        by kind: objects that are not tensors
//	gotorch_operators_out_of_memory_total  by result: recovered by a second call, or failed
//	gotorch_resident_bytes                 resident memory of the process
//	gotorch_resident_peak_bytes            peak of the resident memory
//	gotorch_system_memory_bytes            memory of the machine or container, whatever memory.SetLimit is
//	gotorch_tensors                        open tensors
//
// Metrics that the system does not provide are left out. Read usually takes less than a
// millisecond, and more if malloc has many free blocks; see [memory.Process]. While tensors
// are tracked it also takes half a microsecond per listed tensor.
func Read() []Metric {
	var r reader
	r.process()
	r.collections()
	for _, d := range device.Used() {
		r.device(d)
	}
	r.objects()
	r.listed()
	slices.SortFunc(r.out, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return r.out
}

// reader collects metrics.
type reader struct{ out []Metric }

// add adds a sample. The first sample of a name defines the metric.
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
	r.add(KindGauge, "gotorch_go_heap_bytes", "Objects on Go's heap, including garbage that is not collected yet.",
		p.GoHeap)
	if _, total, err := device.SystemMemory(); err == nil {
		r.add(KindGauge, "gotorch_system_memory_bytes", "Memory of the machine, or the limit of the container.", total)
	}
	if p.Resident > 0 {
		r.add(KindGauge, "gotorch_resident_bytes", "Resident memory of the process.", p.Resident)
		r.add(KindGauge, "gotorch_resident_peak_bytes", "Peak resident memory of the process.", p.PeakResident)
	}
	if p.CHeap > 0 {
		const name = "gotorch_c_heap_bytes"
		const help = "The C library's heap, where libtorch keeps everything except the elements of tensors, by state."
		r.add(KindGauge, name, help, p.CHeap, Label{"state", "used"})
		r.add(KindGauge, name, help, p.CHeapFree, Label{"state", "free"})
	}
}

func (r *reader) collections() {
	g := memory.GC()
	r.add(KindCounter, "gotorch_collections_total", "Garbage collections that native memory caused.", g.Collections)
	r.addFloat(KindCounter, "gotorch_collection_seconds_total",
		"Time spent in these collections, including the wait for frees.", g.Time.Seconds())
	r.add(KindCounter, "gotorch_collection_timeouts_total", "Waits for frees that were given up.", g.Timeouts)
	if g.Threshold < math.MaxInt64 {
		r.add(KindGauge, "gotorch_collection_threshold_bytes", "Native memory at which the next collection starts.",
			g.Threshold)
	}
	const name = "gotorch_operators_out_of_memory_total"
	const help = "Operators that ran out of memory, by result of a second call."
	r.add(KindCounter, name, help, g.Recovered, Label{"result", "recovered"})
	r.add(KindCounter, name, help, g.Failed, Label{"result", "failed"})
}

func (r *reader) device(d torch.Device) {
	of := Label{"device", d.String()}
	s := memory.Stats(d)
	allocated, reserved := s.AllocatedBytes.All, s.ReservedBytes.All
	r.add(KindGauge, "gotorch_memory_requested_bytes", "Bytes requested by tensors, by device.",
		s.RequestedBytes.All.Current, of)
	r.add(KindGauge, "gotorch_memory_allocated_bytes", "Bytes in blocks that tensors hold, by device.",
		allocated.Current, of)
	r.add(KindGauge, "gotorch_memory_peak_allocated_bytes", "Peak of the bytes in blocks that tensors hold since memory.ResetPeak, by device.",
		allocated.Peak, of)
	r.add(KindGauge, "gotorch_memory_reserved_bytes", "Bytes that the allocator obtained from the system, by device.",
		reserved.Current, of)
	r.add(KindGauge, "gotorch_memory_cached_bytes", "Bytes in free blocks that the allocator keeps, by device.",
		reserved.Current-allocated.Current, of)
	r.add(KindGauge, "gotorch_memory_allocations", "Allocations since memory.ResetAccumulated, by device.",
		s.Allocation.All.Allocated, of)
	if limit := memory.Limit(d); limit > 0 {
		r.add(KindGauge, "gotorch_memory_limit_bytes", "The limit on what the allocator may reserve, by device.", limit,
			of)
	}
	if free, total, err := memory.MemGetInfo(d); err == nil {
		r.add(KindGauge, "gotorch_device_memory_bytes",
			"Memory of the device, or the limit of the container or program, by device.", total, of)
		r.add(KindGauge, "gotorch_device_memory_free_bytes",
			"Free memory of the device, or within the limit, by device.", free, of)
	}
}

// objects adds the totals of the objects that are not tensors. Graph nodes are always there.
func (r *reader) objects() {
	all := objects.Kinds()
	if nodes, _ := objects.Counts(); nodes == 0 {
		all = append(all, objects.Group{Kind: objects.Nodes})
	}
	for _, g := range all {
		kind := Label{"kind", g.Kind}
		r.add(KindGauge, "gotorch_objects", "Objects that hold native memory and are not tensors, by kind.", g.Count, kind)
		r.add(KindGauge, "gotorch_object_bytes", "Bytes of these objects, mostly estimates; 0 if unknown.", g.Bytes, kind)
	}
}

// listed adds the totals of the tensors that memory.TrackTensors lists.
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
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.device, b.device))
	})
	for _, g := range groups {
		labels := []Label{{"kind", g.kind}, {"device", g.device}}
		r.addFloat(KindGauge, "gotorch_listed_tensors",
			"Open tensors on the list of memory.TrackTensors, by kind and device.", sums[g].count, labels...)
		r.addFloat(KindGauge, "gotorch_listed_bytes", "Bytes that these tensors hold, each storage once.",
			sums[g].bytes, labels...)
	}
}
