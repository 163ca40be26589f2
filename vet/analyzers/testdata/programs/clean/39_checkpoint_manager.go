// A manager keeps only the best checkpoint.
package main

import (
	"log"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type snapshot struct {
	loss  float64
	state nn.StateDict
}

type manager struct {
	model *nn.Sequential
	best  *snapshot
}

func (m *manager) offer(loss float64) {
	if m.best != nil && m.best.loss <= loss {
		return
	}
	if m.best != nil {
		for _, t := range m.best.state {
			_ = t.Tensor.Close()
		}
	}
	m.best = &snapshot{loss: loss, state: m.model.StateDict().Clone()}
}

func main() {
	model := nn.NewSequential(nn.NewLinear(40, 80), nn.NewReLU(), nn.NewLinear(80, 40))
	m := &manager{model: model}
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	for range 100000 {
		x := torch.Randn(torch.Shape{16, 40})
		loss := F.MSELoss(model.Forward(x), x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		m.offer(loss.Item())
	}
	if err := model.LoadStateDict(m.best.state); err != nil {
		log.Fatal(err)
	}
}
