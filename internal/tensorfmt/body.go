package tensorfmt

import "strings"

// body writes the nested brackets of one tensor.
type body struct {
	out   strings.Builder
	s     settings
	cells cells
	// shape is the shape after the cuts. keep is the number of entries shown at each end
	// of a cut dimension, or -1 for a dimension that is shown completely.
	shape []int64
	keep  []int64
	next  int
}

// renderBody returns the text between "tensor(" and the suffixes. The text starts in
// column indent.
func renderBody(shape []int64, v Values, indent int, s settings) string {
	if numel(shape) == 0 {
		return "[]"
	}
	p := newPlan(shape, s)
	if len(p.Cuts) > 0 && s.edge == 0 {
		return "[...]"
	}
	b := &body{s: s, cells: newCells(v, s), shape: p.Shape, keep: make([]int64, len(p.Shape))}
	for d := range b.keep {
		b.keep[d] = -1
	}
	for _, c := range p.Cuts {
		b.keep[c.Dim] = c.Keep
	}
	if len(shape) == 0 {
		return b.cells.text[0]
	}
	b.dim(0, indent)
	return b.out.String()
}

// dim writes dimension d. Its opening bracket is in column indent.
func (b *body) dim(d, indent int) {
	inner := len(b.shape) - 1 - d
	if inner == 0 {
		b.vector(d, indent)
		return
	}
	sep := "," + strings.Repeat("\n", inner) + strings.Repeat(" ", indent+1)
	b.out.WriteByte('[')
	for i := range b.shape[d] {
		if i > 0 {
			b.out.WriteString(sep)
		}
		if i == b.keep[d] {
			b.out.WriteString("..." + sep)
		}
		b.dim(d+1, indent+1)
	}
	b.out.WriteByte(']')
}

// vector writes the innermost dimension and wraps its lines.
func (b *body) vector(d, indent int) {
	perLine := max(1, (b.s.width-indent)/(b.cells.width+len(", ")))
	wrap := ",\n" + strings.Repeat(" ", indent+1)
	column := 0
	element := func(text string) {
		switch {
		case column == 0:
		case column%perLine == 0:
			b.out.WriteString(wrap)
		default:
			b.out.WriteString(", ")
		}
		b.out.WriteString(text)
		column++
	}
	b.out.WriteByte('[')
	for i := range b.shape[d] {
		if i == b.keep[d] {
			element(" ...")
		}
		element(b.cells.text[b.next])
		b.next++
	}
	b.out.WriteByte(']')
}
