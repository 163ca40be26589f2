package memory

import "runtime/metrics"

// goMemory holds the sizes that Go's runtime reports.
type goMemory struct {
	objects int64 // bytes of objects, including unused space in their spans
	free    int64 // bytes of free spans that were not returned to the system
	stacks  int64
	runtime int64 // everything else
}

func readGoMemory() (g goMemory) {
	fields := map[string]*int64{
		"heap/objects": &g.objects, "heap/unused": &g.objects, "heap/free": &g.free, "heap/stacks": &g.stacks,
		"metadata/mspan/inuse": &g.runtime, "metadata/mspan/free": &g.runtime, "metadata/mcache/inuse": &g.runtime,
		"metadata/mcache/free": &g.runtime, "metadata/other": &g.runtime, "profiling/buckets": &g.runtime,
		"other": &g.runtime,
	}
	samples := make([]metrics.Sample, 0, len(fields))
	to := make([]*int64, 0, len(fields))
	for name, field := range fields {
		samples = append(samples, metrics.Sample{Name: "/memory/classes/" + name + ":bytes"})
		to = append(to, field)
	}
	metrics.Read(samples)
	for i, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			*to[i] += int64(s.Value.Uint64())
		}
	}
	return g
}

// divide splits the resident bytes of Go's heap. The runtime does not know which of its pages
// are resident, so all parts are scaled down equally.
func (g goMemory) divide(resident int64) (free, stacks, objects int64) {
	all := g.free + g.stacks + g.objects
	if all <= resident {
		return resident - g.stacks - g.objects, g.stacks, g.objects
	}
	part := func(n int64) int64 { return int64(float64(n) / float64(all) * float64(resident)) }
	free, stacks = part(g.free), part(g.stacks)
	return free, stacks, resident - free - stacks
}
