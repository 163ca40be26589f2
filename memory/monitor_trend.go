package memory

import (
	"fmt"
	"math"
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

// trend judges by the samples that are known to count no garbage. Without enough of
// them it judges by all, and then growth is no leak yet.
func (m *Monitor) trend(q Quantity) Trend {
	var clean []Sample
	for _, s := range m.samples {
		if !s.garbage {
			clean = append(clean, s)
		}
	}
	if len(clean) == len(m.samples) || len(clean) >= m.options.MinSamples {
		return m.fit(q, clean)
	}
	t := m.fit(q, m.samples)
	if t.Verdict == Leaking {
		t.Verdict = Unsure
	}
	return t
}

// decide begins to probe when the samples since the last time seem to grow, and
// ends that when the probes have shown that nothing does.
func (m *Monitor) decide() {
	if m.taken < m.options.MinSamples {
		return
	}
	probe := false
	for _, q := range m.options.Quantities {
		if m.probing {
			probe = probe || m.trend(q).Verdict != Flat
		} else {
			newest := m.samples[max(len(m.samples)-m.taken, 0):]
			probe = probe || m.fit(q, newest).Verdict == Leaking
		}
	}
	if probe != m.probing {
		m.probing, m.taken = probe, 0
	}
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
func (m *Monitor) fit(q Quantity, samples []Sample) Trend {
	t := Trend{Quantity: q, Verdict: Unsure, Confidence: m.options.Confidence}
	enough := len(samples) >= m.options.MinSamples
	samples = samples[len(samples)/10:]
	t.Samples = len(samples)
	if !enough || len(samples) < 3 {
		return t
	}
	var x, y float64
	start := samples[0].Time
	n := float64(len(samples))
	for _, s := range samples {
		x += s.Time.Sub(start).Seconds() / n
		y += s.value(q) / n
	}
	var xx, xy float64
	for _, s := range samples {
		dx := s.Time.Sub(start).Seconds() - x
		xx += dx * dx
		xy += dx * (s.value(q) - y)
	}
	if xx == 0 || (y == 0 && (q == CHeapBytes || q == ResidentBytes)) {
		return t // all at one moment, or it was never read
	}
	t.Slope = xy / xx
	var rest, neighbours, last float64
	for _, s := range samples {
		d := s.value(q) - y - t.Slope*(s.Time.Sub(start).Seconds()-x)
		rest += d * d
		neighbours += d * last
		last = d
	}
	t.Error = math.Sqrt(rest / (n - 2) / xx / independent(neighbours, rest))
	tolerance := m.options.Tolerance
	if q == OpenTensors {
		tolerance /= 1024
	}
	margin := m.quantile(len(samples)-2) * t.Error
	switch {
	case t.Slope-margin > tolerance:
		t.Verdict = Leaking
	case t.Slope+margin <= tolerance:
		t.Verdict = Flat
	}
	return t
}

// independent is how many independent samples one is worth, given the sums of
// the products of neighbouring residuals and of their squares.
func independent(neighbours, squares float64) float64 {
	if squares == 0 {
		return 1
	}
	rho := min(max(neighbours/squares, 0), 0.99)
	return (1 - rho) / (1 + rho)
}

// quantile is studentQuantile at the monitor's confidence, each worked out
// once: it takes half a millisecond.
func (m *Monitor) quantile(df int) float64 {
	q, ok := m.quantiles[df]
	if !ok {
		q = studentQuantile(m.options.Confidence, float64(df))
		m.quantiles[df] = q
	}
	return q
}

// studentQuantile returns the value that Student's t with the given degrees of
// freedom stays below with probability p, 0.5 <= p < 1, by bisection.
func studentQuantile(p, df float64) float64 {
	lo, hi := 0.0, 1.0
	for studentCDF(hi, df) < p {
		hi *= 2
	}
	for range 60 {
		mid := (lo + hi) / 2
		if studentCDF(mid, df) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// studentCDF is the probability that Student's t is below x >= 0. Substituting
// x = sqrt(df) tan(a) leaves an integral of cos(a)^(df-1), smooth and bounded,
// for Simpson's rule.
func studentCDF(x, df float64) float64 {
	const steps = 400
	end := math.Atan(x / math.Sqrt(df))
	f := func(a float64) float64 { return math.Pow(math.Cos(a), df-1) }
	h := end / steps
	sum := f(0) + f(end)
	for i := 1; i < steps; i++ {
		sum += float64(2+2*(i%2)) * f(float64(i)*h)
	}
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	return 0.5 + math.Exp(a-b)/math.Sqrt(math.Pi)*sum*h/3
}
