package main

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	torchmetrics "github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/torch/batching"
)

// metrics contains the metrics that /metrics shows. Most of them are read from the
// batcher and from libtorch only when /metrics is requested, so a prediction only records
// its latency.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	service  *service
}

var (
	latency  = desc("serve_latency_seconds", "From the request to the batcher's answer.")
	wait     = desc("serve_wait_seconds", "From the request to the start of its forward pass.")
	sizes    = desc("serve_batch_size", "Requests in a forward pass.")
	answers  = desc("serve_answers_total", "Requests that the batcher answered, by result.", "result")
	passes   = desc("serve_passes_total", "Forward passes.")
	repeated = desc("serve_passes_repeated_total", "Forward passes that repeat a part of one that failed.")
	queued   = desc("serve_queue_length", "Requests that wait for a forward pass.")
	running  = desc("serve_running", "Requests in forward passes.")
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
	m.registry.MustRegister(m, library{}, m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// begin starts measuring a request's latency. The returned function ends the measurement.
func (m *metrics) begin() func(status int) {
	start := time.Now()
	return func(status int) {
		m.requests.WithLabelValues(strconv.Itoa(status)).Observe(time.Since(start).Seconds())
	}
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		latency, wait, sizes, answers, passes, repeated, queued, running,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
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
	for result, n := range map[string]int64{
		"answered": s.Answered, "failed": s.Failed, "left": s.Left,
		"refused": s.Refused,
	} {
		say(answers, counter, n, result)
	}
	say(passes, counter, s.Passes)
	say(repeated, counter, s.Repeated)
	say(queued, gauge, int64(s.Queued))
	say(running, gauge, int64(s.Running))
}

// library collects gotorch's own metrics, about tensors, memory and garbage collections.
type library struct{}

// Describe implements prometheus.Collector. It describes nothing, because the set of
// metrics depends on memory limits and on whether tensors are tracked.
func (library) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (library) Collect(to chan<- prometheus.Metric) {
	kinds := map[torchmetrics.Kind]prometheus.ValueType{
		torchmetrics.KindCounter: prometheus.CounterValue,
		torchmetrics.KindGauge:   prometheus.GaugeValue,
	}
	for _, m := range torchmetrics.Read() {
		for _, s := range m.Samples {
			var names, values []string
			for _, l := range s.Labels {
				names, values = append(names, l.Name), append(values, l.Value)
			}
			to <- prometheus.MustNewConstMetric(desc(m.Name, m.Help, names...), kinds[m.Kind], s.Value, values...)
		}
	}
}

// histogram converts a histogram to Prometheus' form, with cumulative counts.
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
