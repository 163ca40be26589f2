package agg

import (
	"fmt"
	"math"
)

// LossAgg computes statistics of losses in constant memory. The zero value is ready to use.
type LossAgg struct {
	N              int
	Last, Min, Max float64
	Mean           float64
	// Sum of the squared differences from the mean, by Welford's algorithm.
	squares float64
}

// Add adds a loss. Its argument is a number instead of a tensor, because a tensor would
// keep its graph alive.
func (a *LossAgg) Add(loss float64) {
	if a.N == 0 {
		a.Min, a.Max = loss, loss
	}
	a.N++
	a.Last, a.Min, a.Max = loss, min(a.Min, loss), max(a.Max, loss)
	before := loss - a.Mean
	a.Mean += before / float64(a.N)
	a.squares += before * (loss - a.Mean)
}

// Std returns the standard deviation, with Bessel's correction, as torch.std does. It is
// NaN for fewer than two losses.
func (a *LossAgg) Std() float64 {
	if a.N < 2 {
		return math.NaN()
	}
	return math.Sqrt(a.squares / float64(a.N-1))
}

// String returns the statistics in one line.
func (a *LossAgg) String() string {
	return fmt.Sprintf("%d losses: mean %.6g, std %.6g, from %.6g to %.6g", a.N, a.Mean, a.Std(), a.Min, a.Max)
}
