// Command tree_cut plays with a tree search that reuses the tree of the last move.
//
// Clean: when a child becomes the root, its reference to its parent is removed, and the
// states of the other branches are closed. The tree has at most the nodes of a few
// searches.
package main

import (
	"fmt"
	"math"

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

// free closes the states of n and of its descendants, except those in the branch of keep.
func (n *node) free(keep *node) {
	if n == keep {
		return
	}
	for _, c := range n.children {
		c.free(keep)
	}
	_ = n.state.Close()
	n.children, n.parent = nil, nil
}

type search struct {
	root *node
	net  *nn.Sequential // value of a state
}

func (s *search) expand(n *node) {
	for m := range moves {
		torch.Scope(func() {
			next := n.state.Roll([]int64{int64(m + 1)}, []int64{1}).MulScalar(0.95).AddScalar(0.01 * float64(m))
			n.children = append(n.children, &node{parent: n, state: torch.Disown(next)})
		})
	}
}

func (s *search) evaluate(n *node) (v float64) {
	torch.NoGrad(func() { torch.Scope(func() { v = s.net.Forward(n.state).Tanh().Item() }) })
	return v
}

func (n *node) pick() *node {
	best, at := math.Inf(-1), n.children[0]
	for _, c := range n.children {
		visits := float64(c.visits + 1)
		if u := c.value/visits + math.Sqrt(math.Log(float64(n.visits+1))/visits); u > best {
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
		for ; n != nil; n = n.parent {
			n.visits++
			n.value += v
		}
	}
}

// advance makes the most visited child the root.
func (s *search) advance() {
	old, next := s.root, s.root.children[0]
	for _, c := range old.children {
		if c.visits > next.visits {
			next = c
		}
	}
	next.parent = nil
	s.root = next
	old.free(next)
}

func main() {
	torch.ManualSeed(62)
	net := nn.NewSequential(nn.NewLinear(cells, 8), nn.NewReLU(), nn.NewLinear(8, 1))
	defer net.Close()
	s := &search{net: net, root: &node{state: torch.Randn(torch.Shape{1, cells})}}
	total := 0.0
	for range 50 {
		s.run()
		s.advance()
		total += s.evaluate(s.root)
	}
	s.root.free(nil)
	fmt.Printf("value of the moves: %.3f\n", total)
}
