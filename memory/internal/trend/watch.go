package trend

import (
	"slices"
	"time"
)

// Options are the settings of a Watch. All fields must be set.
type Options struct {
	Window     int     // number of newest samples to keep
	MinSamples int     // minimum number of samples for a verdict
	Confidence float64 // confidence level of a verdict
	Alerts     []int   // indices of the quantities that raise alerts
}

// Quantity is a number that each sample contains, such as the live bytes.
type Quantity[S any] struct {
	Value     func(S) float64
	Tolerance float64 // growth per second that does not count as a leak
	Optional  bool    // whether the value is always 0 if the system does not provide it
}

// Watch decides whether the quantities in samples of type S grow.
//
// Growth may be garbage that has not been collected yet: memory that rises slowly and falls
// at each collection rises most of the time. So if a quantity seems to grow, Probing asks
// for samples without garbage, until those samples no longer grow.
//
// A Watch also keeps coarser series, which go back further; see coarseSeries.
type Watch[S any] struct {
	options    Options
	quantities []Quantity[S]
	samples    []S
	fine       series
	coarse     []*coarseSeries // each is computed from the one before it

	probing    bool
	sinceProbe int // samples since probing began or ended
}

// New returns a Watch without samples.
func New[S any](o Options, quantities []Quantity[S]) *Watch[S] {
	w := &Watch[S]{options: o, quantities: quantities}
	w.Restart()
	return w
}

// Restart forgets all samples.
func (w *Watch[S]) Restart() {
	n := len(w.quantities)
	w.samples, w.fine, w.coarse = nil, newSeries(n, 1), nil
	every := 1
	for range coarserSeries {
		every *= toOne
		w.coarse = append(w.coarse, &coarseSeries{series: newSeries(n, every)})
	}
	w.probing, w.sinceProbe = false, 0
}

// confirm is the divisor of MinSamples that gives the number of verdicts needed to confirm
// a leak. One verdict is not enough: there is a test at every sample, and many tests give a
// wrong verdict more often than one.
const confirm = 5

// Probing reports whether the next sample should contain no garbage.
func (w *Watch[S]) Probing() bool {
	return w.probing || slices.ContainsFunc(w.coarse, func(c *coarseSeries) bool { return c.probing })
}

// Newest returns the time of the newest sample, zero if there is none.
func (w *Watch[S]) Newest() time.Time {
	if len(w.fine.samples) == 0 {
		return time.Time{}
	}
	return w.fine.samples[len(w.fine.samples)-1].at
}

// Add adds a sample, which must be newer than the previous ones. It returns the trends of
// the quantities that have begun to leak. garbage tells whether the sample may contain
// garbage.
func (w *Watch[S]) Add(s S, at time.Time, garbage bool) (alerts []Fit) {
	w.samples = newest(append(w.samples, s), w.options.Window)
	t := sample{at: at, values: make([]float64, len(w.quantities)), garbage: garbage}
	for i, q := range w.quantities {
		t.values[i] = q.Value(s)
	}
	w.fine.add(t, w.options.Window)
	alerts = w.alert(&w.fine, garbage)
	for _, c := range w.coarse {
		if !c.addFiner(t, w.options.Window) {
			break
		}
		t = c.samples[len(c.samples)-1]
		alerts = append(alerts, w.alert(&c.series, t.garbage)...)
		c.probing = w.seemsToLeak(c)
	}
	w.sinceProbe++
	if garbage != w.probing { // the sample is of the kind that Probing asked for
		w.decide()
	}
	return alerts
}

// alert judges the quantities after a new sample of a series. It returns the trends of
// the quantities that have begun to leak.
func (w *Watch[S]) alert(s *series, garbage bool) (alerts []Fit) {
	for _, q := range w.options.Alerts {
		t := w.judge(s, q)
		switch {
		case t.Verdict == Flat:
			s.leaking[q], s.streak[q] = false, 0
		case t.Verdict == Unsure:
			s.streak[q] = 0
		case !garbage:
			s.streak[q]++
		}
		if !s.leaking[q] && s.streak[q] > w.options.MinSamples/confirm {
			if !w.leaks(q) {
				alerts = append(alerts, t)
			}
			s.leaking[q] = true
		}
	}
	return alerts
}

// leaks reports whether a quantity leaks according to any of the series.
func (w *Watch[S]) leaks(q int) bool {
	return w.fine.leaking[q] || slices.ContainsFunc(w.coarse, func(c *coarseSeries) bool { return c.leaking[q] })
}

// Samples returns the samples in the window, oldest first.
func (w *Watch[S]) Samples() []S { return slices.Clone(w.samples) }

// Trend returns the trend of a quantity in the finest series in which it leaks. If it leaks
// in none, Trend judges the samples themselves.
func (w *Watch[S]) Trend(q int) Fit {
	fine := w.judge(&w.fine, q)
	if fine.Verdict == Leaking {
		return fine
	}
	for _, c := range w.coarse {
		if t := w.judge(&c.series, q); t.Verdict == Leaking {
			return t
		}
	}
	return fine
}

// judge is like judgeAlone, but returns Unsure if the quantity only grows back to an
// earlier level.
func (w *Watch[S]) judge(s *series, q int) Fit {
	t := w.judgeAlone(s, q)
	if t.Verdict == Leaking && !w.isNew(s, t) {
		t.Verdict = Unsure
	}
	return t
}

// judgeAlone judges a quantity by the samples without garbage. If there are too few of
// them, it uses all samples, and the verdict is never Leaking.
func (w *Watch[S]) judgeAlone(s *series, q int) Fit {
	var clean []sample
	for _, t := range s.samples {
		if !t.garbage {
			clean = append(clean, t)
		}
	}
	if len(clean) == len(s.samples) || len(clean) >= w.options.MinSamples {
		return w.fit(q, clean, s.every)
	}
	t := w.fit(q, s.samples, s.every)
	if t.Verdict == Leaking {
		t.Verdict = Unsure
	}
	return t
}

// A probe starts if the last probeStart samples seem to grow. It ends if twice as many
// samples do not.
const probeStart = 10

// decide starts a probe if the latest samples seem to grow. It ends the probe if the
// samples without garbage do not grow.
func (w *Watch[S]) decide() {
	enough := probeStart
	if w.probing {
		enough = 2 * probeStart
	}
	if w.sinceProbe < enough {
		return
	}
	probe := false
	for _, q := range w.options.Alerts {
		probe = probe || w.seemsToGrow(q, w.fine.samples[max(len(w.fine.samples)-w.sinceProbe, 0):])
	}
	if probe != w.probing {
		w.probing, w.sinceProbe = probe, 0
	}
}

// seemsToGrow reports whether a quantity seems to grow in a few samples.
func (w *Watch[S]) seemsToGrow(q int, samples []sample) bool {
	if w.probing {
		samples = samples[len(samples)/2:]
	}
	ps := make([]point, len(samples))
	for i, s := range samples {
		ps[i] = point{s.at.Sub(samples[0].at).Seconds(), s.values[q]}
	}
	return median(pairs(medians(ps))) > w.quantities[q].Tolerance
}
