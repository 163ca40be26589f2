package main

import (
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
)

// drawn is the maximum number of text lines whose cosines are drawn.
const drawn = 24

// shades implements gonum's palette.Palette.
type shades []color.Color

func (s shades) Colors() []color.Color { return s }

// matrix contains the cosine similarity of each pair of lines. It implements
// plotter.GridXYZ, so that it can be drawn as a heat map.
type matrix struct {
	n       int
	cosines []float32
}

func (m matrix) Dims() (c, r int)   { return m.n, m.n }
func (m matrix) Z(c, r int) float64 { return float64(m.cosines[r*m.n+c]) }
func (m matrix) X(c int) float64    { return float64(c) }
func (m matrix) Y(r int) float64    { return float64(r) }

// compare returns the cosine similarity of each pair of lines. The rows are in reverse
// order: the first row is for the last line.
func compare(e *Encoder, lines []string) matrix {
	m := matrix{n: len(lines)}
	torch.Scope(func() {
		vectors := e.Encode(lines) // of length 1
		m.cosines = vectors.Flip(0).MatMul(vectors.T()).Flatten().Float32s()
	})
	return m
}

// drawLikeness draws the cosine similarity of each pair of lines. It uses only the first
// lines if there are too many.
func drawLikeness(path string, e *Encoder, lines []string) error {
	lines = lines[:min(drawn, len(lines))]
	colors := palette.Heat(64, 1).Colors()
	slices.Reverse(colors)
	likeness := plotter.NewHeatMap(compare(e, lines), shades(colors))
	likeness.Min, likeness.Max = 0, 1
	likeness.Underflow, likeness.Overflow = colors[0], colors[len(colors)-1]
	p := plot.New()
	p.Title.Text = "How alike lines are: white 0, red 1"
	p.Add(likeness)
	var numbered, numbers []string
	for i, line := range lines {
		numbers = append(numbers, strconv.Itoa(i+1))
		numbered = append(numbered, line+"  "+numbers[i])
	}
	slices.Reverse(numbered) // the first line on top
	p.NominalX(numbers...)
	p.NominalY(numbered...)
	return tiles.Save(path, 9*vg.Inch, 5*vg.Inch, []*plot.Plot{p})
}
