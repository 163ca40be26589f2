// Command drained averages gradients over two workers in the background. The workers are
// goroutines, but could also be processes.
//
// Clean: in each step, the list of transfers is emptied after all transfers have ended,
// and the copies of the gradients are closed.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

const ranks, steps = 2, 60

type transfer struct {
	param, grad *torch.Tensor
	work        *distributed.Work
}

type averager struct {
	group    *distributed.ProcessGroup
	inflight []transfer
}

func (a *averager) begin(ctx context.Context, p *torch.Tensor) error {
	g := torch.Disown(p.Grad().Clone())
	work, err := a.group.AllReduceAsync(ctx, g, distributed.Avg)
	if err != nil {
		_ = g.Close()
		return err
	}
	a.inflight = append(a.inflight, transfer{p, g, work})
	return nil
}

// wait waits for all transfers and installs the averages.
func (a *averager) wait(ctx context.Context) (err error) {
	for _, t := range a.inflight {
		failed := t.work.Wait(ctx)
		if failed == nil {
			t.param.Grad().Copy_(t.grad)
		}
		err = errors.Join(err, failed)
		_ = t.grad.Close()
	}
	clear(a.inflight)
	a.inflight = a.inflight[:0]
	return err
}

func train(ctx context.Context, group *distributed.ProcessGroup, model *nn.Sequential) (last float64, err error) {
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.05))
	defer opt.Close()
	avg := &averager{group: group}
	for range torch.ScopedRange(steps) {
		x := torch.Randn(torch.Shape{8, 6})
		loss := F.MSELoss(model.Forward(x), x.Sum(torch.Dim(1), torch.KeepDim(true)))
		opt.ZeroGrad()
		loss.Backward()
		for _, p := range model.Parameters() {
			err = errors.Join(err, avg.begin(ctx, p))
		}
		if err = errors.Join(err, avg.wait(ctx)); err != nil {
			return 0, err
		}
		opt.Step()
		last = loss.Item()
	}
	return last, nil
}

func main() {
	torch.ManualSeed(60)
	model := nn.NewSequential(nn.NewLinear(6, 16), nn.NewReLU(), nn.NewLinear(16, 1))
	defer model.Close()
	store, err := distributed.NewHashStore()
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	ctx := context.Background()
	var all sync.WaitGroup
	for rank := range ranks {
		own := nn.DeepCopy(model).(*nn.Sequential)
		all.Go(func() {
			defer own.Close()
			group, err := distributed.InitProcessGroup(ctx, distributed.Gloo,
				distributed.WithStore(store), distributed.Rank(rank), distributed.WorldSize(ranks))
			if err != nil {
				log.Fatal(err)
			}
			defer group.Close()
			loss, err := train(ctx, group, own)
			fmt.Printf("rank %d: loss %.4f %v\n", rank, loss, err)
		})
	}
	all.Wait()
}
