// Package trend says whether quantities grow over time, from samples of them. It
// does not know what the quantities are. A Watch is not for several goroutines at
// once.
package trend

import (
	"math"
	"slices"
)

// Verdict is the conclusion from a trend.
type Verdict string

// The verdicts.
const (
	Leaking Verdict = "leaking" // it grows by more than the tolerance
	Flat    Verdict = "flat"    // it grows by no more than the tolerance
	Unsure  Verdict = "unsure"  // there are too few samples, they vary too much, or they do not have this quantity
)

// Fit is the line that fits the newer half of the samples.
type Fit struct {
	Quantity int     // its number
	Slope    float64 // growth per second
	Error    float64 // half the width of the interval that the slope is in, at the confidence
	Samples  int
	Verdict  Verdict
}

const (
	blocks = 10 // that the samples are put into

	// Growth has to show in each part of the newer half: the slope of the second part
	// is at least this share of that of the first. What fills up grows ever more slowly.
	steady = 0.6
	// Growth has to stand out: it is this many times the deviation of the samples from
	// the line.
	distinct = 6
)

// point is a sample of one quantity.
type point struct{ at, value float64 }

// fit judges the newer half of the samples: a program that is still filling its caches
// grows in the older half.
//
// Memory moves in waves, so neighbouring samples are no independent ones. They are put
// into ten blocks, whose medians are. The slope is the median of the slopes between all
// pairs of blocks, of Theil and Sen. If the blocks came in a random order around a line,
// the number of pairs with a smaller slope than the line's would have Kendall's
// distribution. That gives the bounds of the slope.
func (w *Watch[S]) fit(number int, samples []taken[S]) Fit {
	q := &w.quantities[number]
	t := Fit{Quantity: number, Verdict: Unsure}
	all := make([]point, len(samples))
	read := !q.Optional
	for i, s := range samples {
		all[i] = point{s.at.Sub(samples[0].at).Seconds(), q.Value(s.sample)}
		read = read || all[i].value != 0
	}
	half := all[len(all)/2:]
	t.Samples = len(half)
	if len(all) < w.options.MinSamples || !read || half[0].at == half[len(half)-1].at {
		return t
	}
	ms := medians(half)
	slopes := pairs(ms)
	t.Slope = median(slopes)
	k, ok := Rank(len(ms), w.options.Confidence)
	if !ok {
		return t
	}
	low, high := slopes[k], slopes[len(slopes)-1-k]
	t.Error = (high - low) / 2
	switch {
	case high <= q.Tolerance:
		t.Verdict = Flat
	case low > q.Tolerance && goesOn(ms, q.Tolerance) && standsOut(half, t.Slope) && isHigher(all, ms):
		t.Verdict = Leaking
	}
	return t
}

// medians puts points into blocks and returns the middle of each.
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

// median is that of sorted values; 0 of none.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// goesOn reports whether both parts of the points grow, the second not much more slowly.
func goesOn(ps []point, tolerance float64) bool {
	middle := len(ps) / 2
	first, second := median(pairs(ps[:middle+1])), median(pairs(ps[middle:]))
	return first > tolerance && second > tolerance && second >= steady*first
}

// standsOut reports whether points grow by more than they vary around their line.
func standsOut(ps []point, slope float64) bool {
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
	const deviation = 1.4826 // a normal distribution's, over its median deviation
	return slope*(ps[len(ps)-1].at-ps[0].at) > distinct*deviation*median(rest)
}

// isHigher reports whether the newest of the medians is above the samples of the older half.
func isHigher(all, ms []point) bool {
	before := make([]float64, 0, len(all)/2)
	for _, p := range all[:len(all)/2] {
		before = append(before, p.value)
	}
	return len(before) == 0 || ms[len(ms)-1].value > slices.Max(before)
}

// Rank returns how many of the smallest slopes between n blocks may be left out so that the
// slope is above the next with the confidence; false if n is too small for it. It is
// the number of inversions that a random order of n things has no more of otherwise.
func Rank(n int, confidence float64) (k int, ok bool) {
	share := []float64{1} // of the orders, by their inversions
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
