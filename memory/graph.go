package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/memory/internal/graph"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// HeldKind is the reason why a graph node keeps a tensor alive.
type HeldKind string

// The kinds of held tensor.
const (
	HeldSaved HeldKind = "saved" // saved for the backward pass
	// A leaf whose gradient the node accumulates.
	HeldParameter HeldKind = "parameter"
	HeldGradient  HeldKind = "gradient" // the gradient of a leaf of kind HeldParameter
)

// HeldTensor is a tensor that a graph node keeps alive.
type HeldTensor struct {
	Kind    HeldKind
	Shape   torch.Shape
	DType   torch.DType
	Device  torch.Device
	Bytes   int64   // of its storage
	Storage uintptr // identifies the storage; 0 if there is none
}

// String returns the tensor as one line for a report.
func (h HeldTensor) String() string {
	return fmt.Sprintf("%s %v %v %s", h.Kind, h.DType, h.Shape, units.Size(h.Bytes))
}

// GraphNode is one step of a backward pass.
type GraphNode struct {
	Name string // as returned by Tensor.GradFn, such as "MulBackward0"
	// Next are the nodes that receive this node's gradients, as indices in GraphInfo.Nodes.
	Next []int
	Held []HeldTensor
	// Known reports whether Held is complete. Nodes of custom functions and a
	// few of libtorch's nodes do not show what they saved.
	Known bool
	// Released reports whether a backward pass has freed the saved tensors.
	Released bool
}

// GraphInfo is the autograd graph of some tensors, with the tensors that it
// keeps alive.
type GraphInfo struct {
	// Nodes are in breadth-first order, starting at the tensors.
	Nodes []GraphNode
	// More reports whether the graph has more nodes than Nodes may contain.
	More bool
}

// Graph walks the autograd graph of ts and lists the tensors that each node keeps alive.
// The result shows which operator holds memory that belongs to none of the program's
// tensors. For a tensor without a graph the result has no nodes. For a leaf that requires
// gradients it has the node that accumulates them. Graph panics with a *torch.Error for a
// nil or closed tensor. In Python: grad_fn and next_functions.
//
// Do not run a backward pass through the graph at the same time.
func Graph(ts ...*torch.Tensor) *GraphInfo { return newGraphInfo(graph.Of(ts)) }

func newGraphInfo(nodes []graph.Node, more bool) *GraphInfo {
	g := &GraphInfo{Nodes: make([]GraphNode, len(nodes)), More: more}
	for i, n := range nodes {
		g.Nodes[i] = GraphNode{Name: n.Name, Next: n.Next, Known: n.Known, Released: n.Released}
		for _, h := range n.Held {
			g.Nodes[i].Held = append(g.Nodes[i].Held, HeldTensor{
				heldKind(h.Kind), h.Shape, h.DType, h.Device, h.Bytes,
				h.Storage,
			})
		}
	}
	return g
}

func heldKind(k graph.Kind) HeldKind {
	switch k {
	case graph.Parameter:
		return HeldParameter
	case graph.Gradient:
		return HeldGradient
	}
	return HeldSaved
}

// Bytes returns the total size of the storages that the graph's nodes hold for the given
// reasons, or for any reason if none is given. Each storage counts once. A backward pass,
// or freeing the graph, frees Bytes(HeldSaved) bytes, unless something else also holds
// these storages.
func (g *GraphInfo) Bytes(kinds ...HeldKind) int64 {
	mustBeMade("GraphInfo.Bytes", "Graph", g != nil)
	var sum int64
	seen := map[uintptr]bool{}
	for _, n := range g.Nodes {
		for _, h := range n.Held {
			if len(kinds) > 0 && !slices.Contains(kinds, h.Kind) || h.Storage != 0 && seen[h.Storage] {
				continue
			}
			seen[h.Storage] = true
			sum += h.Bytes
		}
	}
	return sum
}

// NodeBytes returns the size of the nodes themselves, without the tensors that they hold.
// It is an estimate of 862 bytes for each node, as for [GraphNodes].
func (g *GraphInfo) NodeBytes() int64 {
	mustBeMade("GraphInfo.NodeBytes", "Graph", g != nil)
	return int64(len(g.Nodes)) * objects.NodeBytes
}

// String returns the number of nodes by name. The names whose nodes hold the most bytes
// come first.
func (g *GraphInfo) String() string {
	if g == nil {
		return "<nil>"
	}
	type sum struct {
		name  string
		count int
		bytes int64
	}
	var sums []sum
	for _, n := range g.Nodes {
		i := slices.IndexFunc(sums, func(s sum) bool { return s.name == n.Name })
		if i < 0 {
			i = len(sums)
			sums = append(sums, sum{name: n.Name})
		}
		sums[i].count++
		sums[i].bytes += n.heldBytes()
	}
	slices.SortStableFunc(sums, func(a, b sum) int { return cmp.Compare(b.bytes, a.bytes) })
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes of about %s hold %s, %s of it saved for the backward pass\n", len(g.Nodes),
		units.Size(g.NodeBytes()), units.Size(g.Bytes()), units.Size(g.Bytes(HeldSaved)))
	for _, s := range sums {
		fmt.Fprintf(&b, "%6d %s: %s\n", s.count, s.name, units.Size(s.bytes))
	}
	return b.String()
}
