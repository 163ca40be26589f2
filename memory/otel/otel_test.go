package otel_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/memory/otel"
	"github.com/gotorch/gotorch/torch"
)

// registered returns a function that collects the registered metrics.
func registered(t *testing.T) (collect func() []metricdata.Metrics, r metric.Registration) {
	t.Helper()
	reader := sdk.NewManualReader()
	r, err := otel.Register(sdk.NewMeterProvider(sdk.WithReader(reader)))
	require.NoError(t, err)
	return func() []metricdata.Metrics {
		var all metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(context.Background(), &all))
		if len(all.ScopeMetrics) == 0 {
			return nil
		}
		require.Len(t, all.ScopeMetrics, 1)
		return all.ScopeMetrics[0].Metrics
	}, r
}

// points returns the samples of a metric, and whether it is a counter.
func points(t *testing.T, m metricdata.Metrics) (ps []metricdata.DataPoint[float64], counter bool) {
	t.Helper()
	switch d := m.Data.(type) {
	case metricdata.Gauge[float64]:
		return d.DataPoints, false
	case metricdata.Sum[float64]:
		assert.True(t, d.IsMonotonic, m.Name)
		return d.DataPoints, true
	}
	require.Fail(t, "neither a gauge nor a counter", m.Name)
	return nil, false
}

// The metrics and their samples are the same as in package metrics.
func TestSameAsMetrics(t *testing.T) {
	defer memory.TrackTensors(memory.TrackTensors(1))
	x := torch.Ones(torch.Shape{1 << 20})
	defer x.Close()
	require.NoError(t, memory.SetLimit(torch.CPU, 1<<30))
	defer func() { require.NoError(t, memory.SetLimit(torch.CPU, 0)) }()

	collect, _ := registered(t)
	got := collect()
	want := metrics.Read()
	require.Len(t, got, len(want))
	for _, w := range want {
		i := slices.IndexFunc(got, func(m metricdata.Metrics) bool { return m.Name == w.OTelName })
		require.GreaterOrEqual(t, i, 0, w.OTelName)
		assert.Equal(t, w.Unit, got[i].Unit, w.Name)
		assert.Equal(t, w.Help, got[i].Description)
		ps, counter := points(t, got[i])
		assert.Equal(t, w.Kind == metrics.KindCounter, counter, w.Name)
		require.Len(t, ps, len(w.Samples), w.Name)
		for _, s := range w.Samples {
			var labels []attribute.KeyValue
			for _, l := range s.Labels {
				labels = append(labels, attribute.String(l.Name, l.Value))
			}
			set := attribute.NewSet(labels...)
			j := slices.IndexFunc(ps, func(p metricdata.DataPoint[float64]) bool { return p.Attributes.Equals(&set) })
			require.GreaterOrEqual(t, j, 0, "%s %v", w.Name, s.Labels)
			if regexp.MustCompile(`memory\.|tensors`).MatchString(w.OTelName) &&
				w.OTelName != "gotorch.device.memory.free" {
				// No code changes the values between the two reads.
				assert.Equal(t, s.Value, ps[j].Value, "%s %v", w.Name, s.Labels)
			}
		}
	}
}

// A metric that gets its first sample later, such as the limit, is exported from then on.
func TestMetricsThatComeAndGo(t *testing.T) {
	collect, r := registered(t)
	limited := func() bool {
		return slices.ContainsFunc(collect(), func(m metricdata.Metrics) bool {
			return m.Name == "gotorch.memory.limit"
		})
	}
	assert.False(t, limited())
	require.NoError(t, memory.SetLimit(torch.CPU, 1<<30))
	assert.True(t, limited())
	require.NoError(t, memory.SetLimit(torch.CPU, 0))
	assert.False(t, limited())

	require.NoError(t, r.Unregister())
	assert.Empty(t, collect())
}

// Names follow OpenTelemetry's conventions: no name is the namespace of another name, and
// names do not contain units.
func TestNames(t *testing.T) {
	all := metrics.Describe()
	for _, m := range all {
		assert.Regexp(t, `^gotorch(\.[a-z]+(_[a-z]+)*)+$`, m.OTelName)
		assert.NotRegexp(t, `bytes|seconds|total`, m.OTelName)
		assert.Regexp(t, `^(By|s|\{[a-z]+\})$`, m.Unit)
		for _, other := range all {
			assert.NotContains(t, other.OTelName, m.OTelName+".")
		}
	}
}

func TestRegisterWithNoProvider(t *testing.T) {
	_, err := otel.Register(nil)
	assert.ErrorIs(t, err, torch.ErrNil)
}
