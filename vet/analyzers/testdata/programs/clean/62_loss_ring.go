// Command loss_ring watches the last losses of a training run, as tensors on their
// device. It reads them only occasionally, so that a GPU never waits for a loss.
//
// Clean: the ring holds at most 32 losses. They are detached, and a loss is closed when
// it is replaced.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const kept = 32

// ring keeps the newest losses.
type ring struct {
	losses [kept]*torch.Tensor
	added  int
}

func (r *ring) add(loss *torch.Tensor) {
	at := &r.losses[r.added%kept]
	_ = (*at).Close() // nil at first
	*at = torch.Disown(loss.Detach())
	r.added++
}

// mean returns the mean of the losses in the ring.
func (r *ring) mean() (m float64) {
	n := min(r.added, kept)
	torch.Scope(func() { m = torch.Stack(r.losses[:n]).Mean().Item() })
	return m
}

func (r *ring) close() {
	for _, l := range r.losses {
		_ = l.Close()
	}
}

func main() {
	torch.ManualSeed(42)
	model := nn.NewSequential(nn.NewLinear(8, 32), nn.NewSiLU(), nn.NewLinear(32, 1))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.02), optim.Momentum(0.9))
	defer opt.Close()
	var recent ring
	defer recent.close()
	for step := range torch.ScopedRange(300) {
		x := torch.Randn(torch.Shape{32, 8})
		loss := F.MSELoss(model.Forward(x), x.Prod(torch.Dim(1), torch.KeepDim(true)))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		recent.add(loss)
		if step%100 == 99 {
			fmt.Printf("step %d: mean of the last %d losses %.4f\n", step+1, kept, recent.mean())
		}
	}
}
