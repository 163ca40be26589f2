// Command best_k keeps the weights of the three best epochs in memory and averages them at
// the end (a model soup).
//
// Clean: there are at most three copies of the weights. A copy that is no longer among the
// best is closed, tensor by tensor.
package main

import (
	"cmp"
	"fmt"
	"log"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type snapshot struct {
	loss  float64
	epoch int
	state nn.StateDict
}

func (s snapshot) close() {
	for _, t := range s.state {
		_ = t.Tensor.Close()
	}
}

// keeper holds the k best snapshots, best first.
type keeper struct {
	k    int
	best []snapshot
}

func (b *keeper) offer(loss float64, epoch int, model nn.Module) {
	if len(b.best) == b.k && loss >= b.best[b.k-1].loss {
		return
	}
	b.best = append(b.best, snapshot{loss, epoch, model.StateDict().Clone()})
	slices.SortFunc(b.best, func(a, b snapshot) int { return cmp.Compare(a.loss, b.loss) })
	if len(b.best) > b.k {
		last := len(b.best) - 1
		b.best[last].close()
		b.best = b.best[:last]
	}
}

// soup loads the mean of the snapshots into the model.
func (b *keeper) soup(model nn.Module) (err error) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			mean := slices.Clone(b.best[0].state)
			for i := range mean {
				var all []*torch.Tensor
				for _, s := range b.best {
					all = append(all, s.state[i].Tensor)
				}
				mean[i].Tensor = torch.Stack(all).Mean(torch.Dim(0))
			}
			err = model.LoadStateDict(mean)
		})
	})
	return err
}

func main() {
	torch.ManualSeed(43)
	model := nn.NewSequential(nn.NewLinear(10, 40), nn.NewReLU(), nn.NewLinear(40, 1))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(1e-2))
	defer opt.Close()
	best := &keeper{k: 3}
	for epoch := range 60 {
		total := 0.0
		for range torch.ScopedRange(4) {
			x := torch.Randn(torch.Shape{32, 10})
			loss := F.L1Loss(model.Forward(x), x.Max().Expand(32, 1))
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			total += loss.Item()
		}
		best.offer(total, epoch, model)
	}
	if err := best.soup(model); err != nil {
		log.Fatal(err)
	}
	for _, s := range best.best {
		fmt.Printf("epoch %d: %.4f\n", s.epoch, s.loss)
		s.close()
	}
}
