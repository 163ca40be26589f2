// Package rle has masks as COCO's files and pycocotools have them: a mask is a list of the lengths of
// runs of pixels, column by column. Runs of pixels outside and inside of the object take turns, and
// the first is outside.
package rle

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Mask is a mask of H x W pixels.
type Mask struct {
	H, W   int64
	Counts []int64 // no longer than H*W together; pixels after them are outside
}

// Largest is the largest number of pixels of a mask.
const Largest = 1 << 40

// ErrSize is the error for a mask whose height and width are not possible.
var ErrSize = errors.New("expected a height and a width")

func checkSize(h, w int64) error {
	if h < 0 || w < 0 || h > Largest || w > Largest || h > 0 && w > Largest/h {
		return fmt.Errorf("%w, got %d and %d", ErrSize, h, w)
	}
	return nil
}

// New returns the mask with the given runs. It returns an error for negative lengths and for more than h*w
// pixels.
func New(h, w int64, counts []int64) (Mask, error) {
	if err := checkSize(h, w); err != nil {
		return Mask{}, err
	}
	left := h * w
	for _, n := range counts {
		if n < 0 || n > left {
			return Mask{}, fmt.Errorf("the runs of pixels do not fit in a mask of %d x %d", h, w)
		}
		left -= n
	}
	return Mask{h, w, counts}, nil
}

// Parse returns the mask of a string in which each length, or its difference to the length two before
// it, is in groups of five bits, the lowest first. A sixth bit says whether another group follows, and
// the highest of the five in the last group whether the number is negative.
func Parse(h, w int64, text string) (Mask, error) {
	var counts []int64
	var value int64
	var bits uint
	for i := range len(text) {
		c := int64(text[i]) - '0'
		if c < 0 || c > 63 || bits > 40 {
			return Mask{}, fmt.Errorf("byte %d of the runs of pixels is not valid", i)
		}
		value |= c & 31 << bits
		bits += 5
		if c&32 != 0 {
			continue
		}
		if c&16 != 0 {
			value -= 1 << bits
		}
		if n := len(counts); n > 2 {
			value += counts[n-2]
		}
		if value < 0 || value > Largest {
			return Mask{}, fmt.Errorf("the runs of pixels have the length %d", value)
		}
		counts = append(counts, value)
		value, bits = 0, 0
	}
	if bits != 0 {
		return Mask{}, errors.New("the runs of pixels end within a number")
	}
	return New(h, w, counts)
}

// Encode returns the mask of h x w pixels, row by row. Pixels other than 0 are inside.
func Encode(pixels []byte, h, w int64) Mask {
	m := Mask{H: h, W: w}
	inside, run := false, int64(0)
	for x := range w {
		for y := range h {
			if is := pixels[y*w+x] != 0; is != inside {
				m.Counts = append(m.Counts, run)
				inside, run = is, 0
			}
			run++
		}
	}
	m.Counts = append(m.Counts, run)
	return m
}

// Decode sets the bytes of the mask's pixels, row by row, to 1. Others stay as they are.
func (m Mask) Decode(pixels []byte) {
	at := int64(0)
	for i, n := range m.Counts {
		if i%2 == 1 {
			for p := at; p < at+n; p++ {
				pixels[p%m.H*m.W+p/m.H] = 1
			}
		}
		at += n
	}
}

// Area returns the number of pixels inside.
func (m Mask) Area() (area int64) {
	for i := 1; i < len(m.Counts); i += 2 {
		area += m.Counts[i]
	}
	return area
}

// Box returns the left, the top, the width and the height of the smallest box around the pixels inside.
func (m Mask) Box() [4]int64 {
	left, top, right, bottom := m.W, m.H, int64(-1), int64(-1)
	at := int64(0)
	for i, n := range m.Counts {
		if i%2 == 1 && n > 0 {
			first, last := at, at+n-1
			x0, x1 := first/m.H, last/m.H
			y0, y1 := first%m.H, last%m.H
			if x0 < x1 { // the run goes on in the next column
				y0, y1 = 0, m.H-1
			}
			left, right = min(left, x0), max(right, x1)
			top, bottom = min(top, y0), max(bottom, y1)
		}
		at += n
	}
	if right < 0 {
		return [4]int64{}
	}
	return [4]int64{left, top, right - left + 1, bottom - top + 1}
}

// Intersection returns the number of pixels inside both masks, which have the same size.
func Intersection(a, b Mask) (both int64) {
	var i, j int
	var endA, endB, at int64
	if len(a.Counts) > 0 {
		endA = a.Counts[0]
	}
	if len(b.Counts) > 0 {
		endB = b.Counts[0]
	}
	for i < len(a.Counts) && j < len(b.Counts) {
		end := min(endA, endB)
		if i%2 == 1 && j%2 == 1 {
			both += end - at
		}
		at = end
		if endA == end {
			if i++; i < len(a.Counts) {
				endA += a.Counts[i]
			}
		}
		if endB == end {
			if j++; j < len(b.Counts) {
				endB += b.Counts[j]
			}
		}
	}
	return both
}

// ErrLong is the error for polygons that are much longer than outlines in an image of their size can be.
var ErrLong = errors.New("the polygons are longer than any in an image of their size")

// Polygons draws the polygons of one object in an image of H x W pixels.
type Polygons struct {
	h, w   int64
	budget int64 // the steps that are left, so that an object with many long polygons does not take forever
}

// NewPolygons returns a Polygons. It returns ErrSize for a height and width that are not possible.
func NewPolygons(h, w int64) (*Polygons, error) {
	if err := checkSize(h, w); err != nil {
		return nil, err
	}
	return &Polygons{h, w, 64*(h*w+h+w) + 1<<16}, nil
}

// Polygon is [Polygons.Draw] for a single polygon.
func Polygon(xy []float64, h, w int64) (Mask, error) {
	p, err := NewPolygons(h, w)
	if err != nil {
		return Mask{}, err
	}
	return p.Draw(xy)
}

// Draw returns the mask of a polygon with the given points, x and y in turn, as pycocotools draws it:
// on a grid that is five times as fine, of which every fifth column counts. It returns ErrLong for
// coordinates far outside of the image, and if the outlines and areas of all polygons together are many
// times larger than the image.
func (p *Polygons) Draw(xy []float64) (Mask, error) {
	const scale = 5
	h, w := p.h, p.w
	k := len(xy) / 2
	limit := float64(16*(h+w) + 1<<12)
	points := make([][2]int64, 0, k+1)
	for i := range k {
		x, y := xy[2*i], xy[2*i+1]
		if !(math.Abs(x) <= limit && math.Abs(y) <= limit) {
			return Mask{}, ErrLong
		}
		points = append(points, [2]int64{int64(float64(scale*x) + .5), int64(float64(scale*y) + .5)})
	}
	if k > 0 {
		points = append(points, points[0])
	}
	// The pixels at which the outline enters the next column: there the mask begins or ends.
	var edges []int64
	var last [2]int64
	started := false
	step := func(u, v int64) {
		before := last
		last = [2]int64{u, v}
		if !started {
			started = true
			return
		}
		if u == before[0] {
			return
		}
		column := max(u, before[0]) - 1
		if u < before[0] {
			column = u
		}
		if column < 0 || (column-scale/2)%scale != 0 {
			return
		}
		x := (column - scale/2) / scale
		if x < 0 || x > w-1 {
			return
		}
		y := (float64(min(v, before[1]))+.5)/scale - .5
		y = math.Ceil(min(max(y, 0), float64(h)))
		edges = append(edges, x*h+int64(y))
	}
	for i := range k {
		a, b := points[i], points[i+1]
		dx, dy := distance(a[0], b[0]), distance(a[1], b[1])
		if p.budget -= max(dx, dy) + 1; p.budget < 0 {
			return Mask{}, ErrLong
		}
		// An edge is computed in the direction of the larger coordinate, and walked from a to b.
		flip := dx >= dy && a[0] > b[0] || dx < dy && a[1] > b[1]
		if flip {
			a, b = b, a
		}
		along, across := 0, 1
		if dx < dy {
			along, across = 1, 0
		}
		n := max(dx, dy)
		slope := float64(b[across]-a[across]) / float64(n)
		for d := range n + 1 {
			t := d
			if flip {
				t = n - d
			}
			var at [2]int64
			at[along] = t + a[along]
			at[across] = a[across]
			if n > 0 {
				at[across] = int64(float64(a[across]) + float64(slope*float64(t)) + .5)
			}
			step(at[0], at[1])
		}
	}
	edges = append(edges, h*w)
	slices.Sort(edges)
	m := Mask{h, w, runs(edges)}
	if p.budget -= m.Area(); p.budget < 0 {
		return Mask{}, ErrLong
	}
	return m, nil
}

// runs returns the lengths of runs from the sorted positions at which they end. Two runs with an empty
// one between them become one.
func runs(ends []int64) []int64 {
	lengths := make([]int64, len(ends))
	before := int64(0)
	for i, end := range ends {
		lengths[i], before = end-before, end
	}
	out := lengths[:1]
	for i := 1; i < len(lengths); i++ {
		if lengths[i] > 0 {
			out = append(out, lengths[i])
		} else if i++; i < len(lengths) {
			out[len(out)-1] += lengths[i]
		}
	}
	return out
}

func distance(a, b int64) int64 {
	if a > b {
		return a - b
	}
	return b - a
}

// Box returns the mask of a box, given by its left, top, width and height.
func Box(b [4]float64, h, w int64) (Mask, error) {
	left, top, right, bottom := b[0], b[1], b[0]+b[2], b[1]+b[3]
	return Polygon([]float64{left, top, left, bottom, right, bottom, right, top}, h, w)
}

// Union returns the mask of the pixels inside any of the masks, which have the same size.
func Union(masks []Mask) Mask {
	if len(masks) == 1 {
		return masks[0]
	}
	// +1 where a run inside begins, and -1 where it ends
	type change struct{ at, by int64 }
	var changes []change
	out := Mask{H: masks[0].H, W: masks[0].W}
	for _, m := range masks {
		at := int64(0)
		for i, n := range m.Counts {
			if i%2 == 1 && n > 0 {
				changes = append(changes, change{at, 1}, change{at + n, -1})
			}
			at += n
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return int(min(max(a.at-b.at, -1), 1)) })
	depth, begin, end := int64(0), int64(0), int64(0)
	for i := 0; i < len(changes); {
		at, was := changes[i].at, depth
		for ; i < len(changes) && changes[i].at == at; i++ {
			depth += changes[i].by
		}
		switch {
		case was == 0 && depth > 0:
			begin = at
		case was > 0 && depth == 0:
			out.Counts = append(out.Counts, begin-end, at-begin)
			end = at
		}
	}
	out.Counts = append(out.Counts, out.H*out.W-end)
	return out
}
