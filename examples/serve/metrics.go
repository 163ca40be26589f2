package main

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

// metrics are what /metrics tells. Most of it is read from the batcher and from libtorch
// when it is asked for, so a request pays for one observation.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	service  *service
}

var (
	latency    = desc("serve_latency_seconds", "From the request to the batcher's answer.")
	wait       = desc("serve_wait_seconds", "From the request to the start of its forward pass.")
	sizes      = desc("serve_batch_size", "Requests in a forward pass.")
	answers    = desc("serve_answers_total", "Requests that the batcher answered, by what they got.", "result")
	passes     = desc("serve_passes_total", "Forward passes.")
	repeated   = desc("serve_passes_repeated_total", "Forward passes that repeat a part of one that failed.")
	queued     = desc("serve_queue_length", "Requests that wait for a forward pass.")
	running    = desc("serve_running", "Requests in forward passes.")
	tensors    = desc("torch_tensors", "Open tensors.")
	allocated  = desc("torch_memory_allocated_bytes", "Bytes of tensors on the CPU.")
	reserved   = desc("torch_memory_reserved_bytes", "Bytes that the allocator of tensors has from the system.")
	peak       = desc("torch_memory_peak_bytes", "The most bytes of tensors on the CPU so far.")
	collection = desc("torch_memory_collections_total", "Garbage collections that tensors caused.")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

func newMetrics(s *service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "serve_request_seconds", Help: "Reading, computing and writing of one request, by status.",
			Buckets: prometheus.ExponentialBucketsRange(50e-6, 10, 24),
		}, []string{"code"}),
		service: s,
	}
	// The process's collector has its resident memory.
	m.registry.MustRegister(m, m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// begin starts the clock of a request; the function that it returns stops it.
func (m *metrics) begin() func(status int) {
	start := time.Now()
	return func(status int) {
		m.requests.WithLabelValues(strconv.Itoa(status)).Observe(time.Since(start).Seconds())
	}
}

// Describe is for prometheus.Collector.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		latency, wait, sizes, answers, passes, repeated, queued, running,
		tensors, allocated, reserved, peak, collection,
	} {
		to <- d
	}
}

// Collect is for prometheus.Collector.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	s := m.service.batcher.Stats()
	say := func(d *prometheus.Desc, kind prometheus.ValueType, v int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, float64(v), labels...)
	}
	to <- prometheus.MustNewConstSummary(latency, uint64(s.Latency.Count), s.Latency.Sum, map[float64]float64{
		0.5: s.Latency.Quantile(0.5), 0.9: s.Latency.Quantile(0.9), 0.99: s.Latency.Quantile(0.99),
	})
	to <- histogram(wait, s.Waits)
	to <- histogram(sizes, s.Sizes)
	for result, n := range map[string]int64{"answered": s.Answered, "failed": s.Failed, "left": s.Left, "refused": s.Refused} {
		say(answers, counter, n, result)
	}
	say(passes, counter, s.Passes)
	say(repeated, counter, s.Repeated)
	say(queued, gauge, int64(s.Queued))
	say(running, gauge, int64(s.Running))
	say(tensors, gauge, torch.LiveTensors())
	say(allocated, gauge, memory.Allocated(torch.CPU))
	say(reserved, gauge, memory.Reserved(torch.CPU))
	say(peak, gauge, memory.MaxAllocated(torch.CPU))
	say(collection, counter, memory.GC().Collections)
}

// histogram is a histogram in Prometheus' form, whose counts add up.
func histogram(d *prometheus.Desc, h batching.Histogram) prometheus.Metric {
	sums, sum := make(map[float64]uint64, len(h.Bounds)), uint64(0)
	for i, n := range h.Counts {
		sum += uint64(n)
		if i < len(h.Bounds) && !math.IsInf(h.Bounds[i], 1) {
			sums[h.Bounds[i]] = sum
		}
	}
	return prometheus.MustNewConstHistogram(d, uint64(h.Count), h.Sum, sums)
}
