package memory_test

import (
	"slices"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// clean are programs that do not leak.
var clean = slices.Concat(cleanLoops, cleanTools)

// cleanLoops train, evaluate and keep tensors.
var cleanLoops = []program{
	{"MLP in scopes", training(func() nn.Layer {
		return nn.NewSequential(nn.NewLinear(8, 16), nn.NewReLU(), nn.NewLinear(16, 4))
	}, 4, 8)},
	{"convolution", training(func() nn.Layer {
		return nn.NewSequential(nn.NewConv2d(1, 2, 3), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(72, 4))
	}, 2, 1, 8, 8)},
	{"batch norm", training(func() nn.Layer {
		return nn.NewSequential(nn.NewLinear(8, 8), nn.NewBatchNorm1d(8), nn.NewLinear(8, 4))
	}, 4, 8)},
	{"dropout", training(func() nn.Layer {
		return nn.NewSequential(nn.NewLinear(8, 8), nn.NewDropout(0.5), nn.NewLinear(8, 4))
	}, 4, 8)},
	{"layer norm", training(func() nn.Layer {
		return nn.NewSequential(nn.NewLayerNorm(torch.Shape{8}), nn.NewLinear(8, 4))
	}, 4, 8)},
	{"no scopes", func(p *running) func(int) { t := p.mlp(); return func(int) { t.step() } }},
	{"closes each tensor", func(p *running) func(int) { t := p.mlp(); return func(int) { _ = t.step().Close() } }},
	{"total of numbers", func(p *running) func(int) {
		t, total := p.mlp(), 0.0
		return scoped(func(int) { total += t.step().Item() })
	}},
	{"total detached", func(p *running) func(int) {
		t, total := p.mlp(), torch.Zeros(torch.Shape{})
		p.owns(total)
		return scoped(func(int) { total.Add_(t.step().Detach()) })
	}},
	{"total without gradients", func(p *running) func(int) {
		t, total := p.mlp(), torch.Zeros(torch.Shape{})
		p.owns(total)
		return scoped(func(int) {
			loss := t.step()
			torch.NoGrad(func() { total.Add_(loss) })
		})
	}},
	{"total of an epoch, run backward at its end", func(p *running) func(int) {
		t := p.mlp()
		total := torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = total.Close() })
		return scoped(func(i int) {
			next := total.Add(t.loss())
			if i%8 == 7 {
				t.opt.ZeroGrad()
				next.Backward()
				t.opt.Step()
				next = torch.Zeros(torch.Shape{})
			}
			replace(&total, next)
		})
	}},
	{"gradient accumulation", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(i int) {
			t.loss().DivScalar(4).Backward()
			if i%4 == 3 {
				t.opt.Step()
				t.opt.ZeroGrad()
			}
		})
	}},
	{"evaluation without gradients", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(int) { torch.NoGrad(func() { t.loss().Item() }) })
	}},
	{"hidden state detached", func(p *running) func(int) {
		w, h := p.weight(8), torch.Zeros(torch.Shape{1, 8})
		p.atEnd(func() { _ = h.Close() })
		return scoped(func(int) { replace(&h, h.MatMul(w).Tanh().Detach()) })
	}},
	{"hidden state left to the collector", func(p *running) func(int) {
		w, h := p.weight(8), torch.Zeros(torch.Shape{1, 8})
		return func(int) { h = h.MatMul(w).Tanh().Detach() } //torchvet:ignore carried the collector has the old ones
	}},
	{"ring buffer", ringOf(8)},
	{"ring buffer that fills for 40 steps", ringOf(40)},
	{"ring buffer left to the collector", func(p *running) func(int) {
		var ring [16]*torch.Tensor
		return func(i int) { ring[i%16] = small() }
	}},
	{"ring of losses with their graphs", func(p *running) func(int) {
		t, ring := p.mlp(), make([]*torch.Tensor, 8)
		p.atEnd(func() { closeAll(ring...)() })
		return scoped(func(i int) { replace(&ring[i%8], t.step()) })
	}},
	{"replay buffer", func(p *running) func(int) {
		replay := make([]*torch.Tensor, 30)
		p.atEnd(func() { closeAll(replay...)() })
		return scoped(func(i int) {
			replace(&replay[i%30], torch.Randn(torch.Shape{16}))
			_ = torch.Stack([]*torch.Tensor{replay[0], replay[i%min(i+1, 30)]}).Mean().Item()
		})
	}},
	{"episodes that are flushed", func(p *running) func(int) {
		b := p.bag()
		return scoped(func(i int) {
			b.put(torch.Randn(torch.Shape{32}))
			if i%20 == 19 {
				closeAll(b.ts...)()
				b.ts = nil
			}
		})
	}},
	{"policy gradient", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(int) {
			var logs []*torch.Tensor
			for range 5 {
				logs = append(logs, t.model.Forward(t.x).LogSoftmax(1).Select(1, 0).Sum())
			}
			t.opt.ZeroGrad()
			torch.Stack(logs).Sum().Neg().Backward()
			t.opt.Step()
		})
	}},
	{"cache of shapes", func(p *running) func(int) {
		cache := map[int]*torch.Tensor{}
		p.atEnd(func() {
			for _, t := range cache {
				_ = t.Close()
			}
		})
		return scoped(func(i int) {
			if k := i % 12; cache[k] == nil {
				cache[k] = torch.Keep(torch.Ones(torch.Shape{int64(k + 1), 16}))
			}
		})
	}},
	{"cache with eviction", func(p *running) func(int) {
		cache := map[int]*torch.Tensor{}
		p.atEnd(func() {
			for _, t := range cache {
				_ = t.Close()
			}
		})
		return scoped(func(i int) {
			cache[i] = torch.Keep(small())
			if old := cache[i-10]; old != nil {
				_ = old.Close()
				delete(cache, i-10)
			}
		})
	}},
	{"sync.Pool", func(p *running) func(int) {
		pool := pooled()
		return func(int) {
			t := pool.Get().(*torch.Tensor)
			t.Add_(t)
			pool.Put(t)
		}
	}},
	{"sync.Pool of several goroutines", func(p *running) func(int) {
		pool := pooled()
		return func(int) {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					t := pool.Get().(*torch.Tensor)
					_ = t.Sum().Item()
					pool.Put(t)
				})
			}
			wg.Wait()
		}
	}},
	{"sizes that vary", func(p *running) func(int) {
		w := p.weight(8)
		return scoped(func(i int) {
			torch.Randn(torch.Shape{int64(1 + i*7%23), 8}).MatMul(w).Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"average of weights", func(p *running) func(int) {
		t := p.mlp()
		avg := p.owns(t.model.Parameters()[0].Detach().Clone())
		return scoped(func(int) {
			t.step()
			torch.NoGrad(func() { avg.MulScalar_(0.9).Add_(t.model.Parameters()[0].MulScalar(0.1)) })
		})
	}},
	{"best weights", func(p *running) func(int) {
		t := p.mlp()
		var best *torch.Tensor
		p.atEnd(func() { _ = best.Close() })
		return scoped(func(int) { t.step(); replace(&best, t.model.Parameters()[0].Detach().Clone()) })
	}},
	{"state dict of each step", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(int) { t.step(); _ = t.model.(*nn.Sequential).StateDict() })
	}},
	{"optimizer of each step", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(int) {
			opt := optim.NewSGD(t.model.Parameters(), optim.Momentum(0.9))
			t.loss().Backward()
			opt.Step()
			opt.ZeroGrad()
			_ = opt.Close()
		})
	}},
}

func ringOf(n int) func(p *running) func(int) {
	return func(p *running) func(int) {
		ring := make([]*torch.Tensor, n)
		p.atEnd(func() { closeAll(ring...)() })
		return scoped(func(i int) { replace(&ring[i%n], small()) })
	}
}
