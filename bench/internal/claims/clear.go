package claims

import (
	"math"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// These are the ranges of two claims: clearing memory at each step is expensive, and
// clearing at every 256th step costs nothing and keeps memory equally low.
var (
	dear      = Range{5, math.Inf(1)}
	costsLess = Range{math.Inf(-1), 2}
	asLow     = Range{0, 1.1}
)

var clearEachIteration = Claim{
	Name:     "claim.clear_each_iteration",
	Says:     "Clearing memory at each iteration slows a loop; at each 256th it costs nothing and does as well",
	Measured: "processor time of a training loop with memory.Clear at each step, above that of one without",
	Unit:     "%",
	Range:    dear,
	measure: func(s *sheet) {
		s.clearing(layersMLP(16), s.pick(768, 32))
		s.clearing(convNet(16), s.pick(256, 32))
		s.clearing(operatorMLP(64), s.pick(256, 32))
	},
}

// clearing compares training loops that call memory.Clear at each step, at every 256th
// step, or never. The loops have no scopes.
func (s *sheet) clearing(t *training, steps int64) {
	defer t.Close()
	rarely := int(s.pick(256, 16)) // A quick run has fewer than 256 steps.
	every := func(n int, free func()) func() {
		return func() {
			for i := range int(steps) {
				t.step()
				if n > 0 && (i+1)%n == 0 {
					free()
				}
			}
		}
	}
	emptyOnly := func() { memory.EmptyCache(torch.CPU) }
	r := s.alternate(every(0, nil), every(1, memory.Clear), every(rarely, memory.Clear), every(1, emptyOnly))
	never, each, rare, empty := r[0], r[1], r[2], r[3]

	s.note(t.name+": time per step without clearing", never.time()/float64(steps), "ns")
	s.judge(t.name+": Clear at each step", each.slower(never))
	s.note(t.name+": Clear at each step, by the clock", each.slowerOnTheWall(never), "%")
	s.judgeIn(t.name+": Clear at each 256th", rare.slower(never), "%", costsLess)
	s.judgeIn(t.name+": peak, 256th against each", rare.peakBytes()/each.peakBytes(), "x", asLow)
	s.note(t.name+": EmptyCache alone at each step", empty.slower(never), "%")
	s.note(t.name+": peak, never against each", never.peakBytes()/each.peakBytes(), "x")
	s.note(t.name+": reserved, never against each", never.reservedMost()/each.reservedMost(), "x")
}
