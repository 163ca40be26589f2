package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
)

// shades are the two colors of the bars, which alternate from batch to batch.
var shades = []color.Color{color.RGBA{R: 52, G: 101, B: 164, A: 255}, color.RGBA{R: 132, G: 171, B: 220, A: 255}}

// draw draws a row for each number of buffers. In each row, the upper bar shows when
// batches were loaded, and the lower bar when they were processed.
func draw(path string, all []timeline) error {
	var rows [][]*plot.Plot
	end := 0.0
	for _, t := range all {
		end = max(end, 1e3*t.took.Seconds())
	}
	for _, t := range all {
		p := plot.New()
		p.Title.Text = fmt.Sprintf("buffers: %d", t.buffers)
		p.X.Label.Text, p.X.Min, p.X.Max = "milliseconds", 0, end
		p.NominalY("compute", "load")
		for y, spans := range [][]span{t.computing, t.loads} {
			for i, s := range spans {
				from, to, low, high := 1e3*s.from.Seconds(), 1e3*s.to.Seconds(), float64(y)-0.35, float64(y)+0.35
				box, err := plotter.NewPolygon(plotter.XYs{
					{X: from, Y: low},
					{X: to, Y: low},
					{X: to, Y: high},
					{X: from, Y: high},
				})
				if err != nil {
					return err
				}
				box.Color, box.LineStyle.Width = shades[i%2], 0
				p.Add(box)
			}
		}
		p.X.Min, p.X.Max = 0, end
		rows = append(rows, []*plot.Plot{p})
	}
	return tiles.Save(path, 10*vg.Inch, 6*vg.Inch, rows...)
}
