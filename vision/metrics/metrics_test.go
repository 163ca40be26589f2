package metrics_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/metrics"
)

// goldens contains what the script testdata/make_metrics.py wrote.
type goldens struct {
	Height, Width int
	Thresholds    golden
	Cases         []struct {
		Name            string
		Images          []picture
		BBox, Segm, Own golden
	}
}

type golden struct {
	Stats []float64
	Per   [][2]float64
	Text  string
}

type picture struct{ Wanted, Found []object }

type object struct {
	Box         [4]float64
	Label       int64
	Score, Area float64
	Crowd       int64
}

func load(t testing.TB) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/metrics.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// tensors returns the tensors of objects. The masks are boxes without their upper left corners.
func (g *goldens) tensors(list []object, dtype torch.DType) (
	boxes, scores, labels, masks, crowds, areas *torch.Tensor,
) {
	n := int64(len(list))
	var b, s, a []float64
	var l, c []int64
	pixels := make([]byte, len(list)*g.Height*g.Width)
	for i, o := range list {
		b, s, l = append(b, o.Box[:]...), append(s, o.Score), append(l, o.Label)
		c, a = append(c, o.Crowd), append(a, o.Area)
		x0, y0 := max(int(o.Box[0]), 0), max(int(o.Box[1]), 0)
		for y := y0; y < min(int(o.Box[3])+1, g.Height); y++ {
			for x := x0; x < min(int(o.Box[2])+1, g.Width); x++ {
				pixels[(i*g.Height+y)*g.Width+x] = 1
			}
		}
		if x0 < g.Width && y0 < g.Height {
			pixels[(i*g.Height+y0)*g.Width+x0] = 0
		}
	}
	return torch.FromSlice(b, n, 4).To(dtype), torch.FromSlice(s, n).Float(), torch.FromSlice(l, n),
		torch.FromSlice(pixels, n, int64(g.Height), int64(g.Width)), torch.FromSlice(c, n), torch.FromSlice(a, n)
}

func (g *goldens) update(m *metrics.MeanAveragePrecision, p picture, dtype torch.DType, own bool) {
	torch.Scope(func() {
		boxes, scores, labels, masks, _, _ := g.tensors(p.Found, dtype)
		found := metrics.Detection{
			Boxes: boxes, Scores: scores, Labels: labels, Masks: masks, Keypoints: diagonal(boxes),
		}
		boxes, _, labels, masks, crowds, areas := g.tensors(p.Wanted, dtype)
		wanted := metrics.Target{Boxes: boxes, Labels: labels, Masks: masks.Bool(), IsCrowd: crowds}
		wanted.Keypoints = diagonal(boxes)
		if !own {
			wanted.Area = areas
		}
		m.Update(found, wanted)
	})
}

// diagonal returns 17 key points on the diagonal of each box.
func diagonal(boxes *torch.Tensor) *torch.Tensor {
	corner := boxes.Narrow(1, 0, 2).Unsqueeze(1)
	size := boxes.Narrow(1, 2, 2).Unsqueeze(1).Sub(corner)
	points := size.Mul(torch.Linspace(0, 1, 17).View(1, 17, 1).To(boxes.DType())).Add(corner)
	return torch.Cat([]*torch.Tensor{points, torch.OnesLike(points.Narrow(2, 0, 1))}, 2)
}

// The numbers equal pycocotools'.
func TestGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	check := func(what string, want golden, m *metrics.MeanAveragePrecision) {
		got := m.Compute()
		assert.InDeltaSlice(t, want.Stats, got.Stats(), 1e-12, what)
		assert.Equal(t, want.Text, got.String(), what)
		require.Len(t, got.Classes, len(want.Per), what)
		for i, p := range want.Per {
			assert.Equal(t, int64(p[0]), got.Classes[i], what)
			assert.InDelta(t, p[1], got.ClassAP[i], 1e-12, what)
		}
	}
	for _, c := range g.Cases {
		box := metrics.NewMeanAveragePrecision()
		mask := metrics.NewMeanAveragePrecision(metrics.IoUTypeSegm)
		for _, dtype := range []torch.DType{torch.Float32, torch.Float64} {
			box.Reset()
			mask.Reset()
			for _, p := range c.Images {
				g.update(box, p, dtype, false)
				g.update(mask, p, dtype, false)
			}
			check(c.Name, c.BBox, box)
			check(c.Name, c.Segm, mask)
			box.Reset()
			for _, p := range c.Images {
				g.update(box, p, dtype, true)
			}
			check(c.Name, c.Own, box)
		}
	}
	few := metrics.NewMeanAveragePrecision(metrics.IoUThrs{0.3, 0.5, 0.6})
	for _, p := range g.Cases[0].Images {
		g.update(few, p, torch.Float64, false)
	}
	check("thresholds", g.Thresholds, few)
}

// Without images there is nothing to measure.
func TestEmpty(t *testing.T) {
	r := metrics.NewMeanAveragePrecision().Compute()
	for _, v := range r.Stats() {
		assert.Equal(t, -1.0, v)
	}
	assert.Empty(t, r.Classes)
}

// A score of NaN counts as the lowest.
func TestNaN(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := metrics.NewMeanAveragePrecision()
		m.Update(metrics.Detection{
			Boxes:  torch.FromSlice([]float64{50, 50, 60, 60, 0, 0, 10, 10}, 2, 4),
			Scores: torch.FromSlice([]float64{math.NaN(), 0.1}), Labels: torch.FromSlice([]int64{1, 1}),
		}, metrics.Target{Boxes: torch.FromSlice([]float64{0, 0, 10, 10}, 1, 4), Labels: torch.FromSlice([]int64{1})})
		assert.InDelta(t, 1, m.Compute().AP, 1e-12)
	})
}

// Wrong tensors cause errors of the right kind, and change nothing.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		zeros := func(d torch.DType, shape ...int64) *torch.Tensor { return torch.Zeros(shape, d) }
		found := metrics.Detection{
			Boxes: zeros(torch.Float32, 2, 4), Scores: zeros(torch.Float32, 2), Labels: zeros(torch.Int64, 2),
			Masks: zeros(torch.Bool, 2, 5, 6), Keypoints: zeros(torch.Float32, 2, 17, 2),
		}
		wanted := metrics.Target{
			Boxes: zeros(torch.Float32, 1, 4), Labels: zeros(torch.Int64, 1), Masks: zeros(torch.Bool, 1, 5, 6),
			IsCrowd: zeros(torch.Int64, 1), Area: zeros(torch.Float32, 1), Keypoints: zeros(torch.Int64, 1, 17, 3),
		}
		type (
			D = *metrics.Detection
			T = *metrics.Target
		)
		box, mask := metrics.NewMeanAveragePrecision(), metrics.NewMeanAveragePrecision(metrics.IoUTypeSegm)
		points := metrics.NewMeanAveragePrecision(metrics.IoUTypeKeypoints)
		for name, c := range map[string]struct {
			change func(f D, w T)
			m      *metrics.MeanAveragePrecision
			kind   error
		}{
			"no boxes":  {func(f D, _ T) { f.Boxes = nil }, box, torch.ErrNil},
			"no labels": {func(_ D, w T) { w.Labels = nil }, box, torch.ErrNil},
			"no scores": {func(f D, _ T) { f.Scores = nil }, box, torch.ErrNil},
			"no masks":  {func(_ D, w T) { w.Masks = nil }, mask, torch.ErrNil},
			"boxes":     {func(f D, _ T) { f.Boxes = zeros(torch.Float32, 3, 4) }, box, torch.ErrShape},
			"scores":    {func(f D, _ T) { f.Scores = zeros(torch.Float32, 3) }, box, torch.ErrShape},
			"complex":   {func(f D, _ T) { f.Scores = zeros(torch.Complex64, 2) }, box, torch.ErrDType},
			"labels":    {func(f D, _ T) { f.Labels = zeros(torch.Int64, 2, 1) }, box, torch.ErrShape},
			"floats":    {func(f D, _ T) { f.Labels = zeros(torch.Float32, 2) }, box, torch.ErrDType},
			"area":      {func(_ D, w T) { w.Area = zeros(torch.Float32, 2) }, box, torch.ErrShape},
			"mask":      {func(f D, _ T) { f.Masks = zeros(torch.Bool, 2, 5) }, mask, torch.ErrShape},
			"mask floats": {
				func(f D, _ T) { f.Masks = zeros(torch.Float32, 2, 5, 6) }, mask, torch.ErrDType,
			},
			"no points":  {func(f D, _ T) { f.Keypoints = nil }, points, torch.ErrNil},
			"no box":     {func(_ D, w T) { w.Boxes = nil }, points, torch.ErrNil},
			"few points": {func(f D, _ T) { f.Keypoints = zeros(torch.Float32, 2, 5, 3) }, points, torch.ErrShape},
			"not marked": {func(_ D, w T) { w.Keypoints = zeros(torch.Float32, 1, 17, 2) }, points, torch.ErrShape},
			"all points": {func(_ D, w T) { w.Keypoints = zeros(torch.Complex64, 1, 17, 3) }, points, torch.ErrDType},
			"other size": {
				func(f D, _ T) { f.Masks = zeros(torch.Bool, 2, 6, 6) }, mask, torch.ErrShape,
			},
		} {
			f, w := found, wanted
			c.change(&f, &w)
			before := torch.NumLiveTensors()
			require.ErrorIs(t, torch.Try(func() { c.m.Update(f, w) }), c.kind, name)
			assert.Equal(t, before, torch.NumLiveTensors(), name)
		}
		assert.Empty(t, box.Compute().Classes)
		box.Update(found, wanted)
		mask.Update(found, wanted)
		points.Update(found, wanted)
		assert.Empty(t, points.Compute().Classes, "the object has no labeled points")
		assert.Equal(t, []int64{0}, box.Compute().Classes)
		assert.Zero(t, mask.Compute().AP)
	})
	for _, m := range []*metrics.MeanAveragePrecision{nil, {}} {
		for _, fn := range []func(){
			m.Reset, func() { m.Compute() }, func() { m.Update(metrics.Detection{}, metrics.Target{}) },
		} {
			require.ErrorIs(t, torch.Try(fn), torch.ErrNil)
		}
	}
}

// sigmas returns the standard deviations of 17 points.
func sigmas(v float64) metrics.KptOKSSigmas {
	list := make(metrics.KptOKSSigmas, 17)
	for i := range list {
		list[i] = v
	}
	return list
}

// TestOptions tests each option alone, after a different value, and next to a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	values, refused := optiontest.Values, optiontest.Refused
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewMeanAveragePrecision": optiontest.For(func(opts ...metrics.MeanAveragePrecisionOption) optiontest.Outcome {
			// The option for key points is an error for boxes, so IoUTypeKeypoints comes first.
			opts = append([]metrics.MeanAveragePrecisionOption{metrics.IoUTypeKeypoints}, opts...)
			m := metrics.NewMeanAveragePrecision(opts...)
			for _, p := range g.Cases[1].Images[:1] { // with many objects
				g.update(m, p, torch.Float32, false)
			}
			return optiontest.Outcome{"result": fmt.Sprint(m.Compute().Stats())}
		}, values(metrics.IoUTypeSegm, metrics.IoUTypeBBox), refused(metrics.IoUType("points")),
			values(sigmas(0.5), sigmas(0.1)), refused(metrics.KptOKSSigmas{}), refused(metrics.KptOKSSigmas{0}),
			refused(metrics.KptOKSSigmas{math.Inf(1)}),
			values(metrics.IoUThrs{0.3, 0.5}, metrics.IoUThrs{0.5}), refused(metrics.IoUThrs{}),
			refused(metrics.IoUThrs{2}),
			values(metrics.MaxDets{1, 2, 3}, metrics.MaxDets{2, 3, 40}), refused(metrics.MaxDets{0, 1, 2}),
			refused(metrics.MaxDets{1, 1, 2})),
	})
}
