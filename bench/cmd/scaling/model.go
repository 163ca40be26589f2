package main

import (
	"fmt"
	"math"
)

// Model is what a sum over a ring of ranks costs: each of them sends and receives
// 2 (P-1) pieces of an equal part of the bytes, one after the other. A piece has a cost of
// its own and one for its bytes.
type Model struct {
	Hop  float64 `json:"hop"`  // seconds of a processor for one piece, sending and receiving
	Byte float64 `json:"byte"` // seconds of a processor for a byte that is sent, received and added
}

// String prints the two.
func (m Model) String() string {
	return fmt.Sprintf("a piece: %v of a processor; bytes: %.2f GB/s of a processor", seconds(m.Hop), 1e-9/m.Byte)
}

// pieces is how many a rank handles.
func pieces(world int) float64 { return 2 * float64(world-1) }

// work is the processor time that one rank spends.
func (m Model) work(world int, bytes int64) float64 {
	return pieces(world) * (m.Hop + m.Byte*float64(bytes)/float64(world))
}

// shared is the time of a sum where all ranks share the processors of one machine: their
// work is done by so many at a time.
func (m Model) shared(world int, bytes int64, processors int) float64 {
	return m.work(world, bytes) * max(1, float64(world)/float64(processors))
}

// fit finds the two costs for which the ratios of measured to modelled times are nearest to
// one, small and large sums and few and many ranks alike.
func fit(points []Point, processors int) Model {
	off := func(m Model) (sum float64) {
		for _, p := range points {
			ratio := math.Log(p.Measured / m.shared(p.World, p.Bytes, processors))
			sum += ratio * ratio
		}
		return sum
	}
	best := Model{Hop: 100e-6, Byte: 1e-9}
	for factor := 2.0; factor > 1.001; {
		moved := false
		for _, m := range []Model{
			{best.Hop * factor, best.Byte},
			{best.Hop / factor, best.Byte},
			{best.Hop, best.Byte * factor},
			{best.Hop, best.Byte / factor},
		} {
			if off(m) < off(best) {
				best, moved = m, true
			}
		}
		if !moved {
			factor = math.Sqrt(factor)
		}
	}
	return best
}

// Ratios are those of measured to modelled times, from the least to the largest.
type Ratios struct {
	Least, Largest float64
	Cases          int
}

func ratios(points []Point) Ratios {
	r := Ratios{Least: math.Inf(1), Cases: len(points)}
	for _, p := range points {
		ratio := p.Measured / p.Modelled
		r.Least, r.Largest = min(r.Least, ratio), max(r.Largest, ratio)
	}
	return r
}

// Factor is by how much the model is off at most, in either direction.
func (r Ratios) Factor() float64 { return max(r.Largest, 1/r.Least) }

// String prints them as docs/distributed.md has them.
func (r Ratios) String() string {
	return fmt.Sprintf("%.2f to %.2f in %d cases: within a factor of %.1f", r.Least, r.Largest, r.Cases,
		math.Ceil(10*r.Factor())/10)
}

// Machine is a training on many machines, a rank on each.
type Machine struct {
	World      int     `json:"world"`
	Sum        float64 `json:"sum"`
	Step       float64 `json:"step"`
	Efficiency float64 `json:"efficiency"`
}

// The assumptions about a cluster: each rank has processors of its own, the network takes
// 10 Gbit/s in both directions at once and 25 us for a piece, and half of a step of 500 ms, most
// of its backward pass, goes on while gradients of 100 MB are sent.
const (
	gradients = 100e6
	step      = 0.5
	overlap   = step / 2
	wire      = 10e9 / 8
	latency   = 25e-6
)

// many is what the model says of so many machines. A piece costs the processor's time and
// the wire's; of two of them at the two ends of a wire one computes while the other sends,
// so the slower one counts.
func (m Model) many(world int) Machine {
	part := gradients / float64(world)
	piece := m.Hop + latency + part*max(m.Byte, 1/wire)
	sum := pieces(world) * piece
	total := step + max(0, sum-overlap)
	return Machine{World: world, Sum: sum, Step: total, Efficiency: step / total}
}
