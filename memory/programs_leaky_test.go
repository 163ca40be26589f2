package memory_test

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/recompute"
)

// leaky are programs that leak, each in a different way.
var leaky = []program{
	{"total of losses", func(p *running) func(int) {
		t, total := p.mlp(), torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = total.Close() })
		return func(int) { total = total.Add(t.step()) } //torchvet:ignore carried the leak that is looked for
	}},
	{"total of losses in scopes", func(p *running) func(int) {
		t, total := p.mlp(), torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = total.Close() })
		return scoped(func(int) { replace(&total, total.Add(t.step())) })
	}},
	{"total of losses in place", func(p *running) func(int) {
		t, total := p.mlp(), torch.Zeros(torch.Shape{})
		p.owns(total)
		return scoped(func(int) { total.Add_(t.step()) })
	}},
	{"moving average of losses", func(p *running) func(int) {
		t, avg := p.mlp(), torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = avg.Close() })
		return scoped(func(int) { replace(&avg, avg.MulScalar(0.9).Add(t.step().MulScalar(0.1))) })
	}},
	{"largest loss", func(p *running) func(int) {
		t, most := p.mlp(), torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = most.Close() })
		return scoped(func(int) { replace(&most, most.Maximum(t.step())) })
	}},
	{"losses with their graphs", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(int) { b.put(t.step()) })
	}},
	{"losses detached", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(int) { b.put(t.step().Detach()) })
	}},
	{"losses left to the collector", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return func(int) { b.ts = append(b.ts, t.step()) }
	}},
	{"outputs", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(int) { b.put(t.model.Forward(t.x)) })
	}},
	{"predictions without gradients", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(int) { torch.NoGrad(func() { b.put(t.model.Forward(t.x)) }) })
	}},
	{"hidden state", func(p *running) func(int) {
		w, h := p.weight(8), torch.Zeros(torch.Shape{1, 8})
		p.atEnd(func() { _ = h.Close() })
		return scoped(func(int) { replace(&h, h.MatMul(w).Tanh()) })
	}},
	{"hidden state left to the collector", func(p *running) func(int) {
		w, h := p.weight(8), torch.Zeros(torch.Shape{1, 8})
		p.atEnd(func() { _ = h.Close() })
		return func(int) { h = h.MatMul(w).Tanh() } //torchvet:ignore carried the leak that is looked for
	}},
	{"hook of each step on a weight", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			//torchvet:ignore growing the leak that is looked for
			w.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
				return nil
			})
			w.Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"hook that has a tensor", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			x := torch.Disown(small())
			//torchvet:ignore growing the leak that is looked for
			w.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
				_ = x
				return nil
			})
		})
	}},
	{"hook that has its own tensor", func(p *running) func(int) {
		var hooks []*torch.Hook
		p.atEnd(func() {
			for _, h := range hooks {
				h.Remove()
			}
		})
		return func(int) {
			x := small().RequiresGrad_()
			hooks = append(hooks, x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) }))
		}
	}},
	{"hook that collects gradients", func(p *running) func(int) {
		w, b := p.weight(4), p.bag()
		w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { b.put(g.Clone()); return nil })
		return scoped(func(int) { w.Sum().Backward(); torch.ZeroGrad(w) })
	}},
	{"gradients", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(int) { t.step(); b.put(t.model.Parameters()[0].Grad().Clone()) })
	}},
	{"gradients' graph", func(p *running) func(int) {
		w := p.weight(4)
		sum := torch.Zeros(torch.Shape{4, 4})
		p.atEnd(func() { _ = sum.Close() })
		return scoped(func(int) {
			g := torch.Grad([]*torch.Tensor{w.Exp().Sum()}, []*torch.Tensor{w}, torch.CreateGraph(true))
			replace(&sum, sum.Add(g[0]))
		})
	}},
	{"state dicts", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(int) {
			t.step()
			for _, w := range t.model.Parameters() {
				b.put(w.Detach().Clone())
			}
		})
	}},
	{"cache of keys and values", func(p *running) func(int) {
		kv := torch.Zeros(torch.Shape{1, 256})
		p.atEnd(func() { _ = kv.Close() })
		return scoped(func(int) { replace(&kv, torch.Cat([]*torch.Tensor{kv, torch.Ones(torch.Shape{1, 256})})) })
	}},
	{"map by step", func(p *running) func(int) {
		cache := map[int]*torch.Tensor{}
		p.atEnd(func() {
			for _, t := range cache {
				_ = t.Close()
			}
		})
		return scoped(func(i int) { cache[i] = torch.Keep(small()) }) //torchvet:ignore growing the leak to find
	}},
	{"captured graphs", func(p *running) func(int) {
		x, graphs := p.owns(small()), []*torch.Graph{}
		p.atEnd(func() {
			for _, g := range graphs {
				_ = g.Close()
			}
		})
		return func(int) {
			graphs = append(graphs, torch.Capture(func() []*torch.Tensor {
				return []*torch.Tensor{x.Exp()}
			})) //torchvet:ignore growing the leak that is looked for
		}
	}},
	{"optimizers", func(p *running) func(int) {
		t := p.mlp()
		var opts []*optim.Adam
		p.atEnd(func() {
			for _, o := range opts {
				_ = o.Close()
			}
		})
		return scoped(func(int) {
			opt := optim.NewAdam(t.model.Parameters())
			t.loss().Backward()
			opt.Step()
			opt.ZeroGrad()
			opts = append(opts, opt)
		})
	}},
	{"total run backward again and again", func(p *running) func(int) {
		w, total := p.weight(4), torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = total.Close() })
		return scoped(func(int) {
			replace(&total, total.Add(w.Exp().Sum()))
			total.Backward(torch.RetainGraph(true))
			torch.ZeroGrad(w)
		})
	}},
	{"goroutines that wait", func(p *running) func(int) {
		stop := make(chan struct{})
		p.atEnd(func() { close(stop) })
		return func(int) {
			x := small()
			go func() { <-stop; _ = x.Close() }()
		}
	}},
	{"channel that nobody reads", func(p *running) func(int) {
		ch := make(chan *torch.Tensor, 1<<12)
		p.atEnd(func() {
			close(ch)
			for t := range ch {
				_ = t.Close()
			}
		})
		return scoped(func(int) { ch <- torch.Disown(small()) }) //torchvet:ignore growing the leak that is looked for
	}},
	{"iterators", func(p *running) func(int) {
		l := p.loader(data.NumWorkers(1))
		var its []*data.Iter
		p.atEnd(func() {
			for _, it := range its {
				_ = it.Close()
			}
		})
		return func(int) {
			it := l.Iter()
			it.Next()
			its = append(its, it)
		}
	}},
	{"generators", func(p *running) func(int) {
		var gs []*torch.Generator
		p.atEnd(func() { gs = nil })
		return func(int) { gs = append(gs, torch.NewGenerator(torch.CPU)) }
	}},
	{"shared slices", func(p *running) func(int) {
		b := p.bag()
		return func(int) { b.put(torch.FromSliceShared(make([]float32, 64))) }
	}},
	{"views", func(p *running) func(int) {
		b := p.bag()
		return scoped(func(int) { b.put(torch.Ones(torch.Shape{64, 16}).Select(0, 1)) })
	}},
	{"views of one tensor", func(p *running) func(int) {
		x, b := p.owns(torch.Ones(torch.Shape{64, 16})), p.bag()
		return scoped(func(i int) { b.put(x.Select(0, int64(i%64))) })
	}},
	{"closures", func(p *running) func(int) {
		var fns []func()
		p.atEnd(func() {
			for _, fn := range fns {
				fn()
			}
		})
		return func(int) {
			x := small()
			fns = append(fns, func() { _ = x.Close() })
		}
	}},
	{"linked list", func(p *running) func(int) {
		type node struct {
			t    *torch.Tensor
			next *node
		}
		var head *node
		p.atEnd(func() {
			for n := head; n != nil; n = n.next {
				_ = n.t.Close()
			}
		})
		return func(int) { head = &node{small(), head} }
	}},
	{"custom functions", func(p *running) func(int) {
		w, b, square := p.weight(4), p.bag(), squares()
		return scoped(func(int) { b.put(square.Apply(w)[0].Sum()) })
	}},
	{"total of a custom function", func(p *running) func(int) {
		w, total, square := p.weight(4), torch.Zeros(torch.Shape{}), squares()
		p.atEnd(func() { _ = total.Close() })
		return scoped(func(int) { replace(&total, total.Add(square.Apply(w)[0].Sum())) })
	}},
	{"checkpoints", func(p *running) func(int) {
		w, total := p.weight(4), torch.Zeros(torch.Shape{})
		p.atEnd(func() { _ = total.Close() })
		return scoped(func(int) {
			replace(&total, total.Add(recompute.CheckpointN(exps, []*torch.Tensor{w})[0].Sum()))
		})
	}},
	{"parameters", func(p *running) func(int) {
		b := p.bag()
		return func(int) { b.put(torch.Zeros(torch.Shape{4, 4}).RequiresGrad_()) }
	}},
	{"a tensor in five steps", func(p *running) func(int) {
		b := p.bag()
		return scoped(func(i int) {
			if i%5 == 0 {
				b.put(torch.Ones(torch.Shape{1024}))
			}
		})
	}},
	{"tensors kept out of a scope", func(p *running) func(int) {
		outer := p.bag()
		return func(int) {
			torch.Scope(func() {
				torch.Scope(func() { torch.Keep(small()) })
				outer.put(torch.Ones(torch.Shape{8}))
			})
		}
	}},
	{"weights changed in place with a graph", func(p *running) func(int) {
		w, x := p.weight(4), torch.Zeros(torch.Shape{4, 4})
		p.owns(x)
		return scoped(func(int) { x.Select(0, 1).Add_(w.Exp().Select(0, 0)) })
	}},
}
