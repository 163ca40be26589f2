package main

import (
	"fmt"
	"math"
)

// Model is the cost of a sum over a ring of ranks. Each rank sends and receives 2 (P-1)
// pieces of equal size, one at a time. A piece has a fixed cost and a cost per byte.
type Model struct {
	Hop  float64 `json:"hop"`  // processor seconds to send and receive one piece
	Byte float64 `json:"byte"` // processor seconds to send, receive and add one byte
}

// String returns the two costs as text.
func (m Model) String() string {
	return fmt.Sprintf("a piece: %v of CPU time; bytes: %.2f GB/s per processor", seconds(m.Hop), 1e-9/m.Byte)
}

// pieces returns how many pieces each rank sends in one sum over world ranks.
func pieces(world int) float64 { return 2 * float64(world-1) }

// work returns the processor time that one rank needs for a sum of the given bytes.
func (m Model) work(world int, bytes int64) float64 {
	return pieces(world) * (m.Hop + m.Byte*float64(bytes)/float64(world))
}

// shared returns the time of a sum if all ranks share the processors of one machine.
func (m Model) shared(world int, bytes int64, processors int) float64 {
	return m.work(world, bytes) * max(1, float64(world)/float64(processors))
}

// fit finds the two costs for which the ratios of measured to modeled times are closest
// to one. All points have the same weight.
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

// Ratios is the range of the ratios of measured to modeled times.
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

// Factor returns the largest deviation of the model, in either direction.
func (r Ratios) Factor() float64 { return max(r.Largest, 1/r.Least) }

// String formats the range as docs/distributed.md shows it.
func (r Ratios) String() string {
	return fmt.Sprintf("%.2f to %.2f in %d cases: within a factor of %.1f", r.Least, r.Largest, r.Cases,
		math.Ceil(10*r.Factor())/10)
}

// Machine is the prediction for a training run on many machines with one rank each.
type Machine struct {
	World      int     `json:"world"`
	Sum        float64 `json:"sum"`
	Step       float64 `json:"step"`
	Efficiency float64 `json:"efficiency"`
}

// These are the assumptions about a cluster. Each rank has its own processors. The
// network transfers 10 Gbit/s in both directions at once, and takes 25 us per piece. A
// step of 500 ms sums 100 MB of gradients. Half of the step, most of its backward pass,
// overlaps with the sums.
const (
	gradients = 100e6
	step      = 0.5
	overlap   = step / 2
	wire      = 10e9 / 8
	latency   = 25e-6
)

// many predicts a training run on world machines. A piece takes time on the processor and
// on the network. While a piece is being added, the next one is being sent, so only the
// slower of the two counts.
func (m Model) many(world int) Machine {
	part := gradients / float64(world)
	piece := m.Hop + latency + part*max(m.Byte, 1/wire)
	sum := pieces(world) * piece
	total := step + max(0, sum-overlap)
	return Machine{World: world, Sum: sum, Step: total, Efficiency: step / total}
}
