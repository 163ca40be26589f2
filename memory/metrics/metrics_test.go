package metrics_test

import (
	"encoding/json"
	"errors"
	"expvar"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/torch"
)

// value returns the value of the sample with this name and these labels. A label is written
// as name=value.
func value(t *testing.T, ms []metrics.Metric, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range ms {
		for _, s := range m.Samples {
			var has []string
			for _, l := range s.Labels {
				has = append(has, l.Name+"="+l.Value)
			}
			if m.Name == name && slices.Equal(has, labels) {
				return s.Value
			}
		}
	}
	require.Fail(t, "no sample", "%s %v", name, labels)
	return 0
}

func TestMetricsFollowTensors(t *testing.T) {
	memory.Clear()
	defer memory.TrackTensors(memory.TrackTensors(1))
	before := metrics.Read()
	x := torch.Ones(torch.Shape{1 << 20}, torch.RequiresGrad(true))
	after := metrics.Read()
	grown := func(name string, labels ...string) float64 {
		return value(t, after, name, labels...) - value(t, before, name, labels...)
	}
	assert.Equal(t, 1.0, grown("gotorch_tensors"))
	assert.Equal(t, float64(4<<20), grown("gotorch_memory_requested_bytes", "device=cpu"))
	assert.GreaterOrEqual(t, grown("gotorch_memory_allocated_bytes", "device=cpu"), float64(4<<20))
	assert.GreaterOrEqual(t, grown("gotorch_memory_allocations", "device=cpu"), 1.0)
	assert.Equal(t, float64(4<<20), value(t, after, "gotorch_listed_memory_bytes", "kind=parameter", "device=cpu"))
	assert.Equal(t, 1.0, value(t, after, "gotorch_listed_tensors", "kind=parameter", "device=cpu"))
	require.NoError(t, x.Close())
	if memory.Backend(torch.CPU) == "caching" {
		assert.GreaterOrEqual(t, value(t, metrics.Read(), "gotorch_memory_cached_bytes", "device=cpu"), float64(4<<20))
	}
	s := memory.Stats(torch.CPU)
	now := metrics.Read()
	assert.EqualValues(t, s.ReservedBytes.All.Current, value(t, now, "gotorch_memory_reserved_bytes", "device=cpu"))
	assert.EqualValues(t, s.AllocatedBytes.All.Peak, value(t, now, "gotorch_memory_peak_allocated_bytes", "device=cpu"))
}

func TestMetricsFollowTheLimitAndItsErrors(t *testing.T) {
	memory.Clear()
	has := func() bool {
		return slices.ContainsFunc(metrics.Read(), func(m metrics.Metric) bool {
			return m.Name == "gotorch_memory_limit_bytes"
		})
	}
	assert.False(t, has())
	require.NoError(t, memory.SetLimit(torch.CPU, 64<<20))
	defer func() { require.NoError(t, memory.SetLimit(torch.CPU, 0)) }()
	assert.True(t, has())
	assert.EqualValues(t, 64<<20, value(t, metrics.Read(), "gotorch_memory_limit_bytes", "device=cpu"))
	failed := func() float64 {
		return value(t, metrics.Read(), "gotorch_operators_out_of_memory_total", "result=failed")
	}
	before := failed()
	require.ErrorIs(t, torch.Try(func() { torch.Ones(torch.Shape{32 << 20}) }), torch.ErrOutOfMemory)
	assert.Equal(t, before+1, failed())
}

// Names follow Prometheus' conventions, and Read's comment lists every metric.
func TestNames(t *testing.T) {
	defer memory.TrackTensors(memory.TrackTensors(1))
	x := torch.Ones(torch.Shape{2})
	defer x.Close()
	ms := metrics.Read()
	source, err := os.ReadFile("metrics.go")
	require.NoError(t, err)
	for _, m := range ms {
		assert.Regexp(t, `^gotorch_[a-z][a-z_]*[a-z]$`, m.Name)
		assert.Regexp(t, `^[A-Z].*\.$`, m.Help)
		assert.Equal(t, m.Kind == metrics.KindCounter, strings.HasSuffix(m.Name, "_total"), m.Name)
		assert.NotEmpty(t, m.Samples, m.Name)
	}
	all := metrics.Describe()
	assert.True(t, slices.IsSortedFunc(all, func(a, b metrics.Metric) int { return strings.Compare(a.Name, b.Name) }))
	listed := regexp.MustCompile(`(?m)^//\t(gotorch\w+) `).FindAllStringSubmatch(string(source), -1)
	require.Len(t, all, len(listed))
	for i, m := range all {
		assert.Equal(t, listed[i][1], m.Name)
		assert.Empty(t, m.Samples)
	}
}

func TestHandler(t *testing.T) {
	r := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Equal(t, 200, r.Code)
	assert.Equal(t, "text/plain; version=0.0.4; charset=utf-8", r.Header().Get("Content-Type"))
	line := regexp.MustCompile(`^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [-+.e\d]+)$`)
	for text := range strings.Lines(r.Body.String()) {
		assert.Regexp(t, line, strings.TrimSuffix(text, "\n"))
	}
	assert.Regexp(t, `(?m)^# HELP gotorch_tensors Open tensors\.\n# TYPE gotorch_tensors gauge\ngotorch_tensors \d+$`,
		r.Body.String())
	assert.Contains(t, r.Body.String(), "\n# TYPE gotorch_collections_total counter\n")
}

// Line ends and quotation marks are escaped as expfmt does.
func TestWriteEscapes(t *testing.T) {
	var b strings.Builder
	ms := []metrics.Metric{{Name: "a", Help: "a \\ \"b\"\nc", Kind: metrics.KindGauge, Samples: []metrics.Sample{
		{Labels: []metrics.Label{{"d", "\\ \"e\"\nf"}, {"g", ""}}, Value: 1e21}, {Value: 0.25},
	}}}
	require.NoError(t, metrics.Write(&b, ms))
	assert.Equal(t, "# HELP a a \\\\ \"b\"\\nc\n# TYPE a gauge\na{d=\"\\\\ \\\"e\\\"\\nf\",g=\"\"} 1e+21\na 0.25\n",
		b.String())
	assert.ErrorIs(t, metrics.Write(full{}, ms), errFull)
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestPublish(t *testing.T) {
	metrics.Publish("gotorch")
	var vars map[string]float64
	require.NoError(t, json.Unmarshal([]byte(expvar.Get("gotorch").String()), &vars))
	assert.Contains(t, vars, "gotorch_tensors")
	assert.Contains(t, vars, `gotorch_memory_reserved_bytes{device="cpu"}`)
	err := torch.Try(func() { metrics.Publish("gotorch") })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, `metrics.Publish: there is already a variable "gotorch"`)
	assert.ErrorIs(t, torch.Try(func() { metrics.Publish("") }), torch.ErrValue)
}

// Graph nodes and hooks have separate samples.
func TestMetricsOfObjects(t *testing.T) {
	memory.Collect()
	w := torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
	defer w.Close()
	before := metrics.Read()
	var y *torch.Tensor
	torch.Scope(func() { y = torch.Keep(w.Exp().Sum()) })
	hook := w.RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil })
	after := metrics.Read()
	assert.Equal(t, 1.0, value(t, after, "gotorch_objects", "kind=hooks"))
	if memory.Objects()[0].Kind == memory.GraphNodes { // only if graph nodes are counted on this system
		assert.Equal(t, value(t, before, "gotorch_objects", "kind=graph nodes")+2,
			value(t, after, "gotorch_objects", "kind=graph nodes"))
		assert.Positive(t, value(t, after, "gotorch_object_memory_bytes", "kind=graph nodes"))
	}
	hook.Remove()
	require.NoError(t, y.Close())
}

// Only metrics that never fall are counters.
func TestCountersDoNotFall(t *testing.T) {
	x := torch.Ones(torch.Shape{4})
	before := metrics.Read()
	memory.ResetAccumulated(torch.CPU)
	memory.ResetPeak(torch.CPU)
	after := metrics.Read()
	for _, m := range before {
		for i, s := range m.Samples {
			j := slices.IndexFunc(after, func(o metrics.Metric) bool { return o.Name == m.Name })
			if m.Kind == metrics.KindCounter {
				assert.GreaterOrEqual(t, after[j].Samples[i].Value, s.Value, m.Name)
			}
		}
	}
	require.NoError(t, x.Close())
}

func TestWriteToNoWriter(t *testing.T) {
	assert.ErrorIs(t, metrics.Write(nil, metrics.Read()), torch.ErrNil)
}
