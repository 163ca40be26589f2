package agg

import (
	"fmt"
	"math"
)

// LossAgg is running statistics of losses: a few numbers, however many losses there were. The
// zero value has seen none.
type LossAgg struct {
	N              int
	Last, Min, Max float64
	Mean           float64
	squares        float64 // the sum of squared distances to the mean, after Welford
}

// Add takes a loss as a number: a tensor would bring its graph along.
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

// Std is the standard deviation, with Bessel's correction as torch.std has it; NaN for fewer
// than two losses.
func (a *LossAgg) Std() float64 {
	if a.N < 2 {
		return math.NaN()
	}
	return math.Sqrt(a.squares / float64(a.N-1))
}

// String is a line for the end of a run.
func (a *LossAgg) String() string {
	return fmt.Sprintf("%d losses: mean %.6g, std %.6g, from %.6g to %.6g", a.N, a.Mean, a.Std(), a.Min, a.Max)
}
