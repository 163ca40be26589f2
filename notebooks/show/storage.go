package show

import (
	"fmt"
	"html"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Sizes of parts of a diagram, in pixels.
const (
	cellWidth, cellHeight = 46, 26
	lineHeight            = 17
	arcHeight             = 20
	maxCells              = 64
)

// Storage draws tensors and the storage behind each tensor. The storage is a row of
// elements; elements that the tensor does not reach are white. For each axis, an arc from
// the first element to the next one along the axis shows the stride. The tensor is drawn
// below its storage, with the same colors for the same elements. Tensors with the same
// letter share a storage. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrShape for a tensor of more than two axes, and with ErrValue for a
// tensor that is not strided, is complex, or has a storage of more than 64 elements.
func Storage(tensors ...*torch.Tensor) Content {
	const op = "show.Storage(tensors)"
	for _, t := range tensors {
		checkDrawn(op, t)
	}
	var b strings.Builder
	var text []string
	var first []*torch.Tensor // for each storage, the first tensor that uses it
	y, width := 0, 0
	for _, t := range tensors {
		letter := 0
		for letter < len(first) && !first[letter].SharesStorage(t) {
			letter++
		}
		if letter == len(first) {
			first = append(first, t)
		}
		d := newDrawing(t, string(rune('A'+letter)))
		fmt.Fprintf(&b, `<g transform="translate(8,%d)">%s</g>`, y+8, d.draw())
		y += d.height + 2*lineHeight
		width = max(width, d.width)
		text = append(text, d.title())
	}
	return Content{
		Text: strings.Join(text, "\n"),
		SVG: fmt.Sprintf(
			`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="13" `+
				`style="background:white">%s</svg>`,
			width+16, max(y-lineHeight, 0), b.String()),
	}
}

func checkDrawn(op string, t *torch.Tensor) {
	t.HandleFor(op, 0)
	switch {
	case t.Layout() != torch.Strided || t.IsComplex():
		panic(torch.NewError(op, torch.ErrValue, "tensors",
			fmt.Sprintf("expected a strided tensor of real numbers, got %v, %v", t.Layout(), t.DType())))
	case t.Dim() > 2:
		panic(torch.NewError(op, torch.ErrShape, "tensors",
			fmt.Sprintf("expected at most two axes, got %v", t.Shape())))
	case t.StorageBytes() > maxCells*t.ElementSize() || t.Numel() > maxCells:
		panic(torch.NewError(op, torch.ErrValue, "tensors", fmt.Sprintf("expected at most %d elements", maxCells)))
	}
}

// drawing draws one tensor and its storage.
type drawing struct {
	letter        string
	dtype         torch.DType
	shape, stride []int64
	offset, bytes int64
	contiguous    bool
	values        []string // text of each element of the storage
	reached       []bool
	width, height int
}

func newDrawing(t *torch.Tensor, letter string) *drawing {
	d := &drawing{
		letter: letter, dtype: t.DType(), shape: t.Shape(), stride: t.Stride(), offset: t.StorageOffset(),
		bytes: t.StorageBytes(), contiguous: t.IsContiguous(),
	}
	n := d.bytes / t.ElementSize()
	torch.NoGrad(func() {
		torch.Scope(func() {
			whole := t.Detach().AsStrided([]int64{n}, []int64{1}, 0).To(torch.CPU)
			for _, v := range whole.To(torch.Float64).Float64s() {
				d.values = append(d.values, written(v, d.dtype))
			}
		})
	})
	d.reached = make([]bool, n)
	d.each(func(_, _, at int64) { d.reached[at] = true })
	return d
}

func written(v float64, dt torch.DType) string {
	switch {
	case dt == torch.Bool && v != 0:
		return "True"
	case dt == torch.Bool:
		return "False"
	case dt.IsFloatingPoint() && v == float64(int64(v)):
		return fmt.Sprintf("%.0f.", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// each calls fn for each element, with its row, its column and its index in the storage.
func (d *drawing) each(fn func(row, column, at int64)) {
	rows, columns := d.sizes()
	for i := range rows {
		for j := range columns {
			fn(i, j, d.place(i, j))
		}
	}
}

func (d *drawing) sizes() (rows, columns int64) {
	rows, columns = 1, 1
	if n := len(d.shape); n > 0 {
		columns = d.shape[n-1]
		if n == 2 {
			rows = d.shape[0]
		}
	}
	return rows, columns
}

func (d *drawing) place(i, j int64) int64 {
	at := d.offset
	if n := len(d.stride); n > 0 {
		at += j * d.stride[n-1]
		if n == 2 {
			at += i * d.stride[0]
		}
	}
	return at
}

func (d *drawing) title() string {
	s := fmt.Sprintf("storage %s: %d elements of %v, %d bytes; shape %v, stride %v, offset %d",
		d.letter, len(d.values), d.dtype, d.bytes, torch.Shape(d.shape), torch.Shape(d.stride), d.offset)
	if !d.contiguous {
		s += ", not contiguous"
	}
	return s
}

func (d *drawing) draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<text y="12">%s</text>`, html.EscapeString(d.title()))
	top := lineHeight
	for axis := range d.shape {
		if d.shape[axis] > 1 {
			top += arcHeight
			d.arc(&b, axis, top)
		}
	}
	top += lineHeight
	for at := range int64(len(d.values)) {
		x := int(at) * cellWidth
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="9" fill="#888" text-anchor="middle">%d</text>`, x+cellWidth/2,
			top-3, at)
		d.cell(&b, x, top, at)
	}
	top += cellHeight + lineHeight/2
	rows, columns := d.sizes()
	d.each(func(i, j, at int64) { d.cell(&b, int(j)*cellWidth, top+int(i)*cellHeight, at) })
	d.height = top + int(rows)*cellHeight
	d.width = max(int(max(int64(len(d.values)), columns))*cellWidth, len(d.title())*8)
	return b.String()
}

// arc draws an arc from the first element to the next one along an axis.
func (d *drawing) arc(b *strings.Builder, axis, y int) {
	from := int(d.offset)*cellWidth + cellWidth/2
	to := from + int(d.stride[axis])*cellWidth
	fmt.Fprintf(b,
		`<path d="M%d,%d v-8 H%d v8" fill="none" stroke="#555"/><circle cx="%d" cy="%d" r="2.5" fill="#555"/>`, from, y,
		to, to, y)
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="11" fill="#555">axis %d: +%d</text>`, max(from, to)+6, y-2, axis,
		d.stride[axis])
}

// cell draws an element of the storage.
func (d *drawing) cell(b *strings.Builder, x, y int, at int64) {
	fill := "white"
	if d.reached[at] {
		fill = fmt.Sprintf("hsl(%d,75%%,82%%)", int(at)*360/max(len(d.values), 1))
	}
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#555"/>`, x, y, cellWidth, cellHeight,
		fill)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, x+cellWidth/2, y+18, d.values[at])
}
