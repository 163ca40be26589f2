package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/backends"
	"github.com/gotorch/gotorch/torch/dlpack"
	"github.com/gotorch/gotorch/torch/linalg"
	"github.com/gotorch/gotorch/torchtest"
)

// If a program changes a tensor between replays, this is an error or has the same effect as
// without a graph.
func TestCaptureSeesChanges(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ones := func(n ...int64) *torch.Tensor { return torch.Ones(torch.Shape(n)) }
	captured := func(fn func() *torch.Tensor) *torch.Graph {
		return torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{fn()} })
	}
	refused := map[string]struct {
		run  func() *torch.Graph // changes something; replaying the graph must fail
		says string
	}{
		"unfrozen": {func() *torch.Graph {
			a, w := ones(3), ones(3).RequiresGrad_()
			g := captured(func() *torch.Tensor { w.SetGrad(nil); l := a.Mul(w).Sum(); l.Backward(); return l })
			a.SetRequiresGrad(true)
			return g
		}, "requires a gradient, which it did not"},
		"another place in the same memory": {func() *torch.Graph {
			bank, w := torch.Randn(torch.Shape{2, 4}), ones(4)
			w.SetData(bank.Select(0, 0))
			g := captured(func() *torch.Tensor { return w.Exp() })
			w.SetData(bank.Select(0, 1))
			return g
		}, "other memory"},
		"one of two tensors in a memory": {func() *torch.Graph {
			flat := torch.Randn(torch.Shape{8})
			a, b := flat.Narrow(0, 0, 4), flat.Narrow(0, 4, 4)
			g := captured(func() *torch.Tensor { return a.Mul(b) })
			b.SetData(ones(4))
			return g
		}, "other memory"},
		"a hook": {func() *torch.Graph {
			w, x := ones(3).RequiresGrad_(), ones(3)
			g := captured(func() *torch.Tensor { w.SetGrad(nil); l := x.Mul(w).Sum(); l.Backward(); return l.Detach() })
			w.RegisterHook(func(grad *torch.Tensor) *torch.Tensor { return grad.MulScalar(10) })
			return g
		}, "different hooks"},
		"a hook that is gone": {func() *torch.Graph {
			w, x := ones(3).RequiresGrad_(), ones(3)
			h := w.RegisterPostAccumulateGradHook(func(p *torch.Tensor) { p.Grad().MulScalar_(2) })
			g := captured(func() *torch.Tensor { w.SetGrad(nil); l := x.Mul(w).Sum(); l.Backward(); return l.Detach() })
			h.Remove()
			return g
		}, "different hooks"},
		"a hook of an optimizer": {func() *torch.Graph {
			w := ones(3).RequiresGrad_()
			opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.1))
			g := captured(func() *torch.Tensor {
				opt.ZeroGrad()
				l := w.Square().Sum()
				l.Backward()
				opt.Step()
				return l.Detach()
			})
			opt.RegisterStepPreHook(func(o optim.Optimizer) { o.ZeroGrad() })
			return g
		}, "different hooks"},
		"transposed in place": {func() *torch.Graph {
			x, w := torch.Randn(torch.Shape{3, 3}), ones(3, 3)
			g := captured(func() *torch.Tensor { return x.MatMul(w) })
			x.T_()
			return g
		}, "the strides"},
	}
	for name, c := range refused {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				g := c.run()
				defer g.Close()
				err := torch.Try(func() { g.Replay() })
				require.ErrorIs(t, err, torch.ErrValue)
				assert.ErrorContains(t, err, c.says)
			})
		})
	}
	for name, within := range map[string]func(fn func()){
		"new tensors are float64": func(fn func()) { torch.WithDType(torch.Float64, fn) },
		"the choice of attention kernels": func(fn func()) {
			backends.SDPAKernel([]backends.SDPBackend{backends.SDPBackendMath}, fn)
		},
		"the gradient mode":                           func(fn func()) { torch.NoGrad(fn) },
		"autocast has been turned on or off":          func(fn func()) { amp.Autocast(torch.CPU, torch.BFloat16, fn) },
		"anomaly detection has been turned on or off": func(fn func()) { defer torch.SetDetectAnomaly(true)(); fn() },
		"the setting of deterministic algorithms": func(fn func()) {
			torch.UseDeterministicAlgorithms(true)
			defer torch.UseDeterministicAlgorithms(false)
			fn()
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				x := ones(3)
				g := captured(func() *torch.Tensor { return x.Exp() })
				defer g.Close()
				within(func() {
					err := torch.Try(func() { g.Replay() })
					require.ErrorIs(t, err, torch.ErrValue)
					assert.ErrorContains(t, err, name)
				})
				g.Replay()
			})
		})
	}
	t.Run("autocast to another dtype", func(t *testing.T) {
		torch.Scope(func() {
			x, w := ones(4, 4), ones(4, 4)
			var g *torch.Graph
			amp.Autocast(torch.CPU, torch.BFloat16, func() {
				g = captured(func() *torch.Tensor { return x.MatMul(w) })
			})
			defer g.Close()
			err := torch.Try(func() { amp.Autocast(torch.CPU, torch.Float16, func() { g.Replay() }) })
			require.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, "the dtype of autocast has changed")
		})
	})
}

// Replays give the same results as the function.
func TestCaptureComesToTheSame(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, build := range map[string]func() (x *torch.Tensor, step func() *torch.Tensor){
		"a result beside a write": func() (*torch.Tensor, func() *torch.Tensor) {
			x := torch.Randn(torch.Shape{64})
			return x, func() *torch.Tensor { return F.RReLU(x, F.Training(true)) }
		},
		"the same under a gradient": func() (*torch.Tensor, func() *torch.Tensor) {
			x, w, v := torch.Randn(torch.Shape{4, 8}), torch.Randn(torch.Shape{8, 8}).RequiresGrad_(),
				torch.Randn(torch.Shape{8, 2}).RequiresGrad_()
			return x, func() *torch.Tensor {
				w.SetGrad(nil)
				v.SetGrad(nil)
				F.RReLU(x.MatMul(w), F.Training(true)).MatMul(v).Sum().Backward()
				return w.Grad()
			}
		},
		"a constant that the program writes to": func() (*torch.Tensor, func() *torch.Tensor) {
			x := torch.Randn(torch.Shape{4})
			return x, func() *torch.Tensor { x.Exp(); return torch.Zeros(torch.Shape{4}) }
		},
		"a gradient that is a constant": func() (*torch.Tensor, func() *torch.Tensor) {
			x, w := torch.Randn(torch.Shape{4}), torch.Ones(torch.Shape{}).RequiresGrad_()
			return x, func() *torch.Tensor { x.Exp(); w.SetGrad(nil); w.AddScalar(1).Backward(); return w.Grad() }
		},
		"running statistics made by the step": func() (*torch.Tensor, func() *torch.Tensor) {
			x := torch.Randn(torch.Shape{6, 3})
			return x, func() *torch.Tensor {
				mean, v := torch.Zeros(torch.Shape{3}), torch.Ones(torch.Shape{3})
				F.BatchNorm(x, mean, v, nil, nil, F.Training(true))
				return mean.AddScalar(0)
			}
		},
		"statistics of a batch that is not contiguous": func() (*torch.Tensor, func() *torch.Tensor) {
			x := torch.Randn(torch.Shape{6, 5})
			return x, func() *torch.Tensor {
				return F.BatchNorm(x.T(), nil, nil, nil, nil, F.Training(true)).MulScalar(1)
			}
		},
		"a result that is a conjugate": func() (*torch.Tensor, func() *torch.Tensor) {
			x, a := torch.Rand(torch.Shape{3, 3}, torch.Complex64), torch.Rand(torch.Shape{3, 3}, torch.Complex64)
			lu, pivots := linalg.LUFactor(a)
			return x, func() *torch.Tensor { return linalg.LUSolve(lu, pivots, x, torch.Left(false)).MatMul(x) }
		},
		"shapes changed in place": func() (*torch.Tensor, func() *torch.Tensor) {
			x := torch.Randn(torch.Shape{4, 1})
			return x, func() *torch.Tensor { y := x.Exp(); y.T_(); y.Unsqueeze_(0); return y.MulScalar(2) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				made := func() (*torch.Tensor, func() *torch.Tensor) { torch.ManualSeed(3); return build() }
				ex, eager := made()
				gx, step := made()
				g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{step()} })
				defer g.Close()
				for i := range 5 {
					torch.Scope(func() {
						torch.NoGrad(func() { gx.Copy_(ex.Copy_(torch.RandnLike(ex))) })
						torch.ManualSeed(uint64(i))
						want := eager()
						torch.ManualSeed(uint64(i))
						got := g.Replay()[0]
						assert.True(t, want.Equal(got), "step %d: %v\n%v", i, want, got)
						torch.NoGrad(func() { got.AddScalar_(1) }) // the next replay recomputes the result
					})
				}
			})
		})
	}
}

// A step captured within autocast casts the current weights.
func TestCaptureWithinAutocast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, w := torch.Ones(torch.Shape{2, 4}), torch.Ones(torch.Shape{4, 3}).RequiresGrad_()
		var g *torch.Graph
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			x.MatMul(w) // autocast caches a cast of w
			g = torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.MatMul(w)} })
		})
		defer g.Close()
		torch.NoGrad(func() { w.Fill_(3) })
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			assert.EqualValues(t, 12, g.Replay()[0].To(torch.Float32).Max().Item())
		})
	})
}

// After a failed replay autograd rejects saved results of the graph, because the replay may
// have overwritten them.
func TestCaptureVersionsOfAFailedReplay(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, at := torch.Ones(torch.Shape{2}), torch.Zeros(torch.Shape{1}, torch.Int64)
		table, w := torch.Ones(torch.Shape{3}), torch.Ones(torch.Shape{2}).RequiresGrad_()
		g := torch.Capture(func() []*torch.Tensor {
			return []*torch.Tensor{x.Exp(), table.IndexSelect(0, at)}
		}, torch.Inputs{x, at})
		defer g.Close()
		y := g.Replay()[0].Mul(w).Sum()
		g.Feed(torch.Zeros(torch.Shape{2}), torch.Full(torch.Shape{1}, 7, torch.Int64))
		require.Error(t, torch.Try(func() { g.Replay() }))
		require.ErrorIs(t, torch.Try(func() { y.Backward() }), torch.ErrAutograd)
	})
}

// A step that does not touch gradients leaves the program's gradients unchanged.
func TestCaptureLeavesGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, w := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2}).RequiresGrad_()
		forward := func() []*torch.Tensor { return []*torch.Tensor{x.Mul(w)} }
		before := torch.Capture(forward, torch.Inputs{x}) // captured without a gradient
		defer before.Close()
		x.Mul(w).Sum().Backward()
		after := torch.Capture(forward, torch.Inputs{x})
		defer after.Close()
		w.SetGrad(nil)
		x.Mul(w).MulScalar(100).Sum().Backward()
		before.Replay()
		after.Replay()
		assert.Equal(t, []float32{100, 100}, w.Grad().Float32s())
	})
}

// All inputs are read before any of them is written.
func TestCaptureFedItsOwnInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := torch.Full(torch.Shape{1}, 1, torch.Float32), torch.Full(torch.Shape{1}, 2, torch.Float32)
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{a.Sub(b)} }, torch.Inputs{a, b})
		defer g.Close()
		g.Feed(b, a)
		assert.EqualValues(t, 1, g.Replay()[0].Item())
	})
}

func TestCaptureByShapeInInferenceMode(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Exp()} })
		defer s.Close()
		torch.InferenceMode(func() {
			for i := range 6 {
				x := torch.Full(torch.Shape{2}, float64(i), torch.Float32)
				assert.True(t, x.Exp().Equal(s.Call(x)[0]))
			}
		})
		assert.Empty(t, s.Refused())
	})
}

// Setting a generator or the shape of an outside tensor in the step is refused, because a
// replay would not repeat it.
func TestCaptureRefusesWhatOnlyGoDoes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		gen, x := torch.NewGenerator(torch.CPU), torch.Ones(torch.Shape{2, 3})
		for says, fn := range map[string]func() *torch.Tensor{
			"draws from a generator that the step selects": func() (y *torch.Tensor) {
				torch.WithGenerator(gen, func() { y = torch.Rand(torch.Shape{4}) })
				return y
			},
			"cannot be called while a step is being captured": func() *torch.Tensor {
				torch.ManualSeed(3)
				return x.Exp()
			},
			"changes the layout of a tensor from outside the step": func() *torch.Tensor { return x.T_().Exp() },
		} {
			err := torch.Try(func() { torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{fn()} }) })
			require.ErrorIs(t, err, torch.ErrRuntime)
			assert.ErrorContains(t, err, says)
		}
		torch.WithGenerator(gen, func() { // set around the step: a replay uses the current generator
			g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{torch.Rand(torch.Shape{4})} })
			defer g.Close()
			gen.ManualSeed(5)
			got := g.Replay()[0].Clone()
			gen.ManualSeed(5)
			assert.True(t, torch.Rand(torch.Shape{4}).Equal(got))
		})
	})
}

// A step that writes to its inputs writes to the caller's tensors.
func TestCaptureByShapeWritesToInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[0].MulScalar_(2).Sum()}
		})
		defer s.Close()
		x := torch.Ones(torch.Shape{1})
		for i := range 6 {
			assert.EqualValues(t, int(2)<<i, s.Call(x)[0].Item())
			assert.EqualValues(t, int(2)<<i, x.Item())
		}
		require.Len(t, s.Refused(), 1)
		assert.Contains(t, s.Refused()[0], "the step writes to input 0")
	})
}

// If more shapes occur than can be recorded at the same time, steps run without a graph until there
// is room.
func TestCaptureByShapeOfManyShapes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Exp()} },
			torch.NumWarmupIters(0), torch.MaxGraphs(100))
		defer s.Close()
		for range 4 {
			for n := range int64(80) {
				torch.Scope(func() {
					x := torch.Rand(torch.Shape{n + 1})
					assert.True(t, x.Exp().Equal(s.Call(x)[0]))
				})
			}
		}
		assert.Equal(t, 80, s.Len())
		assert.Empty(t, s.Refused())
	})
}

func TestGraphsClosedByTheStep(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		var s *torch.Graphs
		s = torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			require.ErrorIs(t, s.Close(), torch.ErrRuntime)
			return []*torch.Tensor{in[0].Exp()}
		})
		s.Call(torch.Ones(torch.Shape{2}))
		require.NoError(t, s.Close())
	})
}

// If changing a setting creates new optimizer state, the step is captured again.
func TestCaptureSettingThatAsksForState(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		made := func() (*nn.Linear, *optim.SGD) {
			torch.ManualSeed(4)
			m := nn.NewLinear(4, 2)
			return m, optim.NewSGD(m.Parameters(), optim.LR(0.1))
		}
		eager, eo := made()
		graphed, g := made()
		defer eager.Close()
		defer graphed.Close()
		defer eo.Close()
		defer g.Close()
		loss := func(y, to *torch.Tensor) *torch.Tensor { return y.Sub(to).Square().Sum() }
		step := optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor { return loss(graphed.Forward(b[0]), b[1]) }, g)
		defer step.Close()
		x, y := torch.Randn(torch.Shape{3, 4}), torch.Zeros(torch.Shape{3, 2})
		for i := range 16 {
			if i == 8 {
				eo.ParamGroups()[0].Set(optim.Momentum(0.9))
				g.ParamGroups()[0].Set(optim.Momentum(0.9))
			}
			torch.Scope(func() {
				step.Call(x, y)
				eo.ZeroGrad()
				loss(eager.Forward(x), y).Backward()
				eo.Step()
				assert.True(t, eager.Weight.Equal(graphed.Weight), "step %d", i)
			})
		}
		assert.Empty(t, step.Refused())
	})
}

// A gradient that was passed to another library keeps its address.
func TestCaptureLeavesExportedMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		const n = 1 << 20 // too large for the graph's arena
		x, w := torch.Ones(torch.Shape{n}), torch.Ones(torch.Shape{n}).RequiresGrad_()
		g := torch.Capture(func() []*torch.Tensor {
			w.SetGrad(nil)
			loss := x.Mul(w).Sum()
			loss.Backward()
			return []*torch.Tensor{loss}
		}, torch.Inputs{x})
		defer g.Close()
		there, err := dlpack.FromDLPack(dlpack.ToDLPack(w.Grad()))
		require.NoError(t, err)
		for i := range 3 {
			g.Feed(torch.Full(torch.Shape{n}, float64(i), torch.Float32))
			g.Replay()
			assert.EqualValues(t, i*n, there.Sum().Item())
			assert.True(t, there.Equal(w.Grad()))
		}
	})
}
