package main

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/torch"
)

// recorder records the position errors of each iteration, for the plot.
type recorder struct {
	problems int64
	// Medians of the errors in meters: over the best attempt for each target, and over
	// all attempts.
	best, all plotter.XYs
}

func (r *recorder) observe(iteration int, errPos, _ *torch.Tensor) {
	const least = 1e-18 // replaces 0, which a logarithmic axis cannot show
	best := errPos.View(r.problems, -1).Amin(torch.Dim(1))
	r.best = append(r.best, plotter.XY{X: float64(iteration), Y: max(best.Median().Item(), least)})
	r.all = append(r.all, plotter.XY{X: float64(iteration), Y: max(errPos.Median().Item(), least)})
}

// picture plots the errors over the iterations. It also draws several solutions for the
// target that most attempts reached.
func picture(path string, chain *robot.SerialChain, targets *torch.Tensor, s *robot.Solution, errs *recorder) error {
	falling, err := convergence(errs)
	if err != nil {
		return err
	}
	arms, err := postures(chain, targets, s)
	if err != nil {
		return err
	}
	return tiles.Save(path, 10*vg.Inch, 4.5*vg.Inch, []*plot.Plot{falling, arms})
}

func convergence(errs *recorder) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "Error of position, median over targets"
	p.X.Label.Text, p.Y.Label.Text = "iteration", "metres"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	return p, plotutil.AddLinePoints(p, "all attempts", errs.all, "best attempt", errs.best)
}

// decades returns the powers of ten as ticks of a logarithmic axis. Every third tick has
// a label.
func decades(low, high float64) (ticks []plot.Tick) {
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		tick := plot.Tick{Value: math.Pow(10, e)}
		if math.Mod(e, 3) == 0 {
			tick.Label = fmt.Sprintf("%g", tick.Value)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// shown is the maximum number of attempts in the plot.
const shown = 6

func postures(chain *robot.SerialChain, targets *torch.Tensor, s *robot.Solution) (*plot.Plot, error) {
	problem := s.Converged.Sum(torch.Dim(1)).ArgMax().ItemInt()
	found := s.Solutions.Select(0, problem).Index(s.Converged.Select(0, problem))
	places := chain.Places(found) // of shape (number of joints + 1 for the end, attempts, 3)
	p := plot.New()
	p.Title.Text = "One target, reached in several ways"
	p.X.Label.Text, p.Y.Label.Text = "x, metres", "z, metres"
	p.Add(plotter.NewGrid())
	for i := range min(shown, found.Size(0)) {
		arm := plotter.XYs{{}} // begins at the robot's root
		for at := range places.Size(0) {
			v := places.Select(0, at).Select(0, i).Float64s()
			arm = append(arm, plotter.XY{X: v[0], Y: v[2]})
		}
		line, points, err := plotter.NewLinePoints(arm)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, points.Color = plotutil.Color(int(i)), 2, plotutil.Color(int(i))
		points.Shape, points.Radius = draw.CircleGlyph{}, 3
		p.Add(line, points)
	}
	at := targets.Select(0, problem).Select(1, 3).Contiguous().Float64s()
	target, err := plotter.NewScatter(plotter.XYs{{X: at[0], Y: at[2]}})
	if err != nil {
		return nil, err
	}
	target.Shape, target.Radius = draw.CrossGlyph{}, 9
	p.Legend.Add("target", target)
	p.Add(target)
	square(p)
	return p, nil
}

// square gives both axes the same range, so that a square frame does not distort lengths.
func square(p *plot.Plot) {
	half := max(p.X.Max-p.X.Min, p.Y.Max-p.Y.Min)/2 + 0.1
	x, y := (p.X.Max+p.X.Min)/2, (p.Y.Max+p.Y.Min)/2
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x-half, x+half, y-half, y+half
}
