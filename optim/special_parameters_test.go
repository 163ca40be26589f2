package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A sparse gradient that contains all rows has the same effect as a dense one.
func TestSparseGradients(t *testing.T) {
	for name, fresh := range map[string]func(ps []*torch.Tensor) [2]optim.Optimizer{
		"Adagrad": func(ps []*torch.Tensor) [2]optim.Optimizer {
			return [2]optim.Optimizer{
				optim.NewAdagrad(ps[:1], optim.LR(0.1), optim.LRDecay(0.1), optim.InitialAccumulatorValue(0.5),
					optim.Maximize(true)),
				optim.NewAdagrad(ps[1:], optim.LR(0.1), optim.LRDecay(0.1), optim.InitialAccumulatorValue(0.5),
					optim.Maximize(true)),
			}
		},
		"Adagrad/foreach": func(ps []*torch.Tensor) [2]optim.Optimizer {
			return [2]optim.Optimizer{optim.NewAdagrad(ps[:1], optim.Foreach(true)), optim.NewAdagrad(ps[1:])}
		},
		"SparseAdam": func(ps []*torch.Tensor) [2]optim.Optimizer {
			return [2]optim.Optimizer{optim.NewSparseAdam(ps[:1], optim.LR(0.1)), optim.NewAdam(ps[1:], optim.LR(0.1))}
		},
		"SparseAdam/maximize": func(ps []*torch.Tensor) [2]optim.Optimizer {
			return [2]optim.Optimizer{
				optim.NewSparseAdam(ps[:1], optim.Maximize(true)),
				optim.NewAdam(ps[1:], optim.Maximize(true)),
			}
		},
		"SGD/foreach": func(ps []*torch.Tensor) [2]optim.Optimizer {
			return [2]optim.Optimizer{
				optim.NewSGD(ps[:1], optim.LR(0.1), optim.Momentum(0.9), optim.Foreach(true)),
				optim.NewSGD(ps[1:], optim.LR(0.1), optim.Momentum(0.9)),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				var ps []*torch.Tensor
				for range 2 {
					ps = append(ps, torch.Ones(torch.Shape{4, 3}, torch.RequiresGrad(true)))
				}
				os := fresh(ps)
				defer os[0].Close()
				defer os[1].Close()
				for k := range 4 {
					g := torch.Arange(float64(k+1), float64(k+13), 1, torch.Float32).Sin().Reshape(4, 3)
					ps[0].SetGrad(g.ToSparse(torch.DenseDim(1)))
					ps[1].SetGrad(g)
					os[0].Step()
					os[1].Step()
				}
				assert.InDeltaSlice(t, ps[1].Double().Reshape(-1).Float64s(), ps[0].Double().Reshape(-1).Float64s(),
					1e-5)
			})
		})
	}
}

// A complex parameter is treated as a pair of real parameters.
func TestComplexParameters(t *testing.T) {
	tried := 0
	for _, m := range members {
		if !byElement(m) {
			continue
		}
		for _, how := range [][]optim.Option{nil, {optim.Foreach(true)}, {optim.Maximize(true)}} {
			if len(how) > 0 && !m.takes(how[0]) {
				continue
			}
			tried++
			t.Run(m.name, func(t *testing.T) {
				scoped(t, func() {
					z := torch.FromSliceWith([]complex64{1 + 2i, -1 + 0.5i, 3}, torch.Shape{3},
						torch.RequiresGrad(true))
					r := torch.FromSliceWith([]float32{1, 2, -1, 0.5, 3, 0}, torch.Shape{3, 2},
						torch.RequiresGrad(true))
					a, b := m.fresh(list(z), how...), m.fresh(list(r), how...)
					defer a.Close()
					defer b.Close()
					for k := range 3 {
						g := torch.Arange(float64(k), float64(k+6), 1, torch.Float32).Cos().Reshape(3, 2)
						r.SetGrad(g)
						z.SetGrad(g.ViewAsComplex())
						a.Step()
						b.Step()
					}
					assert.InDeltaSlice(t, r.Double().Reshape(-1).Float64s(),
						z.Detach().ViewAsReal().Double().Reshape(-1).Float64s(), 1e-6)
				})
			})
		}
	}
	assert.GreaterOrEqual(t, tried, 33)
	scoped(t, func() { // LBFGS needs a closure
		z := torch.FromSliceWith([]complex64{1 + 2i, -1 + 0.5i}, torch.Shape{2}, torch.RequiresGrad(true))
		o := optim.NewLBFGS(list(z), optim.LineSearchFnStrongWolfe)
		defer o.Close()
		for range 3 {
			o.StepClosure(func() *torch.Tensor {
				o.ZeroGrad()
				d := z.ViewAsReal().SubScalar(1)
				loss := d.Mul(d).Sum()
				loss.Backward()
				return loss
			})
		}
		assert.InDeltaSlice(t, []float64{1, 1, 1, 1}, z.Detach().ViewAsReal().Double().Reshape(-1).Float64s(), 1e-4)
	})
}

// Unsupported arguments are rejected and change nothing.
func TestWhatOptimizersRefuse(t *testing.T) {
	scoped(t, func() {
		matrix := func() *torch.Tensor {
			p := torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true))
			p.SetGrad(torch.Ones(torch.Shape{2, 2}))
			return p
		}
		sparse := func() *torch.Tensor {
			p := matrix()
			p.SetGrad(torch.Ones(torch.Shape{2, 2}).ToSparse(torch.DenseDim(1)))
			return p
		}
		complexes := func() *torch.Tensor {
			p := torch.Ones(torch.Shape{2, 2}, torch.Complex64, torch.RequiresGrad(true))
			p.SetGrad(torch.Ones(torch.Shape{2, 2}, torch.Complex64))
			return p
		}
		for name, c := range map[string]struct {
			kind error
			fn   func() optim.Optimizer
		}{
			"dense": {torch.ErrRuntime, func() optim.Optimizer {
				return optim.NewSparseAdam(list(matrix()))
			}},
			"sparse":      {torch.ErrRuntime, func() optim.Optimizer { return optim.NewRMSprop(list(sparse())) }},
			"sparse muon": {torch.ErrRuntime, func() optim.Optimizer { return optim.NewMuon(list(sparse())) }},
			"sparse decay": {torch.ErrRuntime, func() optim.Optimizer {
				return optim.NewAdagrad(list(sparse()), optim.WeightDecay(1))
			}},
			"complex adafactor": {torch.ErrDType, func() optim.Optimizer {
				return optim.NewAdafactor(list(complexes()))
			}},
			"complex muon": {torch.ErrDType, func() optim.Optimizer { return optim.NewMuon(list(complexes())) }},
			"fused complex": {torch.ErrType, func() optim.Optimizer {
				return optim.NewAdagrad(list(complexes()), optim.Fused(true))
			}},
		} {
			o := c.fn()
			before := o.ParamGroups()[0].Params[0].String()
			assert.ErrorIs(t, torch.Try(o.Step), c.kind, name)
			assert.Equal(t, before, o.ParamGroups()[0].Params[0].String(), name)
			require.NoError(t, o.Close())
		}
		for name, fn := range map[string]func(){
			"vector of muon":     func() { optim.NewMuon(list(param())) },
			"added vector":       func() { optim.NewMuon(list(matrix())).AddParamGroup(list(param())) },
			"sparse parameter":   func() { optim.NewSparseAdam(list(matrix().Detach().ToSparse().RequiresGrad_())) },
			"complex SparseAdam": func() { optim.NewSparseAdam(list(complexes())) },
			"lr of SparseAdam":   func() { optim.NewSparseAdam(list(matrix()), optim.LR(0)) },
			"eps of SparseAdam":  func() { optim.NewSparseAdam(list(matrix()), optim.Eps(0)) },
			"alpha":              func() { optim.NewRMSprop(list(param()), optim.Alpha(-1)) },
			"lr decay":           func() { optim.NewAdagrad(list(param()), optim.LRDecay(-1)) },
			"initial":            func() { optim.NewAdagrad(list(param()), optim.InitialAccumulatorValue(-1)) },
			"rho":                func() { optim.NewAdadelta(list(param()), optim.Rho(1.5)) },
			"momentum decay":     func() { optim.NewNAdam(list(param()), optim.MomentumDecay(-1)) },
			"etas":               func() { optim.NewRprop(list(param()), optim.Etas(0.5, 0.9)) },
			"beta2 decay":        func() { optim.NewAdafactor(list(param()), optim.Beta2Decay(1)) },
			"d":                  func() { optim.NewAdafactor(list(param()), optim.D(0.5)) },
			"eps pair":           func() { optim.NewAdafactor(list(param()), optim.EpsPair(-1.0, 1)) },
			"ns steps":           func() { optim.NewMuon(list(matrix()), optim.NSSteps(100)) },
			"adjust":             func() { optim.NewMuon(list(matrix()), optim.AdjustLRFn("none")) },
			"history":            func() { optim.NewLBFGS(list(param()), optim.HistorySize(0)) },
			"line search":        func() { optim.NewLBFGS(list(param()), optim.LineSearchFn("armijo")) },
			"both":               func() { optim.NewAdagrad(list(param()), optim.Foreach(true), optim.Fused(true)) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrValue, name)
		}
		assert.ErrorIs(t, torch.Try(func() { optim.NewAdafactor(list(param()), optim.EpsPair("x", 1)) }), torch.ErrType)
	})
}

// If a closure panics, the completed iterations are kept.
func TestLBFGSKeepsIterations(t *testing.T) {
	scoped(t, func() {
		var states []string
		var ends [][]float32
		for _, most := range []int64{2, 20} {
			p := torch.FromSliceWith([]float32{-1.2, 1}, torch.Shape{2}, torch.RequiresGrad(true))
			o := optim.NewLBFGS(list(p), optim.LR(0.1), optim.HistorySize(1), optim.MaxIter(most), optim.MaxEval(25))
			closure, n := rosenbrock(o, p), 0
			err := torch.Try(func() {
				o.StepClosure(func() *torch.Tensor {
					if n++; n > 2 {
						panic(torch.NewError("closure", torch.ErrValue, "x", "no"))
					}
					return closure()
				})
			})
			assert.Equal(t, most > 2, err != nil)
			sd := o.StateDict()
			sd.ParamGroups = nil // do not compare the limits on iterations
			states, ends = append(states, sd.String()), append(ends, p.Float32s())
			_ = o.Close()
		}
		assert.Equal(t, states[0], states[1])
		assert.Equal(t, ends[0], ends[1])
	})
}

// If a closure panics in the first iteration, LBFGS is unchanged. If it panics within a
// line search, the parameters are unchanged too. Temporary tensors are freed.
func TestLBFGSIsAllOrNothing(t *testing.T) {
	scoped(t, func() {
		p := torch.FromSliceWith([]float32{-1.2, 1}, torch.Shape{2}, torch.RequiresGrad(true))
		o := optim.NewLBFGS(list(p), optim.LineSearchFnStrongWolfe, optim.HistorySize(2), optim.MaxIter(3))
		defer o.Close()
		closure := rosenbrock(o, p)
		var live int64
		for i := range 4 {
			torch.Scope(func() { o.StepClosure(closure) })
			if i == 2 {
				live = torch.NumLiveTensors()
			}
		}
		assert.Equal(t, live, torch.NumLiveTensors())
		before, at := o.StateDict().String(), p.Float32s()
		n := 0
		err := torch.Try(func() {
			o.StepClosure(func() *torch.Tensor {
				if n++; n == 2 {
					panic(torch.NewError("closure", torch.ErrValue, "x", "no"))
				}
				return closure()
			})
		})
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Equal(t, before, o.StateDict().String())
		assert.Equal(t, at, p.Float32s())

		sd := o.StateDict()
		for name, spoil := range map[string]func(){
			"count":  func() { sd.Values[0]["n_iter"] = int64(-1) },
			"lists":  func() { sd.Values[0]["ro"] = []*torch.Tensor{} },
			"type":   func() { sd.Values[0]["old_dirs"] = "x" },
			"vector": func() { sd.State[0]["d"] = torch.Ones(torch.Shape{3}) },
			"name":   func() { sd.Values[0]["speed"] = 1.0 },
			"other":  func() { sd.Values[1] = sd.Values[0] },
		} {
			sd = o.StateDict()
			spoil()
			assert.Error(t, o.LoadStateDict(sd), name)
			assert.Equal(t, before, o.StateDict().String(), name)
		}
		require.NoError(t, o.LoadStateDict(o.StateDict()))
		assert.Equal(t, before, o.StateDict().String())
		clone := o.StateDict().Clone()
		assert.Equal(t, before, clone.String())
		require.NoError(t, clone.Close())
	})
}
