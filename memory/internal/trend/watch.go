package trend

import "time"

// Options are the settings of a Watch. All fields must be set.
type Options struct {
	Window     int     // number of newest samples to keep
	MinSamples int     // number of samples that a verdict needs
	Confidence float64 // confidence level of a verdict
	Alerts     []int   // numbers of the quantities that raise alerts
}

// Quantity is a number in each sample.
type Quantity[S any] struct {
	Value     func(S) float64
	Tolerance float64 // growth per second that does not count as a leak
	Optional  bool    // always zero if it was not read
}

// Watch judges samples of type S.
//
// Growth may be garbage that has not been collected yet: memory in a saw-tooth rises most
// of the time. So if a quantity seems to grow, Probing asks for samples without garbage,
// as long as these grow.
type Watch[S any] struct {
	options    Options
	quantities []Quantity[S]
	samples    []taken[S]
	leaking    []bool // by quantity
	streak     []int  // number of consecutive leaking verdicts, by quantity

	probing bool
	since   int // samples since probing began or ended
}

// taken is a sample with its time.
type taken[S any] struct {
	sample  S
	at      time.Time
	garbage bool // whether it may contain garbage
}

// New returns a Watch without samples.
func New[S any](o Options, quantities []Quantity[S]) *Watch[S] {
	return &Watch[S]{options: o, quantities: quantities, leaking: make([]bool, len(quantities)),
		streak: make([]int, len(quantities))}
}

// confirm is the divisor of MinSamples that gives the number of verdicts needed to
// confirm a leak. A test at every sample is wrong more often than a single test.
const confirm = 5

// Probing reports whether the next sample should contain no garbage.
func (w *Watch[S]) Probing() bool { return w.probing }

// Add adds a sample, which must be newer than the previous ones. It returns the
// quantities that begin to leak. garbage tells whether the sample may contain garbage.
func (w *Watch[S]) Add(s S, at time.Time, garbage bool) (alerts []Fit) {
	w.samples = append(w.samples, taken[S]{s, at, garbage})
	if over := len(w.samples) - w.options.Window; over > 0 {
		w.samples = append(w.samples[:0], w.samples[over:]...)
	}
	for _, q := range w.options.Alerts {
		t := w.Trend(q)
		switch {
		case t.Verdict == Flat:
			w.leaking[q], w.streak[q] = false, 0
		case t.Verdict == Unsure:
			w.streak[q] = 0
		case !garbage:
			w.streak[q]++
		}
		if !w.leaking[q] && w.streak[q] > w.options.MinSamples/confirm {
			w.leaking[q] = true
			alerts = append(alerts, t)
		}
	}
	w.since++
	if garbage != w.probing { // as requested
		w.decide()
	}
	return alerts
}

// Samples returns the samples in the window, oldest first.
func (w *Watch[S]) Samples() []S {
	var out []S
	for _, s := range w.samples {
		out = append(out, s.sample)
	}
	return out
}

// Trend judges a quantity by the samples without garbage. If there are too few of them,
// it uses all samples, and the verdict is never Leaking.
func (w *Watch[S]) Trend(q int) Fit {
	var clean []taken[S]
	for _, s := range w.samples {
		if !s.garbage {
			clean = append(clean, s)
		}
	}
	if len(clean) == len(w.samples) || len(clean) >= w.options.MinSamples {
		return w.fit(q, clean)
	}
	t := w.fit(q, w.samples)
	if t.Verdict == Leaking {
		t.Verdict = Unsure
	}
	return t
}

// glance is the number of samples that may start a probe. Twice as many may end it.
const glance = 10

// decide starts a probe if the latest samples seem to grow, and ends it if the samples of
// the probe do not.
func (w *Watch[S]) decide() {
	enough := glance
	if w.probing {
		enough = 2 * glance
	}
	if w.since < enough {
		return
	}
	probe := false
	for _, q := range w.options.Alerts {
		probe = probe || w.seemsToGrow(q, w.samples[max(len(w.samples)-w.since, 0):])
	}
	if probe != w.probing {
		w.probing, w.since = probe, 0
	}
}

// seemsToGrow judges a few samples.
func (w *Watch[S]) seemsToGrow(number int, samples []taken[S]) bool {
	q := &w.quantities[number]
	if w.probing {
		samples = samples[len(samples)/2:]
	}
	ps := make([]point, len(samples))
	for i, s := range samples {
		ps[i] = point{s.at.Sub(samples[0].at).Seconds(), q.Value(s.sample)}
	}
	return median(pairs(medians(ps))) > q.Tolerance
}
