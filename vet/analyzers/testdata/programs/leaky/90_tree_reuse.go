// Command tree_reuse plays a solitaire game of numbers with a Monte Carlo tree search
// that reuses the tree of the last move.
//
// Leaky: the chosen child becomes the new root, but its parent field still refers to the
// old root, with all its other children and their state tensors. The agent always
// continues from the last root, so it keeps the trees of all previous moves in all games.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const cells, moves, searches = 12, 3, 6

type node struct {
	parent   *node
	children []*node
	state    *torch.Tensor // (1, cells), owned by the node
	visits   int
	value    float64
}

type search struct {
	root *node
	net  *nn.Sequential // value of a state
}

// play applies a move to a state.
func play(state *torch.Tensor, move int) *torch.Tensor {
	return torch.Disown(torch.Tidy(func() *torch.Tensor {
		return state.Roll([]int64{int64(move + 1)}, []int64{1}).MulScalar(0.95).AddScalar(0.01 * float64(move))
	}))
}

func (s *search) expand(n *node) {
	for m := range moves {
		n.children = append(n.children, &node{parent: n, state: play(n.state, m)})
	}
}

func (s *search) evaluate(n *node) (v float64) {
	torch.NoGrad(func() { torch.Scope(func() { v = s.net.Forward(n.state).Tanh().Item() }) })
	return v
}

func (n *node) pick() *node {
	best, at := math.Inf(-1), n.children[0]
	for _, c := range n.children {
		u := c.value/float64(c.visits+1) + math.Sqrt(math.Log(float64(n.visits+1))/float64(c.visits+1))
		if u += 1e-3 * rand.Float64(); u > best {
			best, at = u, c
		}
	}
	return at
}

func (s *search) run() {
	for range searches {
		n := s.root
		for len(n.children) > 0 {
			n = n.pick()
		}
		s.expand(n)
		v := s.evaluate(n)
		for ; n != nil && n != s.root.parent; n = n.parent {
			n.visits++
			n.value += v
		}
	}
}

// advance makes the most visited child the root.
func (s *search) advance() {
	next := s.root.children[0]
	for _, c := range s.root.children {
		if c.visits > next.visits {
			next = c
		}
	}
	s.root = next // want leak
}

func main() {
	torch.ManualSeed(35)
	net := nn.NewSequential(nn.NewLinear(cells, 8), nn.NewReLU(), nn.NewLinear(8, 1))
	defer net.Close()
	s := &search{net: net, root: &node{state: torch.Randn(torch.Shape{1, cells})}}
	total := 0.0
	for range 50 {
		s.run()
		s.advance()
		total += s.evaluate(s.root)
	}
	fmt.Printf("value of the moves: %.3f\n", total)
}
