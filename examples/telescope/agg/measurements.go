// Package agg keeps what a long run of measurements comes to, in memory that does not grow.
package agg

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// MeasurementAgg keeps the newest measurements, each with the mask that it was taken through,
// and counts how often each frequency was seen.
type MeasurementAgg struct {
	limit       int
	masks, seen []*torch.Tensor
	coverage    *torch.Tensor
}

// NewMeasurementAgg makes one for measurements of size x size pixels that keeps the newest
// limit; 0 keeps all, and so grows with each. Close frees it.
func NewMeasurementAgg(size int64, limit int) *MeasurementAgg {
	return &MeasurementAgg{limit: limit, coverage: torch.Disown(torch.Zeros(torch.Shape{size, size}))}
}

// Add takes a measurement and its mask, (size, size) both, out of their scope: from now on they
// are the aggregate's, which closes them when newer ones take their place.
func (a *MeasurementAgg) Add(mask, seen *torch.Tensor) {
	a.coverage.Add_(mask)
	a.masks, a.seen = append(a.masks, torch.Disown(mask)), append(a.seen, torch.Disown(seen))
	if a.limit > 0 && len(a.seen) > a.limit {
		_, _ = a.masks[0].Close(), a.seen[0].Close()
		a.masks, a.seen = slices.Delete(a.masks, 0, 1), slices.Delete(a.seen, 0, 1)
	}
}

// Stacked returns the masks and the measurements that are kept, oldest first: two new tensors
// (N, size, size).
func (a *MeasurementAgg) Stacked() (masks, seen *torch.Tensor) {
	return torch.Stack(a.masks), torch.Stack(a.seen)
}

// Coverage is how many measurements have seen each frequency, (size, size). It belongs to the
// aggregate, which updates it in place.
func (a *MeasurementAgg) Coverage() *torch.Tensor { return a.coverage }

// Close frees everything that is kept.
func (a *MeasurementAgg) Close() {
	for _, t := range slices.Concat(a.masks, a.seen, []*torch.Tensor{a.coverage}) {
		_ = t.Close()
	}
	a.masks, a.seen = nil, nil
}
