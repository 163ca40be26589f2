// Command cached_dataset trains on examples that are expensive to create, with two
// workers.
//
// Clean: the dataset keeps the examples that it has created out of the loader's scope,
// but at most one tensor for each of its 96 examples. Get returns a view, which the
// loader frees, and Close frees the cache.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

const side = 12

// patterns generates stripes in different directions.
type patterns struct {
	n     int
	mu    sync.Mutex
	cache map[int]*torch.Tensor
	made  int
}

func newPatterns(n int) *patterns { return &patterns{n: n, cache: map[int]*torch.Tensor{}} }

func (p *patterns) Len() int { return p.n }

func (p *patterns) Get(i int) data.Example {
	return data.Example{Input: p.image(i).Unsqueeze(0), Target: torch.NewTensor(int64(i % 2))}
}

func (p *patterns) image(i int) *torch.Tensor {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.cache[i]; ok {
		return t
	}
	wave := torch.Arange(side).Float().MulScalar(1+float64(i%7)/4).Sin().Unsqueeze(0).Expand(side, side)
	if i%2 == 1 {
		wave = wave.T()
	}
	t := torch.Disown(wave.Contiguous().Clone())
	p.cache[i] = t
	p.made++
	return t
}

func (p *patterns) Close() error {
	for _, t := range p.cache {
		_ = t.Close()
	}
	clear(p.cache)
	return nil
}

func noisy(e data.Example) data.Example {
	e.Input = e.Input.Add(torch.RandnLike(e.Input).MulScalar(0.5))
	return e
}

func main() {
	torch.ManualSeed(66)
	set := newPatterns(96)
	defer set.Close()
	model := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewReLU(), nn.NewAdaptiveAvgPool2d(4), nn.NewFlatten(), nn.NewLinear(64, 2))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(1e-2))
	defer opt.Close()
	loader := data.NewLoader(set, data.BatchSize(16), data.Shuffle(true), data.NumWorkers(2), data.Transform(noisy))
	for epoch := range 20 {
		total := 0.0
		for batch := range loader.All() {
			loss := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			total += loss.Item()
		}
		if epoch%5 == 4 {
			fmt.Printf("epoch %d: loss %.4f, %d images made\n", epoch+1, total/float64(loader.Len()), set.made)
		}
	}
}
