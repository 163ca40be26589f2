package metrics

import (
	"math"
	"strings"
)

// source is a metric and the function that reads its samples. read returns no samples if
// the system does not provide them.
type source struct {
	Metric
	read func(*moment) []Sample
}

// sources returns all metrics, sorted by name.
func sources() []source {
	return []source{
		gauge("gotorch.c_heap", "By",
			"The C library's heap, where libtorch keeps everything except the elements of tensors, by state.", cHeap),
		gauge("gotorch.collection.threshold", "By", "Native memory at which the next collection starts.", threshold),
		counter("gotorch.collection.time", "s",
			"Time of the garbage collections that native memory caused, including the wait for frees.",
			func(m *moment) []Sample { return unlabeled(m.gc.Time.Seconds()) }),
		counter("gotorch.collection.timeouts", "{timeout}", "Number of times that waiting for frees was given up.",
			func(m *moment) []Sample { return unlabeled(m.gc.Timeouts) }),
		counter("gotorch.collections", "{collection}", "Garbage collections that native memory caused.",
			func(m *moment) []Sample { return unlabeled(m.gc.Collections) }),
		gauge("gotorch.device.memory.free", "By", "Free memory of the device, or within the limit, by device.",
			byDevice(func(d device) (int64, bool) { return d.free, d.size > 0 })),
		gauge("gotorch.device.memory.size", "By",
			"Memory of the device, or the limit of the container or program, by device.",
			byDevice(func(d device) (int64, bool) { return d.size, d.size > 0 })),
		gauge("gotorch.go_heap", "By", "Objects on Go's heap, including garbage that is not collected yet.",
			func(m *moment) []Sample { return unlabeled(m.process.GoHeap) }),
		gauge("gotorch.listed.memory", "By",
			"Bytes that the tensors on the list of memory.TrackTensors hold, each storage once, by kind and device.",
			byList(func(l list) float64 { return l.bytes })),
		gauge("gotorch.listed.tensors", "{tensor}",
			"Open tensors on the list of memory.TrackTensors, by kind and device.",
			byList(func(l list) float64 { return l.count })),
		gauge("gotorch.memory.allocated", "By", "Bytes in blocks that tensors hold, by device.",
			byDevice(func(d device) (int64, bool) { return d.stats.AllocatedBytes.All.Current, true })),
		gauge("gotorch.memory.allocations", "{allocation}", "Allocations since memory.ResetAccumulated, by device.",
			byDevice(func(d device) (int64, bool) { return d.stats.Allocation.All.Allocated, true })),
		gauge("gotorch.memory.cached", "By", "Bytes in free blocks that the allocator keeps, by device.",
			byDevice(func(d device) (int64, bool) {
				return d.stats.ReservedBytes.All.Current - d.stats.AllocatedBytes.All.Current, true
			})),
		gauge("gotorch.memory.limit", "By", "The limit on what the allocator may reserve, by device.",
			byDevice(func(d device) (int64, bool) { return d.limit, d.limit > 0 })),
		gauge("gotorch.memory.peak_allocated", "By",
			"Peak of the bytes in blocks that tensors hold since memory.ResetPeak, by device.",
			byDevice(func(d device) (int64, bool) { return d.stats.AllocatedBytes.All.Peak, true })),
		gauge("gotorch.memory.requested", "By", "Bytes requested by tensors, by device.",
			byDevice(func(d device) (int64, bool) { return d.stats.RequestedBytes.All.Current, true })),
		gauge("gotorch.memory.reserved", "By", "Bytes that the allocator obtained from the system, by device.",
			byDevice(func(d device) (int64, bool) { return d.stats.ReservedBytes.All.Current, true })),
		gauge("gotorch.object.memory", "By",
			"Bytes of objects that are not tensors, by kind, mostly estimates; 0 if unknown.",
			byObject(func(o object) int64 { return o.Bytes })),
		gauge("gotorch.objects", "{object}", "Objects that hold native memory and are not tensors, by kind.",
			byObject(func(o object) int64 { return o.Count })),
		counter("gotorch.operators.out_of_memory", "{operator}",
			"Operators that ran out of memory, by result of a second call.", outOfMemory),
		gauge("gotorch.resident", "By", "Resident memory of the process.",
			func(m *moment) []Sample { return unlessZero(m.process.Resident) }),
		gauge("gotorch.resident_peak", "By", "Peak resident memory of the process.",
			func(m *moment) []Sample { return unlessZero(m.process.PeakResident) }),
		gauge("gotorch.system_memory", "By", "Memory of the machine, or the limit of the container.",
			func(m *moment) []Sample { return unlessZero(m.system) }),
		gauge("gotorch.tensors", "{tensor}", "Open tensors.",
			func(m *moment) []Sample { return unlabeled(m.tensors) }),
	}
}

func gauge(otelName, unit, help string, read func(*moment) []Sample) source {
	return source{Metric{prometheusName(otelName, unit), otelName, unit, help, KindGauge, nil}, read}
}

func counter(otelName, unit, help string, read func(*moment) []Sample) source {
	name := prometheusName(otelName, unit) + "_total"
	return source{Metric{name, otelName, unit, help, KindCounter, nil}, read}
}

// prometheusName converts an OpenTelemetry name and unit to the name that OpenTelemetry's
// exporter for Prometheus would use.
func prometheusName(otelName, unit string) string {
	return strings.ReplaceAll(otelName, ".", "_") + map[string]string{"By": "_bytes", "s": "_seconds"}[unit]
}

// unlabeled returns a sample without labels.
func unlabeled[T int64 | float64](value T) []Sample { return []Sample{{Value: float64(value)}} }

// unlessZero returns one sample without labels, or no sample if the value is 0.
func unlessZero(value int64) []Sample {
	if value == 0 {
		return nil
	}
	return unlabeled(value)
}

func labeled(label, of string, value int64) Sample {
	return Sample{[]Label{{label, of}}, float64(value)}
}

// byDevice returns a function that reads one sample for each device for which value returns
// true.
func byDevice(value func(device) (int64, bool)) func(*moment) []Sample {
	return func(m *moment) (out []Sample) {
		for _, d := range m.devices {
			if v, ok := value(d); ok {
				out = append(out, labeled("device", d.name, v))
			}
		}
		return out
	}
}

// byObject returns a function that reads one sample for each kind of object.
func byObject(value func(object) int64) func(*moment) []Sample {
	return func(m *moment) (out []Sample) {
		for _, o := range m.objects {
			out = append(out, labeled("kind", o.Kind, value(o)))
		}
		return out
	}
}

// byList returns a function that reads one sample for each kind of listed tensor on each
// device.
func byList(value func(list) float64) func(*moment) []Sample {
	return func(m *moment) (out []Sample) {
		for _, l := range m.lists {
			out = append(out, Sample{[]Label{{"kind", l.kind}, {"device", l.device}}, value(l)})
		}
		return out
	}
}

func cHeap(m *moment) []Sample {
	if m.process.CHeap == 0 {
		return nil
	}
	return []Sample{labeled("state", "used", m.process.CHeap), labeled("state", "free", m.process.CHeapFree)}
}

func threshold(m *moment) []Sample {
	if m.gc.Threshold == math.MaxInt64 {
		return nil
	}
	return unlabeled(m.gc.Threshold)
}

func outOfMemory(m *moment) []Sample {
	return []Sample{labeled("result", "recovered", m.gc.Recovered), labeled("result", "failed", m.gc.Failed)}
}
