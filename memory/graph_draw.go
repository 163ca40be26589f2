package memory

import (
	"io"

	"github.com/gotorch/gotorch/memory/internal/picture"
)

// label returns the lines of text for a node in a diagram.
func (n GraphNode) label() []string {
	lines := []string{n.Name}
	for _, h := range n.Held {
		lines = append(lines, h.String())
	}
	switch {
	case n.Released:
		lines = append(lines, "released")
	case !n.Known:
		lines = append(lines, "saved tensors unknown")
	}
	return lines
}

// heldBytes returns how many bytes a node keeps alive.
func (n GraphNode) heldBytes() int64 {
	var own int64
	for _, h := range n.Held {
		own += h.Bytes
	}
	return own
}

func (g *GraphInfo) picture() *picture.Graph {
	p := &picture.Graph{}
	for i, n := range g.Nodes {
		p.Heaviest = max(p.Heaviest, n.heldBytes())
		if i < picture.MaxNodes {
			p.Nodes = append(p.Nodes, picture.Node{Lines: n.label(), Next: n.Next, Weight: n.heldBytes()})
		}
	}
	return p
}

// WriteDOT writes the first 500 nodes of the graph, with the tensors they hold, for
// Graphviz. Nodes that hold more are a deeper red. Arrows point in the direction in which
// gradients flow.
func (g *GraphInfo) WriteDOT(w io.Writer) error {
	mustBeMade("GraphInfo.WriteDOT", "Graph", g != nil)
	if w == nil {
		return nilWriterError("GraphInfo.WriteDOT")
	}
	return g.picture().WriteDOT(w)
}

// WriteSVG writes the diagram of [GraphInfo.WriteDOT] as SVG, without Graphviz.
func (g *GraphInfo) WriteSVG(w io.Writer) error {
	mustBeMade("GraphInfo.WriteSVG", "Graph", g != nil)
	if w == nil {
		return nilWriterError("GraphInfo.WriteSVG")
	}
	return g.picture().WriteSVG(w)
}
