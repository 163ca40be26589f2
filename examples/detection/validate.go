package main

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/metrics"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// validate returns the precision and recall on the images for validation. The metric
// copies numbers and no tensors, so that exactly as many bytes are in use after it as
// before.
func (t *trainer) validate() metrics.Result {
	t.model.Eval()
	defer t.model.Train()
	metric := metrics.NewMeanAveragePrecision()
	torch.NoGrad(func() {
		for batch := range t.valid.All() {
			samples := batch.Value.([]tv.Sample)
			pictures, targets := t.inputs(samples)
			for i, d := range t.model.Detect(pictures) {
				metric.Update(metrics.Detection{Boxes: d.Boxes, Scores: d.Scores, Labels: d.Labels},
					metrics.Target{Boxes: targets[i].Boxes, Labels: targets[i].Labels})
			}
		}
	})
	return metric.Compute()
}

// history keeps the last numbers of a series. Its memory does not grow.
type history struct {
	ring []float64
	next int
}

func newHistory(size int) *history { return &history{ring: make([]float64, 0, size)} }

func (h *history) add(v float64) {
	if len(h.ring) < cap(h.ring) {
		h.ring = append(h.ring, v)
		return
	}
	h.ring[h.next] = v
	h.next = (h.next + 1) % len(h.ring)
}

// values returns the numbers, the oldest first.
func (h *history) values() []float64 {
	return append(append([]float64{}, h.ring[h.next:]...), h.ring[:h.next]...)
}
