package main

import (
	"fmt"
	"io"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// leak selects a leaking variant of the program.
type leak string

const (
	none             leak = "as it is"
	leakMeasurements leak = "measurements without a bound"
	leakLosses       leak = "losses kept with their graph"
	leakFigures      leak = "figures never closed"
)

// leakySamples is the number of samples of a leaking variant. Such a variant draws a
// figure every drawEvery samples.
const leakySamples, drawEvery = 100, 10

// growth contains the native bytes after each sample, and a leak report. The report
// covers the samples taken after the history of measurements was full.
type growth struct {
	leak  leak
	bytes []float64
	left  memory.Leaks
}

// watch runs the program and records the native bytes after each sample.
func watch(c config) (g growth, err error) {
	if c.figures, err = os.MkdirTemp("", "telescope"); err != nil {
		return g, err
	}
	defer func() { _ = os.RemoveAll(c.figures) }() // removes its figures, which nobody needs
	warm := c.history + 1
	if c.leak == leakMeasurements {
		c.history = 0
	}
	g.leak = c.leak
	s, err := newSession(c, io.Discard)
	if err != nil {
		return g, err
	}
	defer s.Close()
	var check *memory.LeakCheck
	for n := 1; n <= c.samples; n++ {
		if err = s.sample(n); err != nil {
			break
		}
		g.bytes = append(g.bytes, float64(memory.Allocated(torch.CPU)))
		if n == warm {
			check = memory.StartLeakCheck()
		}
	}
	if check != nil {
		g.left = check.Stop()
	}
	return g, err
}

// study runs the program and its three leaking variants, and draws their memory.
func study(c config, out io.Writer) error {
	var all []growth
	for _, l := range []leak{none, leakMeasurements, leakLosses, leakFigures} {
		way := c
		way.leak = l
		if l != none {
			way.samples, way.every = min(c.samples, leakySamples), drawEvery
		}
		g, err := watch(way)
		if err != nil {
			return err
		}
		all = append(all, g)
		quarter := max(len(g.bytes)/4, 1)
		fmt.Fprintf(out, "%s: %.0f native bytes after %d samples, %.0f after %d\n%v\n\n",
			l, g.bytes[quarter-1], quarter, g.bytes[len(g.bytes)-1], len(g.bytes), g.left)
	}
	return curves(c.memory, all)
}

// curves draws two plots: the memory of the program, and beside it the memory of the
// program and the three leaking variants on a logarithmic scale.
func curves(path string, all []growth) error {
	flat, leaky := plot.New(), plot.New()
	flat.Title.Text, leaky.Title.Text = "As it is", "With a leak"
	leaky.Y.Scale, leaky.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	leaky.Legend.Top, leaky.Legend.Left = true, true
	for _, p := range []*plot.Plot{flat, leaky} {
		p.X.Label.Text, p.Y.Label.Text = "samples", "native memory, MiB"
		p.Add(plotter.NewGrid())
	}
	for i, g := range all {
		line, err := g.line(leakySamples, i)
		if err != nil {
			return err
		}
		leaky.Add(line)
		leaky.Legend.Add(string(g.leak), line)
	}
	whole, err := all[0].line(len(all[0].bytes), 0)
	if err != nil {
		return err
	}
	flat.Add(whole)
	flat.Y.Min, flat.Y.Max = 0, 2*flat.Y.Max
	leaky.Y.Max *= 20 // room for the legend
	return tiles.Save(path, 10*vg.Inch, 4.5*vg.Inch, []*plot.Plot{flat, leaky})
}

// line returns a curve of the memory after each of the first n samples.
func (g growth) line(n, color int) (*plotter.Line, error) {
	xys := make(plotter.XYs, min(n, len(g.bytes)))
	for i := range xys {
		xys[i] = plotter.XY{X: float64(i + 1), Y: g.bytes[i] / (1 << 20)}
	}
	line, err := plotter.NewLine(xys)
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = plotutil.Color(color), 2
	return line, nil
}
