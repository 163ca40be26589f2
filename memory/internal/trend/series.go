package trend

import (
	"slices"
	"time"
)

// series contains the newest samples, and the conclusions from them about each quantity.
type series struct {
	every   int // number of the program's samples per sample
	samples []sample
	leaking []bool // by quantity
	streak  []int  // number of consecutive leaking verdicts, by quantity
}

// sample contains the values of all quantities at one time.
type sample struct {
	at       time.Time
	values   []float64 // by quantity
	greatest []float64 // in a coarser series, the maxima; values are the minima
	garbage  bool      // whether it may contain garbage
}

func newSeries(quantities, every int) series {
	return series{every: every, leaking: make([]bool, quantities), streak: make([]int, quantities)}
}

func (s *series) add(t sample, window int) {
	s.samples = newest(append(s.samples, t), window)
}

// newest returns the last n elements of list. It reuses the list's memory.
func newest[T any](list []T, n int) []T {
	if over := len(list) - n; over > 0 {
		list = append(list[:0], list[over:]...)
	}
	return list
}

// A Watch has two coarser series, whose samples stand for 16 and 256 samples: 8 seconds and
// two minutes, if samples are half a second apart.
const (
	coarserSeries = 2
	toOne         = 16
)

// coarseSeries is a series whose samples are the minima of 16 samples of a finer series. It
// finds growth that is too slow for the finer series, or that comes in bursts too far
// apart.
type coarseSeries struct {
	series
	leastSample sample // minimum of the finer samples since a sample was added
	count       int    // number of these finer samples
	probing     bool   // whether the next sample should contain no garbage
}

// addFiner adds a sample of the finer series, and reports whether this completed a sample
// of c. Samples that may contain garbage count only if there are no others.
func (c *coarseSeries) addFiner(t sample, window int) bool {
	if t.greatest == nil {
		t.greatest = t.values
	}
	switch {
	case c.count == 0 || c.leastSample.garbage && !t.garbage:
		c.leastSample = t
		c.leastSample.values, c.leastSample.greatest = slices.Clone(t.values), slices.Clone(t.greatest)
	case c.leastSample.garbage == t.garbage:
		for i := range t.values {
			c.leastSample.values[i] = min(c.leastSample.values[i], t.values[i])
			c.leastSample.greatest[i] = max(c.leastSample.greatest[i], t.greatest[i])
		}
	}
	if !t.garbage {
		c.probing = false
	}
	c.count++
	if c.count < toOne {
		return false
	}
	c.add(c.leastSample, window)
	c.count = 0
	return true
}

// seemsToLeak reports whether c needs a sample without garbage. The coarsest series needs
// one in each of its samples. The other series need one if they seem to leak.
func (w *Watch[S]) seemsToLeak(c *coarseSeries) bool {
	if c == w.coarse[len(w.coarse)-1] {
		return true
	}
	for _, q := range w.options.Alerts {
		if w.fit(q, c.samples, c.every).Verdict == Leaking {
			return true
		}
	}
	return false
}

// isNew reports whether the newest values of a fit are above nearly all earlier samples of
// the next coarser series. Memory that moves within bounds returns to earlier values.
func (w *Watch[S]) isNew(s *series, t Fit) bool {
	at := 0 // index of the next coarser series
	for at < len(w.coarse) && w.coarse[at].every <= s.every {
		at++
	}
	if at == len(w.coarse) {
		return true
	}
	var before []float64
	for _, c := range w.coarse[at].samples {
		if c.at.Before(s.samples[0].at) && !c.garbage {
			before = append(before, c.greatest[t.Quantity])
		}
	}
	slices.Sort(before)
	const few = 0.05 // fraction of samples that do not count, such as a large start
	return len(before) == 0 || t.newest > before[int(float64(len(before))*(1-few))]
}
