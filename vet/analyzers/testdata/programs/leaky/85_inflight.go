// Command inflight averages gradients over two workers in the background, while it
// computes the next layer's gradients. The workers are goroutines, but could also be
// processes.
//
// Leaky: each worker appends every transfer to its list and waits for unfinished
// transfers, but the list is never shortened. A transfer holds its copy of the gradient,
// so each step leaves one copy per parameter.
package main

import (
	"context"
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
	done        bool
}

type averager struct {
	group     *distributed.ProcessGroup
	transfers []*transfer
}

// begin starts to average the gradient of p.
func (a *averager) begin(ctx context.Context, p *torch.Tensor) error {
	g := torch.Disown(p.Grad().Clone())
	work, err := a.group.AllReduceAsync(ctx, g, distributed.Avg)
	if err != nil {
		return err
	}
	a.transfers = append(a.transfers, &transfer{param: p, grad: g, work: work}) // want leak
	return nil
}

// wait waits for all transfers and installs the averages.
func (a *averager) wait(ctx context.Context) error {
	for _, t := range a.transfers {
		if t.done {
			continue
		}
		if err := t.work.Wait(ctx); err != nil {
			return err
		}
		t.param.Grad().Copy_(t.grad)
		t.done = true
	}
	return nil
}

func work(ctx context.Context, group *distributed.ProcessGroup, model *nn.Sequential) (last float64, err error) {
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.05))
	defer opt.Close()
	avg := &averager{group: group}
	for range torch.ScopedRange(steps) {
		x := torch.Randn(torch.Shape{8, 6})
		loss := F.MSELoss(model.Forward(x), x.Sum(torch.Dim(1), torch.KeepDim(true)))
		opt.ZeroGrad()
		loss.Backward()
		for _, p := range model.Parameters() {
			if err := avg.begin(ctx, p); err != nil {
				return 0, err
			}
		}
		if err := avg.wait(ctx); err != nil {
			return 0, err
		}
		opt.Step()
		last = loss.Item()
	}
	return last, nil
}

func main() {
	torch.ManualSeed(30)
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
			loss, err := work(ctx, group, own)
			fmt.Printf("rank %d: loss %.4f %v\n", rank, loss, err)
		})
	}
	all.Wait()
}
