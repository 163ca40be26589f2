// Command early_stopping ends training when the validation loss has not improved for a
// while, and restores the best weights. It repeats this for several seeds.
//
// Clean: there is one copy of the best weights. improve writes to the copy in place, and
// close frees it at the end of a run, with the model and the optimizer.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type stopper struct {
	model    nn.Module
	patience int
	waited   int
	best     float64
	weights  nn.StateDict // nil before the first result
}

// stop records a validation loss and reports whether to end the training.
func (s *stopper) stop(loss float64) bool {
	if loss < s.best {
		s.best, s.waited = loss, 0
		s.improve()
		return false
	}
	s.waited++
	return s.waited >= s.patience
}

func (s *stopper) improve() {
	if s.weights == nil {
		s.weights = s.model.StateDict().Clone()
		return
	}
	torch.NoGrad(func() {
		for i, t := range s.model.StateDict() {
			s.weights[i].Tensor.Copy_(t.Tensor)
		}
	})
}

func (s *stopper) restore() error { return s.model.LoadStateDict(s.weights) }

func (s *stopper) close() {
	for _, t := range s.weights {
		_ = t.Tensor.Close()
	}
}

func run(seed uint64) (best float64, epochs int, err error) {
	torch.ManualSeed(seed)
	model := nn.NewSequential(nn.NewLinear(6, 20), nn.NewTanh(), nn.NewLinear(20, 1))
	defer model.Close()
	opt := optim.NewRMSprop(model.Parameters(), optim.LR(0.02))
	defer opt.Close()
	s := &stopper{model: model, patience: 4, best: math.Inf(1)}
	defer s.close()
	loss := func(n int64) *torch.Tensor {
		x := torch.Randn(torch.Shape{n, 6})
		return F.MSELoss(model.Forward(x), x.Sin().Sum(torch.Dim(1), torch.KeepDim(true)))
	}
	for epochs = range 25 {
		for range torch.ScopedRange(3) {
			opt.ZeroGrad()
			loss(16).Backward()
			opt.Step()
		}
		valid := 0.0
		torch.NoGrad(func() { torch.Scope(func() { valid = loss(64).Item() }) })
		if s.stop(valid) {
			break
		}
	}
	return s.best, epochs, s.restore()
}

func main() {
	for seed := range uint64(12) {
		best, epochs, err := run(seed)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("seed %d: %.4f in epoch %d at the latest\n", seed, best, epochs)
	}
}
