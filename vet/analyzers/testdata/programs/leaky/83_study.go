// Command study searches hyperparameters: each trial trains its own model, and the study
// keeps the trials.
//
// Leaky: each trial has a function that describes it on demand. The closure refers to the
// trial's model and optimizer, so the models of all trials stay (with their moments),
// although only the description of the best trial is printed.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type params struct {
	lr    float64
	width int64
}

type trial struct {
	number   int
	score    float64
	describe func() string
}

type study struct {
	space  func() params
	trials []trial
}

func (s *study) optimize(n int, objective func(p params) (float64, func() string)) {
	for i := range n {
		score, describe := objective(s.space())
		s.trials = append(s.trials, trial{i, score, describe}) // want leak
	}
}

func (s *study) best() trial {
	best := s.trials[0]
	for _, t := range s.trials {
		if t.score < best.score {
			best = t
		}
	}
	return best
}

func objective(p params) (float64, func() string) {
	model := nn.NewSequential(nn.NewLinear(8, p.width), nn.NewReLU(), nn.NewLinear(p.width, 1))
	opt := optim.NewAdamW(model.Parameters(), optim.LR(p.lr))
	last := math.Inf(1)
	for range torch.ScopedRange(5) {
		x := torch.Randn(torch.Shape{32, 8})
		loss := F.MSELoss(model.Forward(x), x.Abs().Sum(torch.Dim(1), torch.KeepDim(true)))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		last = loss.Item()
	}
	return last, func() string {
		norm := 0.0
		torch.Scope(func() {
			for _, w := range model.Parameters() {
				norm += w.Norm().Item()
			}
		})
		return fmt.Sprintf("lr %.2g, width %d, loss %.3f, norm of the weights %.2f", opt.ParamGroups()[0].LR(), p.width, last, norm)
	}
}

func main() {
	torch.ManualSeed(28)
	s := &study{space: func() params {
		return params{math.Pow(10, -1-3*rand.Float64()), int64(8 << rand.N(4))}
	}}
	s.optimize(60, objective)
	b := s.best()
	fmt.Printf("best of %d trials is %d: %s\n", len(s.trials), b.number, b.describe())
}
