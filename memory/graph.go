package memory

import (
	"fmt"
	"sort"
	"strings"

	"github.com/gotorch/gotorch/memory/internal/graph"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// HeldKind says why a node of a graph keeps a tensor alive.
type HeldKind string

// The kinds of held tensor.
const (
	HeldSaved     HeldKind = "saved"     // for the backward pass
	HeldParameter HeldKind = "parameter" // a leaf, whose gradient the node accumulates
	HeldGradient  HeldKind = "gradient"  // that leaf's gradient
)

// HeldTensor is a tensor that a node of a graph keeps alive.
type HeldTensor struct {
	Kind    HeldKind
	Shape   torch.Shape
	DType   torch.DType
	Device  torch.Device
	Bytes   int64   // of its storage
	Storage uintptr // tells storages apart, 0 without one
}

// String is one line for a report.
func (h HeldTensor) String() string {
	return fmt.Sprintf("%s %v %v %s", h.Kind, h.DType, h.Shape, units.Size(h.Bytes))
}

// GraphNode is one step of a backward pass.
type GraphNode struct {
	Name string // as Tensor.GradFn gives it, such as "MulBackward0"
	Next []int  // the nodes that its gradients go to, indices of GraphInfo.Nodes
	Held []HeldTensor
	// Known says whether Held is complete. Nodes of custom functions and a few
	// of libtorch's own do not reveal what they saved.
	Known bool
	// Released says that a backward pass has freed what the node saved.
	Released bool
}

// GraphInfo is the autograd graph behind some tensors, with what it keeps alive
// besides the tensors' own data.
type GraphInfo struct {
	Nodes []GraphNode // in breadth-first order from the tensors
	More  bool        // there are nodes beyond the limit
}

// Graph walks the autograd graph behind ts, as one would in Python through
// grad_fn and next_functions, and lists what each node keeps alive. It shows
// who holds memory that belongs to none of the program's tensors. It panics
// with a *torch.Error for a nil or closed tensor. For a tensor without a graph
// the result has no nodes; for a leaf that requires gradients it has the node
// that accumulates them.
//
// No backward pass may run through the graph at the same time.
func Graph(ts ...*torch.Tensor) *GraphInfo { return newGraphInfo(graph.Of(ts)) }

func newGraphInfo(nodes []graph.Node, more bool) *GraphInfo {
	g := &GraphInfo{Nodes: make([]GraphNode, len(nodes)), More: more}
	for i, n := range nodes {
		g.Nodes[i] = GraphNode{Name: n.Name, Next: n.Next, Known: n.Known, Released: n.Released}
		for _, h := range n.Held {
			g.Nodes[i].Held = append(g.Nodes[i].Held, HeldTensor{heldKind(h.Kind), h.Shape, h.DType, h.Device, h.Bytes, h.Storage})
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

// Bytes sums the storages that the graph's nodes hold for the given reasons, or
// for all reasons if none is given. Each storage counts once. Bytes(HeldSaved)
// is what a backward pass, or dropping the graph, would free, unless something
// else holds it.
func (g *GraphInfo) Bytes(kinds ...HeldKind) int64 {
	made("GraphInfo.Bytes", "Graph", g != nil)
	var sum int64
	seen := map[uintptr]bool{}
	for _, n := range g.Nodes {
		for _, h := range n.Held {
			if !wanted(h.Kind, kinds) || h.Storage != 0 && seen[h.Storage] {
				continue
			}
			seen[h.Storage] = true
			sum += h.Bytes
		}
	}
	return sum
}

func wanted(k HeldKind, kinds []HeldKind) bool {
	for _, w := range kinds {
		if w == k {
			return true
		}
	}
	return len(kinds) == 0
}

// String counts the nodes by name; the names that hold the most come first.
func (g *GraphInfo) String() string {
	if g == nil {
		return "<nil>"
	}
	type sum struct {
		name  string
		count int
		bytes int64
	}
	at := map[string]*sum{}
	var sums []*sum
	for _, n := range g.Nodes {
		s := at[n.Name]
		if s == nil {
			s = &sum{name: n.Name}
			at[n.Name] = s
			sums = append(sums, s)
		}
		s.count++
		for _, h := range n.Held {
			s.bytes += h.Bytes
		}
	}
	sort.SliceStable(sums, func(i, j int) bool { return sums[i].bytes > sums[j].bytes })
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes hold %s, %s of it saved for the backward pass\n", len(g.Nodes), units.Size(g.Bytes()), units.Size(g.Bytes(HeldSaved)))
	for _, s := range sums {
		fmt.Fprintf(&b, "%6d %s: %s\n", s.count, s.name, units.Size(s.bytes))
	}
	return b.String()
}
