package memory

import (
	"fmt"
	"time"
)

// Verdict is the conclusion from a [Trend].
type Verdict string

// The verdicts.
const (
	Leaking Verdict = "leaking" // the quantity grows faster than the tolerance
	Flat    Verdict = "flat"    // the quantity does not grow faster than the tolerance
	// There are too few samples, they vary too much, or the quantity is unknown.
	Unsure Verdict = "unsure"
)

// Trend is a line fitted to the newer half of the samples by the Theil-Sen method. The
// samples are divided into ten blocks. Slope is the median of the slopes between all
// pairs of block medians.
//
// The verdict is Leaking if all of the following hold:
//   - The whole confidence interval of the slope is above the tolerance.
//   - Both parts of the newer half grow, and the growth does not slow down.
//   - The growth is more than six times the samples' deviation from the line.
//   - No sample of the older half is higher than the newest samples. At most 5 % of the
//     earlier samples in the next coarser series are higher.
//
// A [Monitor] has two coarser series. A sample of the first is the minimum of 16 of the
// Monitor's samples, and a sample of the second the minimum of 256. Their tolerances are
// 1/16 and 1/256 of the Monitor's. They detect slow growth and growth in bursts. A Trend
// describes the finest series in which the quantity leaks. If it leaks in none, the Trend
// describes the samples themselves.
type Trend struct {
	Quantity   Quantity
	Slope      float64       // growth per second
	Margin     float64       // half the width of the slope's confidence interval
	Samples    int           // number of samples in the newer half
	Span       time.Duration // time from the first of these samples to the last
	Verdict    Verdict
	Confidence float64 // confidence level of the verdict
}

// String returns the trend as one line for a log.
func (t Trend) String() string {
	return fmt.Sprintf("%s: %+.4g ± %.2g per second over %d samples: %s at %g %% confidence",
		t.Quantity, t.Slope, t.Margin, t.Samples, t.Verdict, 100*t.Confidence)
}
