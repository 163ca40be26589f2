package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/linalg"
	"github.com/gotorch/gotorch/torch/nested"
	"github.com/gotorch/gotorch/torchtest"
)

func fromInts(v ...int64) *torch.Tensor { return torch.FromSlice(v, int64(len(v))) }

// A step may set gradients of tensors that its operators do not read. A replay then has
// the same effect as the step without a graph.
func TestCaptureGradientsOfOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, made := range map[string]func(w, x *torch.Tensor) (step func() *torch.Tensor){
		"a graph from before": func(w, x *torch.Tensor) func() *torch.Tensor {
			loss := w.Square().Sum()
			return func() *torch.Tensor {
				w.SetGrad(nil)
				loss.Backward(torch.RetainGraph(true))
				return x.AddScalar(1)
			}
		},
		"SetGrad alone": func(w, x *torch.Tensor) func() *torch.Tensor {
			return func() *torch.Tensor {
				y := x.MulScalar(3)
				w.SetGrad(y)
				return y
			}
		},
		"dropped": func(w, x *torch.Tensor) func() *torch.Tensor {
			return func() *torch.Tensor {
				w.SetGrad(nil)
				return x.Exp()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{3})
				w, v := torch.Ones(torch.Shape{3}).RequiresGrad_(), torch.Ones(torch.Shape{3}).RequiresGrad_()
				for _, p := range []*torch.Tensor{w, v} {
					p.SetGrad(torch.Full(torch.Shape{3}, 9.0))
				}
				step, eager := made(w, x), made(v, x)
				g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{step()} }, torch.Inputs{x})
				defer g.Close()
				for range 3 {
					next := torch.Randn(torch.Shape{3})
					g.Call(next)
					eager()
					require.Equal(t, v.Grad() == nil, w.Grad() == nil)
					if v.Grad() != nil {
						require.True(t, v.Grad().Equal(w.Grad()), "%v, not %v", w.Grad(), v.Grad())
					}
				}
			})
		})
	}
}

// Reading values before the step's operators, and shapes that depend on values, are rejected, even
// in a step without warm-up.
func TestCaptureRefusesReads(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{6, 2})
		at, ids := fromInts(2, 4), fromInts(1, 1, 2)
		probs, targets := torch.Randn(torch.Shape{6, 1, 5}).LogSoftmax(2), fromInts(1, 2).Unsqueeze(0)
		lengths, target := fromInts(6), fromInts(2)
		hx := torch.Zeros(torch.Shape{1, 3, 2})
		weights := []*torch.Tensor{torch.Ones(torch.Shape{8, 2}), torch.Ones(torch.Shape{8, 2})}
		batches := fromInts(3, 2, 1)
		square := torch.Eye(2)
		result := torch.Ones(torch.Shape{6, 2}, torch.RequiresGrad(true)).MulScalar(2)
		for name, step := range map[string]func() *torch.Tensor{
			"tensor_split": func() *torch.Tensor {
				return aten.TensorSplitTensorIndicesOrSections(x, at, 0)[0].AddScalar(1)
			},
			"ctc_loss": func() *torch.Tensor {
				return aten.CTCLossTensor(probs, targets, lengths, target, 0, 1, false)
			},
			"lstm": func() *torch.Tensor {
				out, _, _ := aten.LSTMData(x, batches, []*torch.Tensor{hx, hx}, weights, false, 1, 0, true, false)
				return out
			},
			"qparams": func() *torch.Tensor {
				scale, _ := aten.ChooseQparamsOptimized(x.Reshape(-1), 12, 4, 0.5, 8)
				return scale
			},
			"pivots": func() *torch.Tensor {
				lu, p := linalg.LUFactor(square)
				return linalg.LUSolve(lu, p, square)
			},
			"integers": func() *torch.Tensor { return ids.Div(ids.AddScalar(1), torch.RoundingMode("trunc")) },
			"nested":   func() *torch.Tensor { return nested.NestedTensor([]*torch.Tensor{x, square}) },
			"a seed":   func() *torch.Tensor { torch.DefaultGenerator(torch.CPU).ManualSeed(3); return x.AddScalar(1) },
			"threads": func() *torch.Tensor {
				before := torch.NumThreads()
				torch.SetNumThreads(before + 1)
				defer torch.SetNumThreads(before)
				return x.AddScalar(1)
			},
			"a result's gradient": func() *torch.Tensor { result.SetGrad(x); return x.AddScalar(1) },
			"unique": func() *torch.Tensor {
				a, b, c := torch.Zeros(torch.Shape{2}, torch.Int64), torch.Zeros(torch.Shape{3}, torch.Int64),
					torch.Zeros(torch.Shape{2}, torch.Int64)
				aten.UniqueDimOut(a, b, c, ids, 0, true, true, true)
				return a
			},
		} {
			t.Run(name, func(t *testing.T) {
				err := torch.Try(func() { torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{step()} }) })
				require.ErrorIs(t, err, torch.ErrRuntime)
				assert.ErrorContains(t, err, "capture")
			})
		}
	})
}

// Steps that use gradients in many ways, and programs that change gradients between steps,
// give the same result as without a graph, or an error.
func TestCaptureFollowsGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type model struct{ w, u, x *torch.Tensor }
	made := func() model {
		return model{
			torch.Full(torch.Shape{2}, 0.5).RequiresGrad_(), torch.Ones(torch.Shape{2}).RequiresGrad_(),
			torch.Full(torch.Shape{2}, 3.0),
		}
	}
	descend := func(w *torch.Tensor) {
		torch.NoGrad(func() { torch.Scope(func() { w.Sub_(w.Grad().MulScalar(0.1)) }) })
	}
	backward := func(w *torch.Tensor) func() { return func() { torch.Scope(func() { w.Square().Sum().Backward() }) } }
	nothing := func(model) {}
	for name, row := range map[string]struct {
		step    func(m model)
		between func(m model)
		refused string
	}{
		"dropped at the end": {step: func(m model) {
			m.x.Mul(m.w).Sum().Backward()
			descend(m.w)
			m.w.SetGrad(nil)
		}, between: nothing},
		"dropped at the end, and there again": {
			step:    func(m model) { m.x.Mul(m.w).Sum().Backward(); descend(m.w); m.w.SetGrad(nil) },
			between: func(m model) { backward(m.w)() }, refused: "has a gradient, and had none",
		},
		"put back": {step: func(m model) {
			old := m.w.Grad()
			m.w.SetGrad(nil)
			m.x.Mul(m.w).Sum().Backward()
			descend(m.w)
			m.w.SetGrad(old)
		}, between: nothing},
		"dropped in a hook": {step: func(m model) {
			h := m.w.RegisterPostAccumulateGradHook(func(p *torch.Tensor) { descend(p); p.SetGrad(nil) })
			defer h.Remove()
			m.x.Mul(m.w).Sum().Backward()
		}, between: nothing},
		"of another model, dropped": {
			step: func(m model) { torch.ZeroGrad(m.u); m.x.Mul(m.x).Sum() },
			between: func(m model) {
				backward(m.u)()
			},
		},
		"of another model, to zero": {
			step: func(m model) { m.u.Grad().Zero_(); m.x.Mul(m.x).Sum() },
			between: func(m model) {
				torch.NoGrad(func() { m.u.Grad().AddScalar_(1) })
			},
		},
		"read": {
			step:    func(m model) { m.w.SetGrad(m.x.Mul(m.u.Grad())) },
			between: func(m model) { m.u.SetGrad(nil); backward(m.u)() },
			refused: "is not the tensor that it was when the step was captured",
		},
		"of a frozen one": {step: func(m model) { m.x.SetGrad(nil); m.w.SetGrad(m.x.MulScalar(2)) }, between: nothing},
		"of a part": {step: func(m model) {
			a := m.x.Detach().RequiresGrad_()
			a.Mul(m.u).Square().Sum().Backward(torch.Inputs{a})
			m.w.SetGrad(a.Grad().Sign())
		}, between: nothing},
		"frozen and not": {step: func(m model) {
			m.u.SetRequiresGrad(false)
			m.w.SetGrad(nil)
			m.x.Mul(m.w).Mul(m.u).Sum().Backward()
			m.u.SetRequiresGrad(true)
		}, between: nothing},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				a, b := made(), made()
				for _, m := range []model{a, b} {
					backward(m.u)()
				}
				g := torch.Capture(func() []*torch.Tensor { row.step(a); return nil })
				defer g.Close()
				for range 3 {
					torch.Scope(func() { row.step(b) })
				}
				for i := range 4 {
					row.between(a)
					row.between(b)
					err := torch.Try(func() { g.Replay() })
					if row.refused != "" {
						require.ErrorIs(t, err, torch.ErrValue)
						require.ErrorContains(t, err, row.refused)
						return
					}
					require.NoError(t, err)
					torch.Scope(func() { row.step(b) })
					for k, p := range []*torch.Tensor{a.w, a.u} {
						q := []*torch.Tensor{b.w, b.u}[k]
						require.True(t, p.Equal(q), "replay %d: %v, not %v", i, p, q)
						require.Equal(t, q.Grad() == nil, p.Grad() == nil, "replay %d", i)
						if q.Grad() != nil {
							require.True(t, p.Grad().Equal(q.Grad()), "replay %d: gradient %v, not %v", i, p.Grad(),
								q.Grad())
						}
					}
				}
			})
		})
	}
}

// Values from outside of the step that were checked during the capture must not change.
func TestCaptureOfValuesThatAreLookedAt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := torch.Randn(torch.Shape{3, 3}), torch.Randn(torch.Shape{3, 2})
		lu, pivots := linalg.LUFactor(a)
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{linalg.LUSolve(lu, pivots, b)} })
		defer g.Close()
		torch.NoGrad(func() { b.Normal_(0, 1) })
		require.True(t, g.Replay()[0].Equal(linalg.LUSolve(lu, pivots, b)))
		pivots.Fill_(1 << 30)
		err := torch.Try(func() { g.Replay() })
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, "were checked when the step was captured")
	})
}
