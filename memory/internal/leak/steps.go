package leak

import (
	"slices"

	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/tensors"
	"github.com/gotorch/gotorch/memory/internal/trend"
)

// measurement is the memory in use after some step.
type measurement struct {
	steps       int
	open, freed int64
	bytes       int64
	lines       map[string]int64 // tensors by line
	objects     []objects.Group  // by kind
}

func (c *Check) record(f footprint) {
	l := measurement{c.steps, f.open(), f.freed, f.bytes, map[string]int64{}, objects.OfKind(f.objects)}
	for _, g := range tensors.ByLine(f.tensors) {
		l.lines[g.Key] = g.Count
	}
	c.measurements = append(c.measurements, l)
}

func (l measurement) objectsOf(kind string) objects.Group {
	for _, g := range l.objects {
		if g.Kind == kind {
			return g
		}
	}
	return objects.Group{}
}

// dropSteady removes from f all growth that did not continue over the last half of the
// steps.
func (c *Check) dropSteady(f *Found) {
	grows := func(value func(measurement) int64) bool {
		values, half := make([]int64, len(c.measurements)), 0
		for i, l := range c.measurements {
			values[i] = value(l)
			if l.steps <= c.steps/2 {
				half = i
			}
		}
		return goesOn(values[:half], values[half:])
	}
	if !grows(func(l measurement) int64 { return l.open }) {
		f.Count = min(f.Count, 0)
		if steady := c.steadyLines(); f.Count <= 0 && grows(steady) {
			f.Count = steady(c.measurements[len(c.measurements)-1]) - steady(c.measurements[0])
			f.Lines = slices.DeleteFunc(f.Lines, func(g groups.Growth) bool { return !c.neverFalls(g.Key) })
		}
	}
	if !grows(func(l measurement) int64 { return l.bytes }) {
		f.Bytes = min(f.Bytes, 0)
	}
	f.Objects = slices.DeleteFunc(f.Objects, func(g objects.Group) bool {
		return !grows(func(l measurement) int64 { return l.objectsOf(g.Kind).Count }) &&
			!grows(func(l measurement) int64 { return l.objectsOf(g.Kind).Bytes })
	})
}

// steadyLines returns a function that counts the tensors of a measurement. It ignores lines
// whose number of tensors both rises and falls, because a list that is emptied from time to
// time may hide the growth of other lines. It counts lines whose number only falls, because
// lines whose number only rises may have replaced their tensors.
func (c *Check) steadyLines() func(measurement) int64 {
	counts := map[string]bool{}
	for _, l := range c.measurements {
		for line := range l.lines {
			if _, ok := counts[line]; !ok {
				rises, falls := c.moves(line)
				counts[line] = !rises || !falls
			}
		}
	}
	return func(l measurement) int64 {
		sum := -l.freed
		for line, n := range l.lines {
			if counts[line] {
				sum += n
			}
		}
		return sum
	}
}

func (c *Check) neverFalls(line string) bool {
	_, falls := c.moves(line)
	return !falls
}

// moves reports whether the number of a line's tensors ever rises, and whether it ever
// falls.
func (c *Check) moves(line string) (rises, falls bool) {
	for i, l := range c.measurements[1:] {
		was := c.measurements[i].lines[line]
		rises = rises || l.lines[line] > was
		falls = falls || l.lines[line] < was
	}
	return rises, falls
}

// goesOn reports whether memory grows over the last half of the steps. before contains
// the values measured in the first half, and last the values measured in the last half.
// Leaking memory meets all of these conditions:
//
//   - The last value is above all values of the first half. A list that was emptied in the
//     first half only grows to the same size again.
//   - Few pairs of values fall: at most as many as a random order has with a probability of
//     1 %. A cache that fills up is level, and a cache that is emptied falls.
//   - Few values are below the previous value. A queue of varying length may rise for a
//     long time, but falls at nearly every second step.
//
// The values are the medians of ten blocks, because memory may go up and down within a
// few steps. The third condition may also hold for the values themselves instead of the
// medians, with half the probability of error.
func goesOn(before, last []int64) bool {
	ms := medians(last)
	falls := 0
	for i, v := range ms {
		for _, later := range ms[i+1:] {
			if later < v {
				falls++
			}
		}
	}
	most, _ := trend.Rank(len(ms), 0.99)
	highest := slices.Max(append(before[:len(before):len(before)], ms[0]))
	return ms[len(ms)-1] > highest && falls <= max(most, 0) && (rises(ms, 0.02) || rises(last, 0.01))
}

// medians divides values into ten blocks and returns the median of each.
func medians(values []int64) []int64 {
	n := min(10, len(values))
	out := make([]int64, n)
	for i := range out {
		block := slices.Sorted(slices.Values(values[i*len(values)/n : (i+1)*len(values)/n]))
		out[i] = block[len(block)/2]
	}
	return out
}

// rises reports whether values nearly always rise: the probability that a random walk has
// so few falling steps is at most the given one.
func rises(values []int64, probability float64) bool {
	up, down := 0, 0
	for i, v := range values[1:] {
		switch {
		case v > values[i]:
			up++
		case v < values[i]:
			down++
		}
	}
	if down == 0 {
		return true
	}
	// The probability that the number of falling steps is at most down: the sum of the
	// binomial coefficients C(n, 0) to C(n, down), divided by 2^n.
	n := up + down
	term, sum := 1.0, 1.0
	for k := 1; k <= down; k++ {
		term *= float64(n-k+1) / float64(k)
		sum += term
	}
	for range n {
		sum /= 2
	}
	return sum <= probability
}
