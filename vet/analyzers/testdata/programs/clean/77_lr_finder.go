// Command lr_finder raises the learning rate from step to step until the loss explodes,
// and suggests a rate. It does this for models of several widths.
//
// Clean: the curve consists of numbers. There is one copy of the weights from before the
// sweep, which is loaded and closed afterwards. The sweep's optimizer is closed too.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

type point struct{ lr, loss float64 }

type finder struct {
	model       *nn.Sequential
	first, last float64
	steps       int
}

func (f *finder) sweep(batch func() (x, y *torch.Tensor)) (curve []point, err error) {
	before := f.model.StateDict().Clone()
	defer func() {
		err = f.model.LoadStateDict(before)
		f.model.ZeroGrad()
		for _, t := range before {
			_ = t.Tensor.Close()
		}
	}()
	opt := optim.NewSGD(f.model.Parameters(), optim.LR(f.first))
	defer opt.Close()
	factor := math.Pow(f.last/f.first, 1/float64(f.steps))
	sched := schedule.NewExponentialLR(opt, factor)
	smooth, lowest := 0.0, math.Inf(1)
	for step := range torch.ScopedRange(f.steps) {
		x, y := batch()
		opt.ZeroGrad()
		loss := F.MSELoss(f.model.Forward(x), y)
		loss.Backward()
		opt.Step()
		value := loss.Item()
		if step == 0 {
			smooth = value
		}
		smooth += 0.2 * (value - smooth)
		lowest = min(lowest, smooth)
		curve = append(curve, point{sched.LastLR()[0], smooth})
		if smooth > 4*lowest || math.IsNaN(smooth) {
			break
		}
		sched.Step()
	}
	return curve, nil
}

// steepest returns the rate at which the loss fell fastest.
func steepest(curve []point) (lr float64) {
	fall := math.Inf(1)
	for i := 1; i < len(curve); i++ {
		if d := curve[i].loss - curve[i-1].loss; d < fall {
			fall, lr = d, curve[i].lr
		}
	}
	return lr
}

func main() {
	torch.ManualSeed(57)
	batch := func() (x, y *torch.Tensor) {
		x = torch.Randn(torch.Shape{32, 5})
		return x, x.Abs().Sum(torch.Dim(1), torch.KeepDim(true))
	}
	for width := int64(8); width <= 64; width *= 2 {
		model := nn.NewSequential(nn.NewLinear(5, width), nn.NewReLU(), nn.NewLinear(width, 1))
		f := &finder{model, 1e-4, 10, 60}
		curve, err := f.sweep(batch)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("width %d: %d steps, try a rate of %.2g\n", width, len(curve), steepest(curve))
		_ = model.Close()
	}
}
