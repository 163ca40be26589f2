package batching

import (
	"fmt"
	"slices"
	"time"
)

// Stats are statistics of a Batcher since it was made.
type Stats struct {
	Answered int64 // the number of requests that got a result
	Failed   int64 // the number of requests whose forward pass failed
	Left     int64 // the number of requests whose context was done before they had an answer
	Refused  int64 // the number of requests of a wrong shape, to a full queue, or after Close
	Passes   int64 // the number of forward passes, including failed ones
	Repeated int64 // the number of passes that repeat a part of a failed pass

	Queued  int // the number of requests waiting for a forward pass
	Blocked int // the number of requests waiting for room in the queue
	Running int // the number of requests in forward passes

	Sizes   Histogram // the number of requests in each forward pass
	Waits   Histogram // the seconds from each request to the start of its forward pass
	Latency Histogram // the seconds from each request to its answer
}

// String returns the statistics on one line, such as
//
//	112 requests in 7 passes (16.0 in one), 0 failed, ...; latency 1.2 ms, 99 % within 3.5 ms
func (s Stats) String() string {
	mean := func(h Histogram) float64 {
		if h.Count == 0 {
			return 0
		}
		return h.Sum / float64(h.Count)
	}
	seconds := func(v float64) time.Duration { return time.Duration(v * float64(time.Second)).Round(time.Microsecond) }
	return fmt.Sprintf("%d requests in %d passes (%.1f in one), %d failed, %d left, %d refused; %d queued, %d "+
		"blocked, %d running; latency %v, 99 %% within %v",
		s.Answered, s.Passes, mean(s.Sizes), s.Failed, s.Left, s.Refused, s.Queued, s.Blocked, s.Running,
		seconds(mean(s.Latency)), seconds(s.Latency.Quantile(0.99)))
}

// Histogram counts how many values lie in each of several ranges.
type Histogram struct {
	Bounds []float64 // the upper bounds of all counts except the last, ascending
	Counts []int64   // Counts[i] is the number of values above Bounds[i-1] and at most Bounds[i]
	Count  int64     // the number of all values
	Sum    float64   // the sum of all values
}

// Quantile estimates the q-quantile of the values, for q from 0 to 1; 0.5 is the median.
// It assumes that the values between two bounds are evenly spread, and that the values
// above the last bound equal that bound. It returns 0 if there are no values.
func (h Histogram) Quantile(q float64) float64 {
	rank, below, lower := min(max(q, 0), 1)*float64(h.Count), 0.0, 0.0
	for i, n := range h.Counts {
		if i == len(h.Bounds) {
			break
		}
		if upper := h.Bounds[i]; n > 0 && below+float64(n) >= rank {
			return lower + (upper-lower)*(rank-below)/float64(n)
		}
		below, lower = below+float64(n), h.Bounds[i]
	}
	if h.Count == 0 {
		return 0
	}
	return lower
}

func newHistogram(bounds []float64) Histogram {
	return Histogram{Bounds: bounds, Counts: make([]int64, len(bounds)+1)}
}

func (h *Histogram) add(v float64) {
	i, _ := slices.BinarySearch(h.Bounds, v)
	h.Counts[i]++
	h.Count++
	h.Sum += v
}

// copied copies the counts; the bounds never change.
func (h Histogram) copied() Histogram {
	h.Bounds, h.Counts = slices.Clone(h.Bounds), slices.Clone(h.Counts)
	return h
}

// timeBounds returns the bounds of a histogram of times, in seconds: from 10
// microseconds to 10 seconds, five per decade.
func timeBounds() []float64 {
	var bounds []float64
	for _, unit := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1} {
		for _, step := range []float64{1, 1.6, 2.5, 4, 6.3} {
			bounds = append(bounds, unit*step)
		}
	}
	return append(bounds, 10)
}

// sizeBounds returns the bounds of a histogram of batch sizes: the powers of two below
// n, and n.
func sizeBounds(n int) []float64 {
	var bounds []float64
	for size := 1; size < n && size > 0; size *= 2 {
		bounds = append(bounds, float64(size))
	}
	return append(bounds, float64(n))
}
