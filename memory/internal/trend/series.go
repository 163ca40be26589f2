package trend

import (
	"slices"
	"time"
)

// series contains the newest samples, and for each quantity whether they show a leak.
type series struct {
	every   int // how many of the program's samples one sample stands for
	samples []sample
	leaking []bool // by quantity
	streak  []int  // by quantity: number of consecutive verdicts Leaking
}

// sample contains the values of all quantities at one time.
type sample struct {
	at     time.Time
	values []float64 // by quantity
	// In a coarser series, the maxima of the samples that this sample stands for. Values
	// are their minima.
	greatest []float64
	garbage  bool // whether the values may include garbage
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

// A Watch has two coarser series. A sample in them stands for 16 or 256 of the program's
// samples. If the program takes two samples per second, these are 8 seconds and about two
// minutes.
const (
	coarserSeries = 2
	toOne         = 16
)

// coarseSeries is a series in which each sample is the minimum of 16 samples of a finer
// series. It finds growth that is too slow for the finer series, or whose bursts are too
// far apart.
type coarseSeries struct {
	series
	leastSample sample // minimum of the finer samples that came after the last sample of this series
	count       int    // number of finer samples in leastSample
	probing     bool   // whether the program should collect garbage before its next sample
}

// addFiner adds a sample of the finer series, and reports whether this completed a sample
// of c. It uses finer samples that may contain garbage only if there are no others.
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
// a finer sample without garbage for each of its samples. The other series need one if
// they seem to show a leak.
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

// isNew reports whether the newest value of t is above nearly all values that the next
// coarser series has from the time before s. Memory that moves within bounds returns to
// earlier values, so it is not new.
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
	// The highest of the earlier values, such as a peak at the program's start, are
	// ignored. few is the fraction of these values.
	const few = 0.05
	return len(before) == 0 || t.newest > before[int(float64(len(before))*(1-few))]
}
