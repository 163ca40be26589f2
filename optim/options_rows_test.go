package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// newSettings lists settings: a value for the optimizer to start with, and two values that a test
// sets.
var newSettings = []struct {
	at   optim.Option
	pair optiontest.Pair
}{
	{optim.Alpha(0.5), optiontest.Values(optim.Alpha(0), optim.Alpha(1))},
	{optim.Centered(false), optiontest.Values(optim.Centered(true), optim.Centered(false))},
	{optim.LRDecay(0.5), optiontest.Values(optim.LRDecay(0), optim.LRDecay(1))},
	{
		optim.InitialAccumulatorValue(0.5),
		optiontest.Values(optim.InitialAccumulatorValue(0), optim.InitialAccumulatorValue(1)),
	},
	{optim.Rho(0.5), optiontest.Values(optim.Rho(0), optim.Rho(1))},
	{optim.MomentumDecay(0.5), optiontest.Values(optim.MomentumDecay(0), optim.MomentumDecay(1))},
	{optim.Etas(0.5, 1.5), optiontest.Values(optim.Etas(0, 0), optim.Etas(0.5, 2))},
	{optim.StepSizes(0.5, 1.5), optiontest.Values(optim.StepSizes(0, 0), optim.StepSizes(0.5, 2))},
	{optim.Lambd(0.5), optiontest.Values(optim.Lambd(0), optim.Lambd(1))},
	{optim.T0(0.5), optiontest.Values(optim.T0(0), optim.T0(1))},
	{optim.Beta2Decay(0.5), optiontest.Values(optim.Beta2Decay(0), optim.Beta2Decay(1))},
	{anySetting{"eps", nil}, optiontest.Values(optim.EpsPair(nil, 0), optim.EpsPair(nil, 1))},
	{optim.D(0.5), optiontest.Values(optim.D(0), optim.D(1))},
	{optim.NSCoefficients(1, 2, 3), optiontest.Values(optim.NSCoefficients(0, 0, 0), optim.NSCoefficients(1, 2, 4))},
	{optim.NSSteps(5), optiontest.Values(optim.NSSteps(0), optim.NSSteps(1))},
	{optim.AdjustLRFn("x"), optiontest.Values(optim.AdjustLRFn(""), optim.AdjustLRFnOriginal)},
	{optim.MaxIter(5), optiontest.Values(optim.MaxIter(0), optim.MaxIter(1))},
	{optim.MaxEval(5), optiontest.Values(optim.MaxEval(0), optim.MaxEval(1))},
	{optim.ToleranceGrad(0.5), optiontest.Values(optim.ToleranceGrad(0), optim.ToleranceGrad(1))},
	{optim.ToleranceChange(0.5), optiontest.Values(optim.ToleranceChange(0), optim.ToleranceChange(1))},
	{optim.HistorySize(5), optiontest.Values(optim.HistorySize(0), optim.HistorySize(1))},
	{optim.LineSearchFn("x"), optiontest.Values(optim.LineSearchFn(""), optim.LineSearchFnStrongWolfe)},
}

// matrixSteps returns the row of an optimizer. Its outcome is a matrix after some steps with dense
// or sparse gradients.
func matrixSteps[O any](fresh func(ps []*torch.Tensor, opts ...O) optim.Optimizer, sparse bool,
	pairs ...optiontest.Pair,
) optiontest.Row {
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		var settings, steps string
		torch.Scope(func() {
			p := torch.FromSliceWith([]float32{1, 2, 3, 4, 5, 6}, torch.Shape{3, 2}, torch.RequiresGrad(true))
			o := fresh(list(p), opts...)
			defer o.Close()
			settings = o.String()
			for i := range 4 {
				g := torch.FromSlice([]float32{float32(i) + 1, 2 - float32(i), 1, 0.5, 0, 3}, 3, 2)
				if sparse {
					g = g.ToSparse(torch.DenseDim(1))
				}
				p.SetGrad(g)
				o.Step()
				steps += fmt.Sprintf("%.3f\n", p.Float32s())
			}
		})
		return optiontest.Outcome{"settings": settings, "steps": steps}
	}, pairs...).Open()
}

// optionRows returns the rows of all optimizers except SGD and Adam.
func optionRows() map[string]optiontest.Row {
	values := optiontest.Values
	foreach := values(optim.Foreach(true), optim.Foreach(false)).Hides("steps", "the ways to compute a step agree here")
	fused := values(optim.Fused(true), optim.Fused(false)).Hides("steps", "the ways to compute a step agree here")
	lr, decay := values(optim.LR(0), optim.LR(0.5)), values(optim.WeightDecay(0), optim.WeightDecay(0.5))
	maximize, eps := values(optim.Maximize(true), optim.Maximize(false)), values(optim.Eps(0), optim.Eps(1))
	betas := values(optim.Betas(0, 0), optim.Betas(0.5, 0.9))
	decoupled := values(optim.DecoupledWeightDecay(true), optim.DecoupledWeightDecay(false))
	return map[string]optiontest.Row{
		"NewRMSprop": stepping(func(ps []*torch.Tensor, opts ...optim.RMSpropOption) optim.Optimizer {
			return optim.NewRMSprop(ps, append([]optim.RMSpropOption{optim.LR(0.1)}, opts...)...)
		}, lr, decay, maximize, eps, foreach, values(optim.Alpha(0), optim.Alpha(0.5)),
			values(optim.Momentum(0), optim.Momentum(0.5)), values(optim.Centered(true), optim.Centered(false))),
		"NewAdagrad": stepping(func(ps []*torch.Tensor, opts ...optim.AdagradOption) optim.Optimizer {
			return optim.NewAdagrad(ps, append([]optim.AdagradOption{optim.LR(0.1)}, opts...)...)
		}, lr, decay, maximize, eps, foreach, fused, values(optim.LRDecay(0), optim.LRDecay(0.5)),
			values(optim.InitialAccumulatorValue(0), optim.InitialAccumulatorValue(0.5))),
		"NewAdadelta": stepping(func(ps []*torch.Tensor, opts ...optim.AdadeltaOption) optim.Optimizer {
			return optim.NewAdadelta(ps, append([]optim.AdadeltaOption{optim.Eps(0.01)}, opts...)...)
		}, lr, decay, maximize, eps, foreach, values(optim.Rho(0), optim.Rho(0.5))),
		"NewAdamax": stepping(func(ps []*torch.Tensor, opts ...optim.AdamaxOption) optim.Optimizer {
			return optim.NewAdamax(ps, append([]optim.AdamaxOption{optim.LR(0.1)}, opts...)...)
		}, lr, decay, maximize, eps, foreach, betas),
		"NewNAdam": stepping(func(ps []*torch.Tensor, opts ...optim.NAdamOption) optim.Optimizer {
			return optim.NewNAdam(ps, append([]optim.NAdamOption{optim.LR(0.1), optim.WeightDecay(0.1)}, opts...)...)
		}, lr, decay, maximize, eps, foreach, betas, decoupled,
			values(optim.MomentumDecay(0), optim.MomentumDecay(0.5))),
		"NewRAdam": stepping(func(ps []*torch.Tensor, opts ...optim.RAdamOption) optim.Optimizer {
			return optim.NewRAdam(ps,
				append([]optim.RAdamOption{optim.LR(0.1), optim.WeightDecay(0.1), optim.Betas(0.9, 0.99)}, opts...)...)
		}, lr, decay, maximize, eps.Hides("steps", "the first steps are not scaled"), foreach,
			values(optim.Betas(0.1, 0.99), optim.Betas(0.5, 0.9)), decoupled),
		"NewRprop": stepping(func(ps []*torch.Tensor, opts ...optim.RpropOption) optim.Optimizer {
			return optim.NewRprop(ps, append([]optim.RpropOption{optim.LR(0.1)}, opts...)...)
		}, lr, maximize, foreach, values(optim.Etas(0.25, 2), optim.Etas(0.5, 1.5)),
			values(optim.StepSizes(0, 0), optim.StepSizes(0.01, 1))),
		"NewASGD": stepping(func(ps []*torch.Tensor, opts ...optim.ASGDOption) optim.Optimizer {
			return optim.NewASGD(ps, append([]optim.ASGDOption{optim.LR(0.1), optim.Lambd(0.5)}, opts...)...)
		}, lr, decay, maximize, foreach, values(optim.Lambd(0), optim.Lambd(1)),
			values(optim.Alpha(0), optim.Alpha(2)),
			values(optim.T0(0), optim.T0(1)).Hides("steps", "it changes the mean alone")),
		"NewAdafactor": stepping(func(ps []*torch.Tensor, opts ...optim.AdafactorOption) optim.Optimizer {
			return optim.NewAdafactor(ps, append([]optim.AdafactorOption{optim.LR(0.5)}, opts...)...)
		}, values(optim.LR(0), optim.LR(0.25)), decay, maximize, foreach,
			values(optim.Beta2Decay(0), optim.Beta2Decay(-1)), values(optim.D(1), optim.D(2)),
			values(optim.EpsPair(nil, 0), optim.EpsPair(1, 3))),
		"NewSparseAdam": matrixSteps(func(ps []*torch.Tensor, opts ...optim.SparseAdamOption) optim.Optimizer {
			return optim.NewSparseAdam(ps, append([]optim.SparseAdamOption{optim.LR(0.1)}, opts...)...)
		}, true, values(optim.LR(0.25), optim.LR(0.5)), maximize, values(optim.Eps(0.5), optim.Eps(1)), betas),
		"NewLBFGS": lbfgsRow(),
	}
}

func lbfgsRow() optiontest.Row {
	values := optiontest.Values
	return optiontest.For(func(opts ...optim.LBFGSOption) optiontest.Outcome {
		var settings, steps string
		torch.Scope(func() {
			p := torch.FromSliceWith([]float64{-1.2, 1}, torch.Shape{2}, torch.RequiresGrad(true), torch.Float64)
			o := optim.NewLBFGS(list(p), append([]optim.LBFGSOption{optim.LR(0.25)}, opts...)...)
			defer o.Close()
			settings = o.String()
			for range 2 {
				o.StepClosure(rosenbrock(o, p))
			}
			steps = fmt.Sprintf("%.4f", p.Float64s())
		})
		return optiontest.Outcome{"settings": settings, "steps": steps}
	}, values(optim.LR(0.5), optim.LR(0.125)), values(optim.MaxIter(3), optim.MaxIter(5)),
		values(optim.MaxEval(3), optim.MaxEval(5)),
		values(optim.ToleranceGrad(0), optim.ToleranceGrad(1000)),
		values(optim.ToleranceChange(0), optim.ToleranceChange(1000)),
		values(optim.HistorySize(1), optim.HistorySize(10)),
		values(optim.LineSearchFnStrongWolfe, optim.LineSearchFnStrongWolfe).
			Hides("settings", "there is one").Hides("steps", "there is one")).Open()
}

// hookRows returns the rows of the methods that register hooks.
func hookRows() map[string]optiontest.Row {
	rows := map[string]optiontest.Row{}
	for name, register := range map[string]func(b *optim.Base, fn func(), opts ...optim.HookOption){
		"Base.RegisterStateDictPreHook": func(b *optim.Base, fn func(), opts ...optim.HookOption) {
			b.RegisterStateDictPreHook(func(optim.Optimizer) { fn() }, opts...)
		},
		"Base.RegisterStateDictPostHook": func(b *optim.Base, fn func(), opts ...optim.HookOption) {
			b.RegisterStateDictPostHook(func(optim.Optimizer, *optim.StateDict) *optim.StateDict {
				fn()
				return nil
			}, opts...)
		},
		"Base.RegisterLoadStateDictPreHook": func(b *optim.Base, fn func(), opts ...optim.HookOption) {
			b.RegisterLoadStateDictPreHook(func(optim.Optimizer, *optim.StateDict) *optim.StateDict {
				fn()
				return nil
			}, opts...)
		},
		"Base.RegisterLoadStateDictPostHook": func(b *optim.Base, fn func(), opts ...optim.HookOption) {
			b.RegisterLoadStateDictPostHook(func(optim.Optimizer) { fn() }, opts...)
		},
	} {
		rows[name] = optiontest.For(func(opts ...optim.HookOption) optiontest.Outcome {
			order := ""
			torch.Scope(func() {
				o := optim.NewSGD(list(param()))
				defer o.Close()
				register(o.Base, func() { order += "a" })
				register(o.Base, func() { order += "b" }, opts...)
				if err := o.LoadStateDict(o.StateDict()); err != nil {
					panic(err)
				}
			})
			return optiontest.Outcome{"order": order}
		}, optiontest.Values(optim.Prepend(true), optim.Prepend(false)))
	}
	return rows
}
