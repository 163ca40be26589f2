package trend_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory/internal/trend"
)

func watch() *trend.Watch[float64] {
	value := func(v float64) float64 { return v }
	return trend.New(trend.Options{Window: 50, MinSamples: 10, Confidence: 0.99, Alerts: []int{0}},
		[]trend.Quantity[float64]{{Value: value, Tolerance: 1}, {Value: value, Tolerance: 1, Optional: true}})
}

func second(i int) time.Time { return time.Unix(int64(i), 0) }

func TestALineIsFound(t *testing.T) {
	w := watch()
	var alerts []trend.Fit
	for i := range 60 {
		alerts = append(alerts, w.Add(float64(3*i), second(i), false)...)
	}
	require.Len(t, alerts, 1, "it begins to leak once")
	assert.Equal(t, trend.Leaking, alerts[0].Verdict)
	f := w.Trend(0)
	assert.InDelta(t, 3, f.Slope, 1e-9)
	assert.Equal(t, 25, f.Samples, "the newer half of the window")
	assert.Len(t, w.Samples(), 50)
}

func TestFlatAndUnsure(t *testing.T) {
	w := watch()
	assert.Equal(t, trend.Unsure, w.Trend(0).Verdict)
	for i := range 20 {
		w.Add(0, second(i), false)
	}
	assert.Equal(t, trend.Flat, w.Trend(0).Verdict)
	assert.Equal(t, trend.Unsure, w.Trend(1).Verdict, "nobody read it")
}

// If growth may be garbage, the watch asks for samples without garbage before it raises an
// alert.
func TestGarbageIsProbed(t *testing.T) {
	w := watch()
	for i := range 10 {
		assert.Empty(t, w.Add(float64(9*i), second(i), true), "garbage is no leak")
	}
	require.True(t, w.Probing())
	for i := range 20 {
		assert.Empty(t, w.Add(5, second(10+i), !w.Probing()))
	}
	assert.False(t, w.Probing(), "nothing grew that is alive")
}
