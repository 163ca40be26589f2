package memory_test

import (
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torch/profiler"
	"github.com/gotorch/gotorch/torch/recompute"
)

// cleanTools use hooks, graphs, goroutines, loaders and other parts of the library.
var cleanTools = []program{
	{"hook of each tensor", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			x := w.MulScalar(2)
			x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.MulScalar(2) })
			x.Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"hook that is removed", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			h := w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Neg() })
			w.Sum().Backward()
			h.Remove()
			torch.ZeroGrad(w)
		})
	}},
	{"hook that stays", func(p *running) func(int) {
		w := p.weight(4)
		w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Neg() })
		return scoped(func(int) { w.Sum().Backward(); torch.ZeroGrad(w) })
	}},
	{"custom function", func(p *running) func(int) {
		w, square := p.weight(4), squares()
		return scoped(func(int) { square.Apply(w)[0].Sum().Backward(); torch.ZeroGrad(w) })
	}},
	{"custom function that is not run backward", func(p *running) func(int) {
		w, square := p.weight(4), squares()
		return scoped(func(int) { square.Apply(w) })
	}},
	{"checkpoint", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			recompute.CheckpointN(exps, []*torch.Tensor{w})[0].Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"retained graph", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			loss := w.Exp().Sum()
			loss.Backward(torch.RetainGraph(true))
			loss.Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"second derivative", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			g := torch.Grad([]*torch.Tensor{w.Exp().Sum()}, []*torch.Tensor{w}, torch.CreateGraph(true))
			g[0].Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"backward of several roots", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			torch.Grad([]*torch.Tensor{w.Exp().Sum(), w.Sin().Sum()}, []*torch.Tensor{w})
		})
	}},
	{"views changed in place", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			x := w.MulScalar(2)
			x.Select(0, 1).MulScalar_(3)
			x.Select(0, 2).Zero_()
			x.Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"rows copied into a tensor", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			out := torch.Zeros(torch.Shape{3, 4})
			for i := range int64(3) {
				out.Select(0, i).Copy_(w.Select(0, i).Exp())
			}
			out.Sum().Backward()
			torch.ZeroGrad(w)
		})
	}},
	{"failed backward passes", func(p *running) func(int) {
		w := p.weight(4)
		return scoped(func(int) {
			loss := w.Exp().Sum()
			loss.Backward()
			_ = torch.Try(func() { loss.Backward() })
			torch.ZeroGrad(w)
		})
	}},
	{"functorch", func(p *running) func(int) {
		x := p.owns(small())
		grad := functorch.Grad(func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x[0].Sin().Sum()} })
		return scoped(func(int) { grad(x) })
	}},
	{"vmap", func(p *running) func(int) {
		x := p.weight(8)
		dot := functorch.VMap(func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x[0].Mul(x[0]).Sum()} })
		return scoped(func(int) { dot(x)[0].Sum().Backward(); torch.ZeroGrad(x) })
	}},
	{"goroutines that are waited for", func(p *running) func(int) {
		return func(int) {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { torch.Scope(func() { _ = small().Exp().Sum().Item() }) })
			}
			wg.Wait()
		}
	}},
	{"pipeline", func(p *running) func(int) {
		ch := make(chan *torch.Tensor, 4)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for t := range ch {
				_ = t.Close()
			}
		}()
		p.atEnd(func() { close(ch); <-done })
		return scoped(func(int) { ch <- torch.Disown(small()) })
	}},
	{"generator of each step", func(p *running) func(int) {
		return scoped(func(int) { torch.Randn(torch.Shape{8}, torch.NewGenerator(torch.CPU)) })
	}},
	{"default generator of each step", func(p *running) func(int) {
		return scoped(func(i int) {
			torch.DefaultGenerator(torch.CPU).ManualSeed(uint64(i))
			torch.Randn(torch.Shape{8})
		})
	}},
	{"loader", func(p *running) func(int) {
		l := p.loader()
		return scoped(func(int) {
			for range l.All() {
			}
		})
	}},
	{"loader with workers", func(p *running) func(int) {
		l := p.loader(data.NumWorkers(2))
		return scoped(func(int) {
			for range l.All() {
				break
			}
		})
	}},
	{"iterators that are closed", func(p *running) func(int) {
		l := p.loader()
		return func(int) {
			it := l.Iter()
			it.Next()
			_ = it.Close()
		}
	}},
	{"captured graph", func(p *running) func(int) {
		x := p.owns(small())
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp()} })
		p.atEnd(func() { _ = g.Close() })
		return func(int) { g.Replay() }
	}},
	{"captured graph of each step", func(p *running) func(int) {
		x := p.owns(small())
		return func(int) { _ = torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp()} }).Close() }
	}},
	{"shared slices", func(*running) func(int) {
		return scoped(func(int) { _ = torch.FromSliceShared(make([]float32, 64)).Sum().Item() })
	}},
	{"profile of each step", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(int) {
			pr := profiler.NewProfile()
			_ = pr.Start()
			t.loss()
			_ = pr.Stop()
		})
	}},
	{"clipped gradients", func(p *running) func(int) {
		t := p.mlp()
		return scoped(func(int) {
			t.opt.ZeroGrad()
			t.loss().Backward()
			_ = nnutil.ClipGradNorm_(t.model.Parameters(), 1).Item()
			t.opt.Step()
		})
	}},
	{"lists cleared each epoch", func(p *running) func(int) {
		t, b := p.mlp(), p.bag()
		return scoped(func(i int) {
			b.put(t.step().Detach())
			if i%16 == 15 {
				_ = torch.Stack(b.ts).Mean().Item()
				closeAll(b.ts...)()
				b.ts = nil
			}
		})
	}},
	{"tables made when first used", func(p *running) func(int) {
		var tables [3]*torch.Tensor
		p.atEnd(func() { closeAll(tables[:]...)() })
		return scoped(func(i int) {
			if k := i / 10; k < len(tables) && tables[k] == nil {
				tables[k] = torch.Keep(small())
			}
		})
	}},
	{"recurrent network", func(p *running) func(int) {
		lstm := nn.NewLSTM(4, 8)
		x := p.owns(torch.Randn(torch.Shape{5, 2, 4}))
		p.atEnd(func() { torch.ZeroGrad(lstm.Parameters()...); _ = lstm.Close() })
		return scoped(func(int) {
			out, _, _ := lstm.Forward(x, nil, nil)
			out.Sum().Backward()
			torch.ZeroGrad(lstm.Parameters()...)
		})
	}},
}

func squares() *torch.Function {
	return &torch.Function{
		Forward: func(ctx *torch.Context, x ...*torch.Tensor) []*torch.Tensor {
			ctx.Save(x...)
			return []*torch.Tensor{x[0].Mul(x[0])}
		},
		Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{g[0].Mul(ctx.Saved()[0]).MulScalar(2)}
		},
	}
}

func exps(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x[0].Exp().Sin()} }

func (p *running) loader(opts ...data.LoaderOption) *data.Loader {
	x := p.owns(torch.Randn(torch.Shape{8, 4}))
	return data.NewLoader(data.NewTensorDataset(x), append(opts, data.BatchSize(2))...)
}
