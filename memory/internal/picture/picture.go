// Package picture draws a graph as boxes with text, for Graphviz or as SVG. Every arrow
// points down: a node is in a lower layer than all nodes that point to it.
package picture

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// MaxNodes is the maximum number of nodes in a picture. Larger pictures are not readable.
const MaxNodes = 500

// Node is a box of a picture.
type Node struct {
	Lines []string // its text
	// Next are the indices of the nodes that this node's arrows point to. Invalid indices
	// are ignored.
	Next   []int
	Weight int64 // the larger, the deeper the red of the box
}

// Graph is the contents of a picture. It must not have cycles.
type Graph struct {
	Nodes    []Node // at most MaxNodes
	Heaviest int64  // the weight that gets the deepest red
}

// color returns a node's color, which depends on its weight relative to Heaviest.
func (g *Graph) color(n Node) string {
	if g.Heaviest == 0 || n.Weight == 0 {
		return "#ffffff"
	}
	fade := 255 - int(150*n.Weight/g.Heaviest)
	return fmt.Sprintf("#ff%02x%02x", fade, fade)
}

// WriteDOT writes the picture for Graphviz.
func (g *Graph) WriteDOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph autograd {\n\tnode [shape=box, style=filled, fontname=\"monospace\", fontsize=10];\n")
	nodes := g.Nodes
	for i, n := range nodes {
		fmt.Fprintf(&b, "\tn%d [label=%q, fillcolor=%q];\n", i, strings.Join(n.Lines, "\n"), g.color(n))
	}
	for i, n := range nodes {
		for _, to := range n.Next {
			if to < len(nodes) {
				fmt.Fprintf(&b, "\tn%d -> n%d;\n", i, to)
			}
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// box is the position of a node in a picture.
type box struct {
	x, y, w, h float64
	lines      []string
}

const (
	charWidth  = 6.2
	lineHeight = 14
	boxMargin  = 8
	layerGap   = 36
	boxGap     = 18
)

// layers divides the nodes into layers. A node's layer is the length of the longest path to
// it from a node without incoming arrows, so every arrow points down.
func layers(nodes []Node) [][]int {
	degree := make([]int, len(nodes))
	for _, n := range nodes {
		for _, to := range n.Next {
			if to < len(nodes) {
				degree[to]++
			}
		}
	}
	depth := make([]int, len(nodes))
	var queue []int
	for i, d := range degree {
		if d == 0 {
			queue = append(queue, i)
		}
	}
	deepest := 0
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, to := range nodes[i].Next {
			if to >= len(nodes) {
				continue
			}
			depth[to] = max(depth[to], depth[i]+1)
			deepest = max(deepest, depth[to])
			if degree[to]--; degree[to] == 0 {
				queue = append(queue, to)
			}
		}
	}
	out := make([][]int, deepest+1)
	for i := range nodes {
		out[depth[i]] = append(out[depth[i]], i)
	}
	return out
}

// layout places the boxes layer by layer. Each layer is ordered by the centers of the
// boxes that point to it.
func layout(nodes []Node) (boxes []box, width, height float64) {
	boxes = make([]box, len(nodes))
	from := make([][]int, len(nodes))
	for i, n := range nodes {
		b := &boxes[i]
		b.lines = n.Lines
		for _, l := range b.lines {
			b.w = max(b.w, charWidth*float64(len(l))+2*boxMargin)
		}
		b.h = lineHeight*float64(len(b.lines)) + boxMargin
		for _, to := range n.Next {
			if to < len(nodes) {
				from[to] = append(from[to], i)
			}
		}
	}
	all := layers(nodes)
	widths := make([]float64, len(all))
	for l, layer := range all {
		for _, i := range layer {
			widths[l] += boxes[i].w + boxGap
		}
		width = max(width, widths[l]+boxGap)
	}
	y := float64(boxGap)
	for l, layer := range all {
		middle := func(i int) float64 {
			var sum float64
			for _, p := range from[i] {
				sum += boxes[p].x + boxes[p].w/2
			}
			return sum / float64(max(len(from[i]), 1))
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(middle(a), middle(b)) })
		x, tallest := (width-widths[l])/2+boxGap/2, 0.0
		for _, i := range layer {
			boxes[i].x, boxes[i].y = x, y
			x += boxes[i].w + boxGap
			tallest = max(tallest, boxes[i].h)
		}
		y += tallest + layerGap
	}
	return boxes, width, y
}

// WriteSVG writes the picture of WriteDOT as SVG, without Graphviz.
func (g *Graph) WriteSVG(w io.Writer) error {
	nodes := g.Nodes
	boxes, width, height := layout(nodes)
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="monospace" font-size="10">`+
			"\n", width, height)
	b.WriteString(
		`<defs><marker id="a" orient="auto" markerWidth="8" markerHeight="6" refX="8" refY="3"><path d="M0,0 L8,3 L0,6 z"/></marker></defs>` + "\n")
	for i, n := range nodes {
		for _, to := range n.Next {
			if to >= len(nodes) {
				continue
			}
			x1, y1 := boxes[i].x+boxes[i].w/2, boxes[i].y+boxes[i].h
			x2, y2 := boxes[to].x+boxes[to].w/2, boxes[to].y
			fmt.Fprintf(&b,
				`<path fill="none" stroke="black" marker-end="url(#a)" d="M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f"/>`+
					"\n",
				x1, y1, x1, y1+layerGap/2, x2, y2-layerGap/2, x2, y2)
		}
	}
	for i, n := range nodes {
		o := boxes[i]
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" stroke="black"/>`+"\n", o.x, o.y,
			o.w, o.h, g.color(n))
		for l, line := range o.lines {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f">%s</text>`+"\n", o.x+boxMargin, o.y+lineHeight*float64(l+1),
				html.EscapeString(line))
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
