package soak

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// trainer is a network that learns to classify random inputs.
type trainer struct {
	model *nn.Sequential
	opt   optim.Optimizer
	input torch.Shape // of one example
}

func newMLP() *trainer {
	m := nn.NewSequential(
		nn.NewLinear(32, 64), nn.NewLayerNorm(torch.Shape{64}), nn.NewGELU(),
		nn.NewLinear(64, 64), nn.NewReLU(), nn.NewDropout(0.1),
		nn.NewLinear(64, 10),
	)
	return &trainer{m, optim.NewAdamW(m.Parameters(), optim.LR(1e-3)), torch.Shape{32}}
}

func newCNN() *trainer {
	m := nn.NewSequential(
		nn.NewConv2d(1, 8, 3), nn.NewBatchNorm2d(8), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(8, 16, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(16*5*5, 10),
	)
	return &trainer{m, optim.NewSGD(m.Parameters(), optim.LR(1e-3), optim.Momentum(0.9)), torch.Shape{1, 28, 28}}
}

func (t *trainer) close() {
	_ = t.opt.Close()
	_ = t.model.Close()
}

// step trains on one batch and returns the loss. The tensors of the step belong to the
// caller's scope or, without one, to the collector.
func (t *trainer) step(batch int64) float64 {
	x := torch.Randn(append(torch.Shape{batch}, t.input...))
	target := torch.RandInt(0, 10, torch.Shape{batch})
	loss := F.CrossEntropy(t.model.Forward(x), target)
	t.opt.ZeroGrad()
	loss.Backward()
	t.opt.Step()
	return loss.Item()
}

var batches = []int64{8, 16, 32}

// pick returns one of the values at random.
func pick[T any](w *Worker, of []T) T { return of[w.Rand.IntN(len(of))] }

func (w *Worker) trainer() *trainer { return pick(w, []*trainer{w.mlp, w.cnn}) }

func trainInScopes(w *Worker) error {
	t := w.trainer()
	loss := 0.0
	for range 5 + w.Rand.IntN(20) {
		torch.Scope(func() { loss = t.step(pick(w, batches)) })
	}
	return finite("loss", loss)
}

func trainWithoutScopes(w *Worker) error {
	t := w.trainer()
	loss := 0.0
	for range 5 + w.Rand.IntN(20) {
		loss = t.step(pick(w, batches))
	}
	return finite("loss", loss)
}

func finite(name string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%s is %v", name, v)
	}
	return nil
}
