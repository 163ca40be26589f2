package memory

import (
	"fmt"
)

// Verdict is the conclusion from a trend.
type Verdict string

// The verdicts.
const (
	Leaking Verdict = "leaking" // it grows by more than the tolerance
	Flat    Verdict = "flat"    // it grows by no more than the tolerance
	Unsure  Verdict = "unsure"  // there are too few samples, they vary too much, or they do not have this quantity
)

// Trend is the straight line that fits the samples best, by least squares.
type Trend struct {
	Quantity   Quantity
	Slope      float64 // growth per second
	Error      float64 // standard error of the slope, larger if neighbouring samples are correlated
	Samples    int
	Verdict    Verdict
	Confidence float64 // at which the verdict holds
}

// String is one line for a log.
func (t Trend) String() string {
	return fmt.Sprintf("%s: %+.4g ± %.2g a second over %d samples: %s at %g %% confidence",
		t.Quantity, t.Slope, t.Error, t.Samples, t.Verdict, 100*t.Confidence)
}
