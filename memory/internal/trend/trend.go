// Package trend decides from samples whether quantities grow over time. A Watch is not
// safe for concurrent use.
package trend

import (
	"math"
	"slices"
	"time"
)

// Verdict is the conclusion from a trend.
type Verdict string

// The verdicts.
const (
	Leaking Verdict = "leaking" // grows faster than the tolerance
	Flat    Verdict = "flat"    // does not grow faster than the tolerance
	// There are too few samples, they vary too much, or the quantity was not measured.
	Unsure Verdict = "unsure"
)

// Fit is a line fitted to the newer half of the samples.
type Fit struct {
	Quantity int     // index of the quantity
	Slope    float64 // growth per second
	Margin   float64 // half the width of the slope's confidence interval
	Samples  int
	Span     time.Duration // time from the first sample of the fit to the last
	Verdict  Verdict

	newest float64 // median of the last of the ten blocks of samples
}

const (
	blocks = 10 // number of blocks that the samples are divided into

	// In a leak both parts of the newer half grow: the slope of the second part is at least
	// this fraction of the slope of the first. A cache that fills up grows more and more
	// slowly.
	minRatio = 0.6
	// Growth counts only if it is at least this many times the deviation of the samples
	// from the fitted line.
	minDeviations = 6
)

// point is the value of one quantity at one time.
type point struct{ at, value float64 }

// fit judges the newer half of the samples. In the older half a program may still be
// filling its caches.
//
// Memory moves in waves, so neighboring samples are not independent. The samples are
// divided into ten blocks, whose medians are independent. The slope is the Theil-Sen
// estimate: the median of the slopes between all pairs of blocks. If the blocks were in
// random order around a line, the number of pairs with a smaller slope than the line's
// would have Kendall's distribution. That gives the confidence interval of the slope.
//
// In a coarser series one sample stands for several, and the tolerance is divided by that
// number.
func (w *Watch[S]) fit(number int, samples []sample, every int) Fit {
	q := &w.quantities[number]
	tolerance := q.Tolerance / float64(every)
	t := Fit{Quantity: number, Verdict: Unsure}
	all := make([]point, len(samples))
	read := !q.Optional
	for i, s := range samples {
		all[i] = point{s.at.Sub(samples[0].at).Seconds(), s.values[number]}
		read = read || all[i].value != 0
	}
	if len(all) == 0 {
		return t
	}
	half := all[len(all)/2:]
	t.Samples = len(half)
	t.Span = time.Duration((half[len(half)-1].at - half[0].at) * float64(time.Second))
	if len(all) < w.options.MinSamples || !read || half[0].at == half[len(half)-1].at {
		return t
	}
	ms := medians(half)
	t.newest = ms[len(ms)-1].value
	slopes := pairs(ms)
	t.Slope = median(slopes)
	k, ok := Rank(len(ms), w.options.Confidence)
	if !ok {
		return t
	}
	low, high := slopes[k], slopes[len(slopes)-1-k]
	t.Margin = (high - low) / 2
	switch {
	case high <= tolerance:
		t.Verdict = Flat
	case low > tolerance && goesOn(ms, tolerance) && exceedsVariation(half, t.Slope) && isHigher(all, ms):
		t.Verdict = Leaking
	}
	return t
}

// medians divides points into ten blocks and returns the median of each block.
func medians(ps []point) []point {
	n := min(blocks, len(ps))
	out := make([]point, n)
	for i := range out {
		block := ps[i*len(ps)/n : (i+1)*len(ps)/n]
		values := make([]float64, len(block))
		for j, p := range block {
			values[j] = p.value
			out[i].at += p.at / float64(len(block))
		}
		slices.Sort(values)
		out[i].value = median(values)
	}
	return out
}

// pairs returns the slopes between all pairs of points, sorted.
func pairs(ps []point) []float64 {
	var slopes []float64
	for i, p := range ps {
		for _, r := range ps[i+1:] {
			if r.at > p.at {
				slopes = append(slopes, (r.value-p.value)/(r.at-p.at))
			}
		}
	}
	slices.Sort(slopes)
	return slopes
}

// median returns the median of sorted values, or 0 if there are none.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// goesOn reports whether both halves of the points grow, and the second half is not much
// slower than the first.
func goesOn(ps []point, tolerance float64) bool {
	middle := len(ps) / 2
	first, second := median(pairs(ps[:middle+1])), median(pairs(ps[middle:]))
	return first > tolerance && second > tolerance && second >= minRatio*first
}

// exceedsVariation reports whether the growth of the points is much larger than their
// deviation from the line.
func exceedsVariation(ps []point, slope float64) bool {
	rest := make([]float64, len(ps))
	for i, p := range ps {
		rest[i] = p.value - slope*p.at
	}
	slices.Sort(rest)
	middle := median(rest)
	for i, r := range rest {
		rest[i] = math.Abs(r - middle)
	}
	slices.Sort(rest)
	const deviation = 1.4826 // of a normal distribution: standard deviation divided by median absolute deviation
	return slope*(ps[len(ps)-1].at-ps[0].at) > minDeviations*deviation*median(rest)
}

// isHigher reports whether the newest of the medians is above all samples of the older half
// of the points.
func isHigher(all, ms []point) bool {
	before := make([]float64, 0, len(all)/2)
	for _, p := range all[:len(all)/2] {
		before = append(before, p.value)
	}
	return len(before) == 0 || ms[len(ms)-1].value > slices.Max(before)
}

// Rank returns how many of the smallest slopes between n blocks may be left out, so that
// the true slope is above the next one with the given confidence. It reports false if n is
// too small. k is a quantile of the number of inversions in a random permutation of n
// elements.
func Rank(n int, confidence float64) (k int, ok bool) {
	share := []float64{1} // share[i] is the probability of i inversions
	for m := 2; m <= n; m++ {
		next := make([]float64, len(share)+m-1)
		for i, s := range share {
			for j := range m {
				next[i+j] += s / float64(m)
			}
		}
		share = next
	}
	sum := 0.0
	for k = range share {
		sum += share[k]
		if sum > 1-confidence {
			break
		}
	}
	return k - 1, k > 0
}

// Decides reports whether this number of samples is enough for a verdict with this
// confidence level.
func Decides(samples int, confidence float64) bool {
	_, ok := Rank(min(blocks, samples-samples/2), confidence)
	return ok
}
