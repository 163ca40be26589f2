// Command search tries hyperparameters on two goroutines and keeps the best model.
//
// Clean: when a trial ends, its optimizer is closed, and so is its model unless it is the
// best so far. If it is the best, the previous best model is closed instead. The results
// are numbers.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type params struct {
	lr    float64
	width int64
}

type result struct {
	params
	loss float64
}

type study struct {
	mu      sync.Mutex
	results []result
	best    result
	model   *nn.Sequential // of the best, or nil
}

// report takes over the model.
func (s *study) report(r result, model *nn.Sequential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
	if s.model != nil && r.loss >= s.best.loss {
		_ = model.Close()
		return
	}
	if s.model != nil {
		_ = s.model.Close()
	}
	s.best, s.model = r, model
}

func (s *study) try(p params) {
	model := nn.NewSequential(nn.NewLinear(8, p.width), nn.NewReLU(), nn.NewLinear(p.width, 1))
	opt := optim.NewAdamW(model.Parameters(), optim.LR(p.lr))
	defer opt.Close()
	last := math.Inf(1)
	for range torch.ScopedRange(6) {
		x := torch.Randn(torch.Shape{32, 8})
		loss := F.MSELoss(model.Forward(x), x.Abs().Sum(torch.Dim(1), torch.KeepDim(true)))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		last = loss.Item()
	}
	model.ZeroGrad()
	s.report(result{p, last}, model)
}

func main() {
	torch.ManualSeed(64)
	s := new(study)
	trials := make(chan params)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for p := range trials {
				s.try(p)
			}
		})
	}
	for range 40 {
		trials <- params{math.Pow(10, -1-3*rand.Float64()), int64(8 << rand.N(4))}
	}
	close(trials)
	workers.Wait()
	defer s.model.Close()
	torch.Scope(func() {
		y := s.model.Forward(torch.Ones(torch.Shape{1, 8})).Item()
		fmt.Printf("best of %d: lr %.2g, width %d, loss %.3f; at ones %.2f, should be 8\n",
			len(s.results), s.best.lr, s.best.width, s.best.loss, y)
	})
}
