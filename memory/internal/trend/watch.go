package trend

import "time"

// Options are the settings of a Watch; all have to be given.
type Options struct {
	Window     int     // how many samples are kept, the newest
	MinSamples int     // how many a verdict needs
	Confidence float64 // how certain a verdict is
	Alerts     []int   // the numbers of the quantities that raise alerts
}

// Quantity is a number that each sample has.
type Quantity[S any] struct {
	Value     func(S) float64
	Tolerance float64 // growth per second that does not count as a leak
	Optional  bool    // it may not have been read, and is always zero then
}

// Watch judges samples of type S.
//
// Growth may be garbage that nobody has collected: a saw-tooth rises most of the
// time. So what looks like a leak is looked at again with collections: Probing
// asks for samples without garbage, until these have shown whether it is one.
type Watch[S any] struct {
	options    Options
	quantities []Quantity[S]
	samples    []taken[S]
	leaking    []bool          // by quantity
	quantiles  map[int]float64 // by degrees of freedom

	probing bool
	since   int // samples since probing began or ended
}

// taken is a sample.
type taken[S any] struct {
	sample  S
	at      time.Time
	garbage bool // some of it may be dead
}

// New returns a Watch without samples.
func New[S any](o Options, quantities []Quantity[S]) *Watch[S] {
	return &Watch[S]{options: o, quantities: quantities, leaking: make([]bool, len(quantities)), quantiles: map[int]float64{}}
}

// Probing says that the next sample should have no garbage in it.
func (w *Watch[S]) Probing() bool { return w.probing }

// Add adds a sample, later than those before, and returns the quantities that
// begin to leak. garbage says that some of what it counts may be dead.
func (w *Watch[S]) Add(s S, at time.Time, garbage bool) (alerts []Fit) {
	w.samples = append(w.samples, taken[S]{s, at, garbage})
	if over := len(w.samples) - w.options.Window; over > 0 {
		w.samples = append(w.samples[:0], w.samples[over:]...)
	}
	for _, q := range w.options.Alerts {
		t := w.Trend(q)
		if t.Verdict == Leaking && !w.leaking[q] {
			alerts = append(alerts, t)
		}
		if t.Verdict != Unsure {
			w.leaking[q] = t.Verdict == Leaking
		}
	}
	w.since++
	if garbage != w.probing { // as it was asked for
		w.decide()
	}
	return alerts
}

// Samples returns the samples that the trend is computed from, oldest first.
func (w *Watch[S]) Samples() []S {
	var out []S
	for _, s := range w.samples {
		out = append(out, s.sample)
	}
	return out
}

// Trend judges a quantity by the samples that are known to count no garbage.
// Without enough of them it judges by all, and then growth is no leak yet.
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

// decide begins to probe when the samples since the last time seem to grow, and
// ends that when the probes have shown that nothing does.
func (w *Watch[S]) decide() {
	if w.since < w.options.MinSamples {
		return
	}
	probe := false
	for _, q := range w.options.Alerts {
		if w.probing {
			probe = probe || w.Trend(q).Verdict != Flat
		} else {
			newest := w.samples[max(len(w.samples)-w.since, 0):]
			probe = probe || w.fit(q, newest).Verdict == Leaking
		}
	}
	if probe != w.probing {
		w.probing, w.since = probe, 0
	}
}
