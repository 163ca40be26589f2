package trend

import (
	"slices"
	"time"
)

// series is a number of newest samples with what is known of the quantities by them.
type series struct {
	every   int // samples of the program that one of these stands for
	samples []sample
	leaking []bool // by quantity
	streak  []int  // number of consecutive leaking verdicts, by quantity
}

// sample is a sample with its time.
type sample struct {
	at       time.Time
	values   []float64 // by quantity
	greatest []float64 // in a coarser series, the greatest values
	garbage  bool      // whether it may contain garbage
}

func newSeries(quantities, every int) series {
	return series{every: every, leaking: make([]bool, quantities), streak: make([]int, quantities)}
}

func (s *series) add(t sample, window int) {
	s.samples = newest(append(s.samples, t), window)
}

// newest returns the last n of the list, in its memory.
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

// coarseSeries is a series of the least values of 16 samples each of a finer one. It finds
// growth that is too slow for the finer one, or comes in bursts that are too far apart.
type coarseSeries struct {
	series
	leastSample sample // of the last few samples
	count       int    // number of these
	probing     bool   // whether the next sample should contain no garbage
}

// addFiner adds a sample of the finer series, and reports whether there is a new one of its own.
// Samples without garbage go before others.
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

// seemsToLeak reports whether a coarser series needs a sample without garbage: the coarsest
// always has one in each of its samples, and the others if they would leak otherwise.
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

// isNew reports whether a fit to a series is above nearly all of what the next coarser
// series has from before. Memory that moves within bounds comes back to where it was.
func (w *Watch[S]) isNew(s *series, t Fit) bool {
	at := 0 // of the next coarser series
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
	const few = 0.05 // share of samples, such as of a large start, that do not count
	return len(before) == 0 || t.newest > before[int(float64(len(before))*(1-few))]
}
