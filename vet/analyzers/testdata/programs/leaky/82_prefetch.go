// Command prefetch prepares batches on a goroutine in advance.
//
// Leaky: an epoch ends early as soon as its loss is good enough. Then nothing receives
// from the channel any more. The producer waits forever to send one batch, and the
// channel holds two: three batches and a goroutine per epoch.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type pair struct{ x, y *torch.Tensor }

func (p pair) close() {
	_ = p.x.Close()
	_ = p.y.Close()
}

// source provides the batches of an epoch.
type source interface {
	next(i int) (pair, bool)
}

type synthetic struct{ batches, size int64 }

func (s synthetic) next(i int) (pair, bool) {
	if int64(i) >= s.batches {
		return pair{}, false
	}
	x := torch.Randn(torch.Shape{s.size, 16})
	y := torch.Tidy(func() *torch.Tensor { return x.Index(torch.All, 0).GtScalar(0).Float().Unsqueeze(1) })
	return pair{x, y}, true
}

// prefetcher reads a source ahead.
type prefetcher struct {
	src source
	out chan pair
}

func newPrefetcher(src source, depth int) *prefetcher {
	p := &prefetcher{src, make(chan pair, depth)}
	go p.run()
	return p
}

func (p *prefetcher) run() {
	defer close(p.out)
	for i := 0; ; i++ {
		next, ok := p.src.next(i)
		if !ok {
			return
		}
		p.out <- next // want leak
	}
}

func (p *prefetcher) batches() <-chan pair { return p.out }

func epoch(model *nn.Sequential, opt optim.Optimizer, enough float64) (used int, last float64) {
	for b := range newPrefetcher(synthetic{batches: 20, size: 32}, 2).batches() {
		torch.Scope(func() {
			loss := F.BinaryCrossEntropyWithLogits(model.Forward(b.x), b.y)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			last = loss.Item()
		})
		b.close()
		used++
		if last < enough {
			break
		}
	}
	return used, last
}

func main() {
	torch.ManualSeed(27)
	model := nn.NewSequential(nn.NewLinear(16, 8), nn.NewReLU(), nn.NewLinear(8, 1))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(3e-2))
	defer opt.Close()
	for n := range 60 {
		used, last := epoch(model, opt, 0.6)
		if n%20 == 19 {
			fmt.Printf("epoch %d: %d batches, loss %.4f\n", n+1, used, last)
		}
	}
}
