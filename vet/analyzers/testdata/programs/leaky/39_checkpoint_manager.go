// A checkpoint manager keeps all checkpoints in memory, so that any of them can be
// restored.
package main

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type snapshot struct {
	step  int
	state nn.StateDict
}

type manager struct {
	model     *nn.Sequential
	snapshots []snapshot
}

func (m *manager) save(step int) {
	s := snapshot{step: step, state: m.model.StateDict().Clone()}
	m.snapshots = append(m.snapshots, s) // want leak
}

func (m *manager) restore(step int) error {
	for _, s := range m.snapshots {
		if s.step == step {
			return m.model.LoadStateDict(s.state)
		}
	}
	return fmt.Errorf("no snapshot of step %d", step)
}

func main() {
	model := nn.NewSequential(nn.NewLinear(40, 80), nn.NewReLU(), nn.NewLinear(80, 40))
	m := &manager{model: model}
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	for step := 0; ; step++ {
		x := torch.Randn(torch.Shape{16, 40})
		loss := F.MSELoss(model.Forward(x), x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		if step%50 == 0 {
			m.save(step)
		}
		if loss.Item() > 1e3 {
			if err := m.restore(step / 50 * 50); err != nil {
				log.Fatal(err)
			}
		}
	}
}
