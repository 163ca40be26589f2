package batching_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torchtest"
)

func TestQuantile(t *testing.T) {
	h := batching.Histogram{Bounds: []float64{1, 2, 4}, Counts: []int64{2, 0, 6, 2}, Count: 10}
	for q, want := range map[float64]float64{-1: 0, 0: 0, 0.1: 0.5, 0.2: 1, 0.5: 3, 0.8: 4, 0.99: 4, 1: 4, 2: 4} {
		assert.InDelta(t, want, h.Quantile(q), 1e-12, "%v", q)
	}
	assert.Zero(t, batching.Histogram{}.Quantile(0.5))
	assert.Zero(t, batching.Histogram{Bounds: []float64{1}, Counts: []int64{0, 0}}.Quantile(0.5))
}

func TestStats(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x }, batching.MaxBatch(20))
	s := b.Stats()
	assert.Equal(t, []float64{1, 2, 4, 8, 16, 20}, s.Sizes.Bounds)
	var times []float64 // the expected bounds: five per decade, from 10 microseconds to 10 seconds
	for _, unit := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1} {
		times = append(times, unit, 1.6*unit, 2.5*unit, 4*unit, 6.3*unit)
	}
	times = append(times, 10)
	assert.InDeltaSlice(t, times, s.Latency.Bounds, 1e-12)
	assert.InDeltaSlice(t, times, s.Waits.Bounds, 1e-12)
	assert.Equal(t, "0 requests in 0 passes (0.0 in one), 0 failed, 0 left, 0 refused; 0 queued, 0 blocked, 0 "+
		"running; latency 0s, 99 % within 0s", s.String())

	_, err := b.DoFloat32s(context.Background(), []float32{1})
	require.NoError(t, err)
	s.Sizes.Counts[0], s.Sizes.Bounds[0] = 5, 5 // a copy
	s = b.Stats()
	assert.EqualValues(t, []int64{1, 0, 0, 0, 0, 0, 0}, s.Sizes.Counts)
	assert.Equal(t, 1.0, s.Sizes.Bounds[0])
	assert.EqualValues(t, 1, s.Latency.Count)
	assert.GreaterOrEqual(t, s.Latency.Sum, s.Waits.Sum)
	assert.Equal(t, "Batcher(max_batch=20, max_delay=0s, max_queue=320, refuse_when_full=False, workers=1): 0 "+
		"queued, 0 running", b.String())
	require.NoError(t, b.Close())
}
