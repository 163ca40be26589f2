// Package graph reads the autograd graph of tensors and the tensors that its nodes keep
// alive. It keeps no references to the tensors.
package graph

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/graph"
	"github.com/gotorch/gotorch/internal/gradfn"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/torch"
)

// maxNodes is the maximum number of nodes that are read. A graph that grows without bound
// may have millions.
const maxNodes = 100_000

// Kind is the reason why a node keeps a tensor alive.
type Kind = graph.Kind

// The kinds.
const (
	Saved     = graph.Saved
	Parameter = graph.Parameter
	Gradient  = graph.Gradient
)

// Held is a tensor that a node keeps alive.
type Held struct {
	Kind    Kind
	Shape   torch.Shape
	DType   torch.DType
	Device  torch.Device
	Bytes   int64
	Storage uintptr
}

// Node is one step of a backward pass; see memory.GraphNode.
type Node struct {
	Name     string
	Next     []int
	Held     []Held
	Known    bool
	Released bool
}

// Of returns the nodes of the tensors' graph in breadth-first order, and whether the graph
// has more than maxNodes. It panics with a *torch.Error that names memory.Graph.
func Of(ts []*torch.Tensor) (nodes []Node, more bool) {
	const op = "memory.Graph(tensors)"
	hs := torch.Handles(op, ts, false)
	r := torch.BeginRaw(op, ts...)
	raw, more, st := graph.Walk(hs, maxNodes)
	r.Status(st)
	return read(raw), more
}

// OfListed is like Of, for the tensors on the list of TrackTensors for which want returns
// true.
func OfListed(want func(*live.Entry) bool) (nodes []Node, more bool) {
	var hs []abi.Tensor
	live.Each(func(e *live.Entry) {
		if want(e) {
			hs = append(hs, cgotorch.Ref(e.Handle)) // keeps the tensor valid after the list is unlocked
		}
	})
	defer cgotorch.FreeMany(hs)
	raw, more, st := graph.Walk(hs, maxNodes)
	if st != 0 {
		cgotorch.FreeStatus(st) // libtorch cannot describe this graph
	}
	return read(raw), more
}

func read(raw []graph.Node) []Node {
	nodes := make([]Node, len(raw))
	for i, n := range raw {
		nodes[i] = Node{Name: gradfn.Name(n.Name), Next: n.Next, Known: n.Readable, Released: n.Released}
		for _, h := range n.Held {
			nodes[i].Held = append(nodes[i].Held, Held{
				Kind: h.Kind, Shape: h.Shape, DType: torch.DTypeOf(h.DType),
				Device: torch.DeviceOf(h.Device), Bytes: h.Bytes, Storage: h.Storage,
			})
		}
	}
	return nodes
}
