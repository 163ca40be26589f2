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

// Trend is the line that fits the newer half of the samples, by the method of Theil and
// Sen: they are put into ten blocks, and Slope is the median of the slopes between the
// medians of all pairs of blocks.
//
// The verdict is Leaking if the whole interval of the slope is above the tolerance, both
// parts of the newer half grow, the growth does not slow down, it is more than six times
// the samples' deviation from the line, and no sample of the older half was higher than the
// newest ones.
type Trend struct {
	Quantity   Quantity
	Slope      float64 // growth per second
	Error      float64 // half the width of the interval that the slope is in, at the confidence
	Samples    int     // of the newer half
	Verdict    Verdict
	Confidence float64 // at which the verdict holds
}

// String is one line for a log.
func (t Trend) String() string {
	return fmt.Sprintf("%s: %+.4g ± %.2g a second over %d samples: %s at %g %% confidence",
		t.Quantity, t.Slope, t.Error, t.Samples, t.Verdict, 100*t.Confidence)
}
