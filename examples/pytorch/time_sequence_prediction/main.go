// Command time_sequence_prediction learns sine waves. Two LSTM cells read a wave value by
// value and predict the next value, after training with L-BFGS. Then they continue the
// wave using their own predictions. reference.py is the same program in Python. With the
// same seed both print the same losses.
//
//	go run ./pytorch/time_sequence_prediction -waves 20 -length 200 -steps 5 -plot waves.png
//	go run ./pytorch/time_sequence_prediction   # 100 waves of 1000 values: minutes, and a gigabyte
package main

import (
	"flag"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const period, tested, hidden = 20, 3, 51 // value i of a wave is sin(i/period)

type config struct {
	frame.Flags
	waves, length, future int64
	lr                    float64
	plot                  string
}

func defaults() config {
	c := config{Flags: frame.Defaults(), waves: 100, length: 1000, future: 1000, lr: 0.8}
	c.Steps = 15
	return c
}

func main() {
	c := defaults()
	c.Register()
	flag.Int64Var(&c.waves, "waves", c.waves, "number of sine waves; 3 of them are for the test")
	flag.Int64Var(&c.length, "length", c.length, "values per wave")
	flag.Int64Var(&c.future, "future", c.future, "values to predict after the end of a wave")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.StringVar(&c.plot, "plot", c.plot, "draw the test waves with the predictions into this PNG file")
	c.Main("time_sequence_prediction", c.train)
}

type sequence struct {
	nn.Base
	lstm1, lstm2 *nn.LSTMCell
	linear       *nn.Linear
}

func newSequence() *sequence {
	m := &sequence{}
	m.Init(m)
	m.lstm1 = nn.NewLSTMCell(1, hidden)
	m.lstm2 = nn.NewLSTMCell(hidden, hidden)
	m.linear = nn.NewLinear(hidden, 1)
	m.To(torch.Float64)
	return m
}

// forward returns predictions (N, L + future) for waves (N, L). Each of the first L
// predictions is for the value after a given value. Each of the others is for the value
// after the previous prediction.
func (m *sequence) forward(x *torch.Tensor, future int64) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		var h1, c1, h2, c2, value *torch.Tensor // nil means zeros
		var out []*torch.Tensor
		for i := range x.Size(1) + future {
			if i < x.Size(1) {
				value = x.Narrow(1, i, 1)
			}
			h1, c1 = m.lstm1.Forward(value, h1, c1)
			h2, c2 = m.lstm2.Forward(h1, h2, c2)
			value = m.linear.Forward(h2)
			out = append(out, value)
		}
		return torch.Cat(out, 1)
	})
}

func (c *config) train(t *frame.Training) error {
	if c.waves <= tested || c.length < 2 || c.future < 0 {
		return fmt.Errorf(
			"-waves must be greater than %d, -length greater than 1 and -future at least 0; got %d, %d and %d",
			tested, c.waves, c.length, c.future)
	}
	shift := torch.RandInt(-4*period, 4*period, torch.Shape{c.waves, 1}, torch.NewGenerator(torch.CPU).ManualSeed(2))
	waves := torch.Arange(c.length).Add(shift).To(torch.Float64).DivScalar(period).Sin()
	input, target := waves.Narrow(1, 0, c.length-1), waves.Narrow(1, 1, c.length-1)
	test, learned := torch.SliceTo(tested), torch.SliceFrom(tested)
	model := newSequence()
	defer model.Close()
	opt := optim.NewLBFGS(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	for step := 1; !t.Ended(); step++ {
		// One step evaluates the loss up to 20 times.
		bar := progress.New(20, fmt.Sprintf("step %d/%d", step, c.Steps), c.Quiet)
		torch.Scope(func() {
			loss := opt.StepClosure(func() *torch.Tensor {
				opt.ZeroGrad()
				loss := F.MSELoss(model.forward(input.Index(learned), 0), target.Index(learned))
				loss.Backward()
				bar.Step()
				return loss
			})
			bar.End()
			t.Add(loss.Item())
			said := c.predict(model, input.Index(test))
			tests := F.MSELoss(said.Narrow(1, 0, c.length-1), target.Index(test))
			fmt.Fprintf(t.Out, "step %d: loss %.8f, test loss %.8f\n", step, loss.Item(), tests.Item())
		})
	}
	return c.draw(c.predict(model, input.Index(test)))
}

func (c *config) predict(model *sequence, x *torch.Tensor) (said *torch.Tensor) {
	torch.NoGrad(func() { said = model.forward(x, c.future) })
	return said
}

// draw draws the predictions (N, L + future). Predictions that were computed from earlier
// predictions are dashed.
func (c *config) draw(said *torch.Tensor) error {
	if c.plot == "" {
		return nil
	}
	p := plot.New()
	for k, row := range said.Unbind() {
		points := make(plotter.XYs, row.Numel())
		for i, y := range row.Float64s() {
			points[i] = plotter.XY{X: float64(i + 1), Y: y}
		}
		for i, part := range []plotter.XYs{points[:c.length], points[c.length-1:]} {
			line := plotter.Line{XYs: part, LineStyle: plotter.DefaultLineStyle}
			line.Color, line.Dashes = plotutil.Color(k), plotutil.Dashes(i)
			p.Add(&line)
		}
	}
	return tiles.Save(c.plot, 10*vg.Inch, 3*vg.Inch, []*plot.Plot{p})
}
