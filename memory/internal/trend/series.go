package trend

import (
	"slices"
	"time"
)

// series is a number of newest samples with what is known of the quantities by them.
type series struct {
	every   int // samples of the program that one of these stands for
	samples []taken
	leaking []bool // by quantity
	streak  []int  // number of consecutive leaking verdicts, by quantity
}

// taken is a sample with its time.
type taken struct {
	at      time.Time
	values  []float64 // by quantity
	most    []float64 // in a coarser series, the greatest values
	garbage bool      // whether it may contain garbage
}

func newSeries(quantities, every int) series {
	return series{every: every, leaking: make([]bool, quantities), streak: make([]int, quantities)}
}

func (s *series) add(t taken, window int) {
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

// coarser is a series of the least values of 16 samples each of a finer one. It finds
// growth that is too slow for the finer one, or comes in bursts that are too far apart.
type coarser struct {
	series
	least   taken // of the last few samples
	n       int   // number of these
	probing bool  // whether the next sample should contain no garbage
}

// take adds a sample of the finer series, and reports whether there is a new one of its own.
// Samples without garbage go before others.
func (c *coarser) take(t taken, window int) bool {
	if t.most == nil {
		t.most = t.values
	}
	switch {
	case c.n == 0 || c.least.garbage && !t.garbage:
		c.least = t
		c.least.values, c.least.most = slices.Clone(t.values), slices.Clone(t.most)
	case c.least.garbage == t.garbage:
		for i := range t.values {
			c.least.values[i] = min(c.least.values[i], t.values[i])
			c.least.most[i] = max(c.least.most[i], t.most[i])
		}
	}
	if !t.garbage {
		c.probing = false
	}
	c.n++
	if c.n < toOne {
		return false
	}
	c.add(c.least, window)
	c.n = 0
	return true
}

// seemsToLeak reports whether a coarser series needs a sample without garbage: the coarsest
// always has one in each of its samples, and the others if they would leak otherwise.
func (w *Watch[S]) seemsToLeak(c *coarser) bool {
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
			before = append(before, c.most[t.Quantity])
		}
	}
	slices.Sort(before)
	const few = 0.05 // share of samples, such as of a large start, that do not count
	return len(before) == 0 || t.newest > before[int(float64(len(before))*(1-few))]
}
