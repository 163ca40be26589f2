package metrics_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/metrics"
)

// marked is an object with key points: x, y and whether the point is labeled, in turn.
type marked struct {
	Box         [4]float64
	Points      []float64
	Label       int64
	Score, Area float64
	Crowd       int64
}

// columns returns the tensors of objects with k key points.
func columns(list []marked, k int64) (boxes, points, labels, scores, areas, crowds *torch.Tensor) {
	n := int64(len(list))
	var b, p, s, a []float64
	var l, c []int64
	for _, o := range list {
		b, p, l, c = append(b, o.Box[:]...), append(p, o.Points...), append(l, o.Label), append(c, o.Crowd)
		s, a = append(s, o.Score), append(a, o.Area)
	}
	return torch.FromSlice(b, n, 4), torch.FromSlice(p, n, k, 3), torch.FromSlice(l, n), torch.FromSlice(s, n),
		torch.FromSlice(a, n), torch.FromSlice(c, n)
}

// The numbers for key points equal pycocotools', which testdata/make_keypoints.py wrote.
func TestKeypoints(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/keypoints.json")
	require.NoError(t, err)
	var goldens struct {
		Cases []struct {
			Name       string
			Images     []struct{ Wanted, Found []marked }
			Keypoints  golden
			Sigmas     []float64
			Thresholds []float64
		}
	}
	require.NoError(t, json.Unmarshal(text, &goldens))
	require.Len(t, goldens.Cases, 7)
	for _, c := range goldens.Cases {
		opts := []metrics.MeanAveragePrecisionOption{metrics.IoUTypeKeypoints}
		k := int64(17)
		if c.Sigmas != nil {
			opts, k = append(opts, metrics.KptOKSSigmas(c.Sigmas)), int64(len(c.Sigmas))
		}
		if c.Thresholds != nil {
			opts = append(opts, metrics.IoUThrs(c.Thresholds))
		}
		m := metrics.NewMeanAveragePrecision(opts...)
		for _, dtype := range []torch.DType{torch.Float32, torch.Float64} {
			m.Reset()
			for _, p := range c.Images {
				torch.Scope(func() {
					var found metrics.Detection
					var wanted metrics.Target
					_, found.Keypoints, found.Labels, found.Scores, _, _ = columns(p.Found, k)
					found.Keypoints = found.Keypoints.Narrow(2, 0, 2).To(dtype)
					wanted.Boxes, wanted.Keypoints, wanted.Labels, _, wanted.Area, wanted.IsCrowd = columns(p.Wanted, k)
					wanted.Keypoints = wanted.Keypoints.To(dtype)
					m.Update(found, wanted)
				})
			}
			got := m.Compute()
			assert.InDeltaSlice(t, c.Keypoints.Stats, got.Stats(), 1e-12, c.Name)
			assert.Equal(t, c.Keypoints.Text, got.String(), c.Name)
			require.Len(t, got.Classes, len(c.Keypoints.Per), c.Name)
			for i, p := range c.Keypoints.Per {
				assert.Equal(t, int64(p[0]), got.Classes[i], c.Name)
				assert.InDelta(t, p[1], got.ClassAP[i], 1e-12, c.Name)
			}
		}
	}
	err = torch.Try(func() { metrics.NewMeanAveragePrecision(metrics.KptOKSSigmas{1}) })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "applies to key points only")
}

// Measure a detector of corners, of which each target has four.
func ExampleKptOKSSigmas() {
	metric := metrics.NewMeanAveragePrecision(metrics.IoUTypeKeypoints, metrics.KptOKSSigmas{0.1, 0.1, 0.1, 0.1})
	torch.Scope(func() {
		metric.Update(metrics.Detection{
			Keypoints: torch.FromSlice([]float32{12, 10, 50, 13, 10, 48, 52, 50}, 1, 4, 2),
			Scores:    torch.FromSlice([]float32{0.9}),
			Labels:    torch.FromSlice([]int64{1}),
		}, metrics.Target{
			Keypoints: torch.FromSlice([]float32{10, 10, 2, 50, 10, 2, 10, 50, 2, 50, 50, 2}, 1, 4, 3),
			Boxes:     torch.FromSlice([]float32{10, 10, 50, 50}, 1, 4), // their areas count
			Labels:    torch.FromSlice([]int64{1}),
		})
	})
	r := metric.Compute()
	fmt.Printf("%.3f %.3f\n", r.AP, r.AR75)
	// Output: 1.000 1.000
}
