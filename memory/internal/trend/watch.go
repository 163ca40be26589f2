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
// time. So what seems to grow at a glance is looked at again with collections: Probing
// asks for samples without garbage, as long as these grow.
type Watch[S any] struct {
	options    Options
	quantities []Quantity[S]
	samples    []taken[S]
	leaking    []bool // by quantity
	streak     []int  // of verdicts that it leaks, by quantity

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
	return &Watch[S]{options: o, quantities: quantities, leaking: make([]bool, len(quantities)), streak: make([]int, len(quantities))}
}

// confirm is the share of MinSamples that are to confirm a verdict: whoever looks at every
// sample is misled more often than at one.
const confirm = 5

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

// glance is how many samples it takes to begin to probe; twice as many end it.
const glance = 10

// decide begins to probe when the samples since the last time seem to grow, and
// ends that when those of the probe do not.
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

// seemsToGrow is a judgment of few samples.
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
