// Package plot draws memory over the steps of a program, alone or together with other
// curves such as a loss. It is a separate Go module, so that programs without plots do not
// get its dependencies.
//
//	err := plot.Save("memory.png", "step", plot.Steps(tracker.Steps()))
package plot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg" // PNG, JPEG, TIFF
	_ "gonum.org/v1/plot/vg/vgpdf"
	_ "gonum.org/v1/plot/vg/vgsvg"

	"github.com/gotorch/gotorch/torch"
)

// Panel is one plot with its own y axis. All panels of an image have the same x axis.
type Panel struct {
	Label    string // of the y axis
	FromZero bool   // start the y axis at zero
	Lines    []Line
}

// Line is a curve in a panel. Label is its entry in the legend; "" means no entry.
// If X is nil, the x values are 1, 2, 3 and so on.
type Line struct {
	Label string
	X, Y  []float64
}

// Save draws the panels below one another and saves the image to a file. The extension of
// path sets the format: png, svg, pdf, jpg or tif. If writing fails, the file is removed.
// A panel without values is drawn empty.
func Save(path, xLabel string, panels ...Panel) error {
	canvas, err := drawn(strings.TrimPrefix(filepath.Ext(path), "."), xLabel, panels)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Write writes the image of [Save] to w. The format is an extension that Save accepts,
// such as "png". A nil w gives a *torch.Error of kind ErrNil.
func Write(w io.Writer, format, xLabel string, panels ...Panel) error {
	if w == nil {
		return torch.NewError("plot.Write", torch.ErrNil, "w", "a nil writer")
	}
	canvas, err := drawn(format, xLabel, panels)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(w)
	return err
}

func drawn(format, xLabel string, panels []Panel) (vg.CanvasWriterTo, error) {
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
				continue // no values
			}
			line, err := l.plotter()
			if err != nil {
				return nil, fmt.Errorf("panel %q: %w", panel.Label, err)
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
		// Without values the range of the axis is infinite and reversed, and gonum's
		// computation of ticks would not end.
		if n := panel.labels(); n > 0 && p.Y.Max > p.Y.Min {
			p.Y.Max += (p.Y.Max - p.Y.Min) * legendRoom * float64(n)
		}
	}
	for _, row := range rows {
		row[0].X.Min, row[0].X.Max = 0, end
	}
	if len(rows) > 0 {
		rows[len(rows)-1][0].X.Label.Text = xLabel
	}
	return onto(format, rows)
}

// legendRoom is the height that each legend entry gets above the curves, as a fraction of
// the panel's height.
const legendRoom = 0.09

// labels counts the entries of the legend.
func (p Panel) labels() int {
	n := 0
	for _, l := range p.Lines {
		if l.Label != "" {
			n++
		}
	}
	return n
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

// onto draws the plots on a new canvas for the given file format.
func onto(format string, rows [][]*plot.Plot) (vg.CanvasWriterTo, error) {
	height := vg.Length(max(len(rows), 1)) * 3 * vg.Inch
	canvas, err := draw.NewFormattedCanvas(8*vg.Inch, height, format)
	if err != nil {
		return nil, err
	}
	tiles := draw.Tiles{
		Rows: len(rows), Cols: 1,
		PadY: 4 * vg.Millimeter, PadTop: 3 * vg.Millimeter, PadBottom: 2 * vg.Millimeter,
		PadLeft: 2 * vg.Millimeter, PadRight: 5 * vg.Millimeter,
	}
	for i, c := range plot.Align(rows, tiles, draw.New(canvas)) {
		rows[i][0].Draw(c[0])
	}
	return canvas, nil
}
