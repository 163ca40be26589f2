// Package trend says whether quantities grow over time, from samples of them. It
// does not know what the quantities are. A Watch is not for several goroutines at
// once.
package trend

import "math"

// Verdict is the conclusion from a trend.
type Verdict string

// The verdicts.
const (
	Leaking Verdict = "leaking" // it grows by more than the tolerance
	Flat    Verdict = "flat"    // it grows by no more than the tolerance
	Unsure  Verdict = "unsure"  // there are too few samples, they vary too much, or they do not have this quantity
)

// Fit is the straight line that fits the samples best, by least squares.
type Fit struct {
	Quantity int     // its number
	Slope    float64 // growth per second
	Error    float64 // standard error of the slope, larger if neighbouring samples are correlated
	Samples  int
	Verdict  Verdict
}

// fit fits and judges. The slope divided by its error follows Student's
// distribution, so with q its quantile at the confidence, the true slope is
// above slope - q x error with that confidence, and below slope + q x error.
//
// Memory moves in waves, so that a sample says less than one more throw of dice
// would. With rho the correlation of neighbouring residuals, n samples are worth
// n (1 - rho) / (1 + rho) independent ones.
//
// The first tenth of the samples is left out: programs grow while they start.
func (w *Watch[S]) fit(number int, samples []taken[S]) Fit {
	q := &w.quantities[number]
	t := Fit{Quantity: number, Verdict: Unsure}
	enough := len(samples) >= w.options.MinSamples
	samples = samples[len(samples)/10:]
	t.Samples = len(samples)
	if !enough || len(samples) < 3 {
		return t
	}
	var x, y float64
	start := samples[0].at
	n := float64(len(samples))
	for _, s := range samples {
		x += s.at.Sub(start).Seconds() / n
		y += q.Value(s.sample) / n
	}
	var xx, xy float64
	for _, s := range samples {
		dx := s.at.Sub(start).Seconds() - x
		xx += dx * dx
		xy += dx * (q.Value(s.sample) - y)
	}
	if xx == 0 || (y == 0 && q.Optional) {
		return t // all at one moment, or it was never read
	}
	t.Slope = xy / xx
	var rest, neighbours, last float64
	for _, s := range samples {
		d := q.Value(s.sample) - y - t.Slope*(s.at.Sub(start).Seconds()-x)
		rest += d * d
		neighbours += d * last
		last = d
	}
	t.Error = math.Sqrt(rest / (n - 2) / xx / independent(neighbours, rest))
	margin := w.quantile(len(samples)-2) * t.Error
	switch {
	case t.Slope-margin > q.Tolerance:
		t.Verdict = Leaking
	case t.Slope+margin <= q.Tolerance:
		t.Verdict = Flat
	}
	return t
}

// quantile is studentQuantile at the watch's confidence, each worked out once: it
// takes half a millisecond.
func (w *Watch[S]) quantile(df int) float64 {
	q, ok := w.quantiles[df]
	if !ok {
		q = studentQuantile(w.options.Confidence, float64(df))
		w.quantiles[df] = q
	}
	return q
}
