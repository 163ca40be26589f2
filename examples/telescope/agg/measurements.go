// Package agg summarizes a long run of measurements in constant memory.
package agg

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// MeasurementAgg keeps the newest measurements with their masks, and counts how often each
// frequency was measured.
type MeasurementAgg struct {
	limit       int
	masks, seen []*torch.Tensor
	coverage    *torch.Tensor
}

// NewMeasurementAgg returns an aggregate for measurements of size x size pixels. It keeps
// the newest limit measurements, or all of them if limit is 0. Close frees it.
func NewMeasurementAgg(size int64, limit int) *MeasurementAgg {
	return &MeasurementAgg{limit: limit, coverage: torch.Disown(torch.Zeros(torch.Shape{size, size}))}
}

// Add adds a measurement and its mask, both (size, size). It removes them from their
// scope. The aggregate owns them, and closes them when newer measurements replace them.
func (a *MeasurementAgg) Add(mask, seen *torch.Tensor) {
	a.coverage.Add_(mask)
	a.masks, a.seen = append(a.masks, torch.Disown(mask)), append(a.seen, torch.Disown(seen))
	if a.limit > 0 && len(a.seen) > a.limit {
		_, _ = a.masks[0].Close(), a.seen[0].Close()
		a.masks, a.seen = slices.Delete(a.masks, 0, 1), slices.Delete(a.seen, 0, 1)
	}
}

// Stacked returns the masks and the measurements, oldest first, as two new tensors (N,
// size, size).
func (a *MeasurementAgg) Stacked() (masks, seen *torch.Tensor) {
	return torch.Stack(a.masks), torch.Stack(a.seen)
}

// Coverage returns how often each frequency was measured, (size, size). The tensor belongs
// to the aggregate, which updates it in place.
func (a *MeasurementAgg) Coverage() *torch.Tensor { return a.coverage }

// Close frees the kept measurements, their masks and the coverage.
func (a *MeasurementAgg) Close() {
	for _, t := range slices.Concat(a.masks, a.seen, []*torch.Tensor{a.coverage}) {
		_ = t.Close()
	}
	a.masks, a.seen = nil, nil
}
