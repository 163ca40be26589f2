// Package curves draws what the examples measured.
package curves

import (
	"fmt"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Panel is one diagram. All panels of a picture share their x axis.
type Panel struct {
	Label    string // of the y axis
	FromZero bool   // let the y axis begin at zero
	Lines    []Line
}

// Line is a curve in a panel. Label is its entry in the legend, "" for none. A
// nil X counts from 1.
type Line struct {
	Label string
	X, Y  []float64
}

// Save draws the panels below one another into a PNG file.
func Save(path, xLabel string, panels ...Panel) error {
	rows := make([][]*plot.Plot, len(panels))
	end := 0.0
	for i, panel := range panels {
		p := plot.New()
		rows[i] = []*plot.Plot{p}
		p.Y.Label.Text = panel.Label
		p.Legend.Top = true
		p.Add(plotter.NewGrid())
		for k, l := range panel.Lines {
			if len(l.X)+len(l.Y) == 0 {
				continue // nothing was measured
			}
			line, err := l.plotter()
			if err != nil {
				return fmt.Errorf("%s: panel %q: %w", path, panel.Label, err)
			}
			line.Color = plotutil.Color(k)
			p.Add(line)
			if l.Label != "" {
				p.Legend.Add(l.Label, line)
			}
			end = max(end, p.X.Max)
		}
		if panel.FromZero {
			p.Y.Min = 0
		}
		if panel.legend() {
			p.Y.Max += (p.Y.Max - p.Y.Min) / 5 // room above the curves
		}
	}
	for _, row := range rows {
		row[0].X.Min, row[0].X.Max = 0, end
	}
	if len(rows) > 0 {
		rows[len(rows)-1][0].X.Label.Text = xLabel
	}
	return save(path, rows)
}

func (p Panel) legend() bool {
	return slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Label != "" })
}

func (l Line) plotter() (*plotter.Line, error) {
	if l.X != nil && len(l.X) != len(l.Y) {
		return nil, fmt.Errorf("line %q has %d x and %d y values", l.Label, len(l.X), len(l.Y))
	}
	points := make(plotter.XYs, len(l.Y))
	for i := range points {
		points[i] = plotter.XY{X: float64(i + 1), Y: l.Y[i]}
		if l.X != nil {
			points[i].X = l.X[i]
		}
	}
	return plotter.NewLine(points)
}

func save(path string, rows [][]*plot.Plot) error {
	img := vgimg.New(8*vg.Inch, vg.Length(len(rows))*3*vg.Inch)
	tiles := draw.Tiles{
		Rows: len(rows), Cols: 1,
		PadY: 4 * vg.Millimeter, PadTop: 3 * vg.Millimeter, PadBottom: 2 * vg.Millimeter,
		PadLeft: 2 * vg.Millimeter, PadRight: 5 * vg.Millimeter,
	}
	for i, canvas := range plot.Align(rows, tiles, draw.New(img)) {
		rows[i][0].Draw(canvas[0])
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
