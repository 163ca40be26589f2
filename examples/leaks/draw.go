package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
)

// columns is the number of plots per row.
const columns = 4

var red, blue = color.RGBA{R: 214, G: 64, B: 56, A: 255}, color.RGBA{R: 52, G: 101, B: 164, A: 255}

// draw draws the memory of each pattern over its steps: red for the leak, blue for the
// fix.
func draw(path string, shown []pattern) error {
	var rows [][]*plot.Plot
	width := min(columns, len(shown))
	for i, p := range shown {
		if i%width == 0 {
			rows = append(rows, make([]*plot.Plot, width))
		}
		diagram, err := p.diagram()
		if err != nil {
			return err
		}
		rows[len(rows)-1][i%width] = diagram
	}
	for i, diagram := range rows[len(rows)-1] {
		if diagram == nil { // empty places in the last row
			empty := plot.New()
			empty.HideAxes()
			empty.X.Max, empty.Y.Max = 1, 1
			rows[len(rows)-1][i] = empty
		}
	}
	wide, high := 3*vg.Inch, 2.3*vg.Inch
	if len(shown) == 1 {
		wide, high = 5*vg.Inch, 3*vg.Inch
	}
	return tiles.Save(path, vg.Length(width)*wide, vg.Length(len(rows))*high, rows...)
}

func (p pattern) diagram() (*plot.Plot, error) {
	d := plot.New()
	d.Title.Text, d.X.Label.Text, d.Y.Label.Text = p.name, "steps", "KiB"
	for i, program := range []func() (func(int), func()){p.leaky, p.fixed} {
		var xys plotter.XYs
		for n, bytes := range p.curve(program) {
			xys = append(xys, plotter.XY{X: float64(n + 1), Y: bytes / 1024})
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = []color.Color{red, blue}[i], 2
		d.Add(line)
	}
	d.Y.Min, d.Y.Max = 0, max(d.Y.Max, 1)
	return d, nil
}
