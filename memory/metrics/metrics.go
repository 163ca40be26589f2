// Package metrics exports metrics of tensors, their memory and garbage collections to
// monitoring systems. [Handler] serves them to Prometheus, and [Publish] adds them to
// package expvar. The separate module memory/otel exports them to OpenTelemetry. [Read]
// returns them to programs that use a different metrics library.
//
// docs/deploy.md shows which metrics to plot and when to raise an alert.
package metrics

// Kind is the type of a metric.
type Kind string

// The kinds.
const (
	KindGauge   Kind = "gauge"   // goes up and down
	KindCounter Kind = "counter" // starts at 0 when the process starts, and only increases
)

// Metric is a metric with one sample, or with several samples that differ in a label.
type Metric struct {
	Name     string // Prometheus' name, such as "gotorch_memory_reserved_bytes"
	OTelName string // OpenTelemetry's name, such as "gotorch.memory.reserved"
	Unit     string // OpenTelemetry's unit, such as "By" for bytes, "s" or "{tensor}"
	Help     string // one sentence
	Kind     Kind
	Samples  []Sample // empty in the results of Describe
}

// Sample is one value of a metric.
type Sample struct {
	Labels []Label // such as device "cpu"; nil for a metric with one sample
	Value  float64
}

// Label distinguishes the samples of one metric.
type Label struct{ Name, Value string }

// Read returns all metrics that have samples, sorted by name:
//
//	gotorch_c_heap_bytes                   by state: used, free
//	gotorch_collection_threshold_bytes     native memory that starts the next collection
//	gotorch_collection_time_seconds_total  time of collections caused by native memory
//	gotorch_collection_timeouts_total      times that waiting for frees was given up
//	gotorch_collections_total              collections caused by native memory
//	gotorch_device_memory_free_bytes       by device: free memory of the device or container
//	gotorch_device_memory_size_bytes       by device: memory of the device or container
//	gotorch_go_heap_bytes                  objects on Go's heap
//	gotorch_listed_memory_bytes            by kind and device, while memory.TrackTensors is on
//	gotorch_listed_tensors                 by kind and device, while memory.TrackTensors is on
//	gotorch_memory_allocated_bytes         by device: blocks that tensors hold
//	gotorch_memory_allocations             by device: allocations since memory.ResetAccumulated
//	gotorch_memory_cached_bytes            by device: free blocks that the allocator keeps
//	gotorch_memory_limit_bytes             by device, if memory.SetLimit set a limit
//	gotorch_memory_peak_allocated_bytes    by device: peak since memory.ResetPeak
//	gotorch_memory_requested_bytes         by device: bytes requested by tensors
//	gotorch_memory_reserved_bytes          by device: memory obtained from the system
//	gotorch_object_memory_bytes            by kind: objects that are not tensors, see memory.Objects
//	gotorch_objects                        by kind: objects that are not tensors
//	gotorch_operators_out_of_memory_total  by result: recovered by a second call, or failed
//	gotorch_resident_bytes                 resident memory of the process
//	gotorch_resident_peak_bytes            peak of the resident memory
//	gotorch_system_memory_bytes            memory of the machine or container, ignoring memory.SetLimit
//	gotorch_tensors                        open tensors
//
// Metrics that the system does not provide are left out. Read usually takes less than a
// millisecond, and more if malloc has many free blocks; see [memory.Process]. While tensors
// are tracked it also takes about 3 microseconds per listed tensor.
func Read() []Metric {
	now := readMoment()
	var out []Metric
	for _, s := range sources() {
		if s.Samples = s.read(now); len(s.Samples) > 0 {
			out = append(out, s.Metric)
		}
	}
	return out
}

// Describe returns every metric that Read may return, without samples and sorted by name.
// Use it with libraries that must know the metrics before they read the values.
func Describe() []Metric {
	all := sources()
	out := make([]Metric, len(all))
	for i, s := range all {
		out[i] = s.Metric
	}
	return out
}
