package optim_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// stepping returns the row of a constructor. Its outcome is the settings, and the parameters after
// some steps.
func stepping[O any](fresh func(ps []*torch.Tensor, opts ...O) optim.Optimizer,
	pairs ...optiontest.Pair,
) optiontest.Row {
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		var settings, steps string
		torch.Scope(func() {
			p := param()
			o := fresh(list(p), opts...)
			defer o.Close()
			settings = o.String()
			for i := range 4 {
				p.SetGrad(torch.FromSlice([]float32{float32(i) + 1, 2 - float32(i)}))
				o.Step()
				steps += fmt.Sprintf("%.3f\n", p.Float32s()) // the last bits depend on the processor
			}
		})
		return optiontest.Outcome{"settings": settings, "steps": steps}
	}, pairs...).Open()
}

// Tests each option of each function: alone, after the same option with a different
// value, and together with a nil option.
func TestOptions(t *testing.T) {
	values := optiontest.Values
	const same = "the ways to compute a step agree here"
	foreach := values(optim.Foreach(true), optim.Foreach(false)).Hides("steps", same)
	fused := values(optim.Fused(true), optim.Fused(false)).Hides("steps", same)
	all := []optiontest.Pair{
		values(optim.LR(0), optim.LR(0.5)),
		values(optim.WeightDecay(0), optim.WeightDecay(0.5)),
		values(optim.Maximize(true), optim.Maximize(false)),
	}
	adam := append([]optiontest.Pair{
		foreach, fused,
		values(optim.Betas(0, 0), optim.Betas(0.5, 0.9)),
		values(optim.Eps(0), optim.Eps(1)),
		values(optim.AMSGrad(true), optim.AMSGrad(false)),
	}, all...)
	sgd := append([]optiontest.Pair{
		foreach, fused,
		values(optim.Momentum(0.25), optim.Momentum(0.5)),
		values(optim.Dampening(0), optim.Dampening(0.5)),
		values(optim.Nesterov(true), optim.Nesterov(false)),
	}, all...)
	settings := []optiontest.Pair{
		values(optim.LR(0), optim.LR(1)), values(optim.WeightDecay(0), optim.WeightDecay(1)),
		values(optim.Eps(0), optim.Eps(1)),
		values(optim.Momentum(0), optim.Momentum(1)), values(optim.Dampening(0), optim.Dampening(1)),
		values(optim.Nesterov(true), optim.Nesterov(false)), values(optim.AMSGrad(true), optim.AMSGrad(false)),
		values(optim.Maximize(true), optim.Maximize(false)), values(optim.Foreach(true), optim.Foreach(false)),
		values(optim.Fused(true), optim.Fused(false)),
		values(optim.DecoupledWeightDecay(true), optim.DecoupledWeightDecay(false)),
		values(optim.InitialLR(0), optim.InitialLR(1)), values(optim.Betas(0, 0), optim.Betas(0.5, 0.5)),
	}
	for _, o := range newSettings {
		settings = append(settings, o.pair)
	}
	var befores int // number of calls of BeforeStep
	graphs := func(a, b torch.GraphsOption) optiontest.Pair {
		return values(optim.GraphOptions{a}, optim.GraphOptions{b})
	}
	// set returns a row that makes an optimizer with all settings or none, calls change, and prints
	// the result.
	set := func(has bool, change func(o *optim.Base, opts []optim.Option)) optiontest.Row {
		return optiontest.For(func(opts ...optim.Option) optiontest.Outcome {
			var text string
			torch.Scope(func() {
				var defaults []optim.Option
				if has {
					defaults = everySetting()
				}
				o := optim.NewBase("Any", list(param()), defaults)
				defer o.Close()
				change(o, opts)
				text = o.String()
			})
			return optiontest.Outcome{"settings": text}
		}, settings...).Open()
	}
	scoped(t, func() {
		table := map[string]optiontest.Row{
			"NewSGD": stepping(func(ps []*torch.Tensor, opts ...optim.SGDOption) optim.Optimizer {
				return optim.NewSGD(ps, append([]optim.SGDOption{optim.LR(0.1), optim.Momentum(0.9)}, opts...)...)
			}, sgd...),
			"NewAdam": stepping(func(ps []*torch.Tensor, opts ...optim.AdamOption) optim.Optimizer {
				return optim.NewAdam(ps,
					append([]optim.AdamOption{optim.LR(0.1), optim.WeightDecay(0.01), optim.Betas(0.9, 0.5)},
						opts...)...)
			}, append(slices.Clip(adam),
				values(optim.DecoupledWeightDecay(true), optim.DecoupledWeightDecay(false)))...),
			"NewAdamW": stepping(func(ps []*torch.Tensor, opts ...optim.AdamWOption) optim.Optimizer {
				return optim.NewAdamW(ps, append([]optim.AdamWOption{optim.LR(0.1), optim.Betas(0.9, 0.5)}, opts...)...)
			}, adam...),
			"NewBase": optiontest.For(func(opts ...optim.Option) optiontest.Outcome {
				var text string
				torch.Scope(func() {
					o := optim.NewBase("Any", list(param()), everySetting(), opts...)
					defer o.Close()
					text = o.String()
				})
				return optiontest.Outcome{"settings": text}
			}, settings...).Open(),
			"Base.AddParamGroup": set(true, func(o *optim.Base, opts []optim.Option) {
				o.AddParamGroup(list(param()), opts...)
			}),
			"ParamGroup.Set": set(true, func(o *optim.Base, opts []optim.Option) {
				o.ParamGroups()[0].Set(opts...)
			}),
			"ParamGroup.Define": set(false, func(o *optim.Base, opts []optim.Option) {
				o.ParamGroups()[0].Define(opts...)
			}),
			"GraphedStep": optiontest.For(func(opts ...optim.GraphedOption) optiontest.Outcome {
				var lens []int
				runs := 0
				befores = 0
				torch.Scope(func() {
					p := param()
					o := optim.NewSGD(list(p))
					defer o.Close()
					step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
						runs++
						return batch[0].Mul(p.Sum()).Sum()
					}, o, opts...)
					defer step.Close()
					for n := range int64(3) {
						for range 5 {
							x := torch.Ones(torch.Shape{n + 1})
							step.Call(x)
							lens = append(lens, step.Len())
						}
					}
				})
				return optiontest.Outcome{"graphs": fmt.Sprint(lens, runs, befores)}
			}, graphs(torch.NumWarmupIters(0), torch.NumWarmupIters(2)), graphs(torch.MaxGraphs(1), torch.MaxGraphs(2)),
				graphs(torch.AuditEvery(1), torch.AuditEvery(6)),
				optiontest.Refused(optim.GraphOptions{torch.Optimize(true)}),
				values(optim.Accumulate(2), optim.Accumulate(3)),
				values(optim.BeforeStep(func() { befores++ }), optim.BeforeStep(func() { befores += 2 }))),
			"Base.ZeroGrad": optiontest.For(func(opts ...optim.ZeroGradOption) optiontest.Outcome {
				var grad string
				torch.Scope(func() {
					p := param()
					o := optim.NewSGD(list(p))
					defer o.Close()
					o.ZeroGrad(opts...)
					grad = fmt.Sprint(p.Grad() != nil)
				})
				return optiontest.Outcome{"gradient": grad}
			}, values(optim.SetToNone(false), optim.SetToNone(true))),
		}
		maps.Copy(table, optionRows())
		maps.Copy(table, hookRows())
		maps.Copy(table, ownRows)
		optiontest.Read(t, ".", "../torch").Run(t, table)
	})
}

func everySetting() []optim.Option {
	all := []optim.Option{
		optim.LR(0.5), optim.WeightDecay(0.5), optim.Momentum(0.5), optim.Dampening(0.5), optim.Nesterov(false),
		optim.AMSGrad(false), optim.Maximize(false), optim.Foreach(false), optim.Fused(false),
		optim.DecoupledWeightDecay(false), optim.Betas(0.9, 0.9),
	}
	for _, o := range newSettings {
		all = append(all, o.at) // eps is None here, so a test may set it to one number or to a pair
	}
	return all
}

// All functions treat a nil pointer to an option as a nil option.
func TestNilPointersAreNilOptions(t *testing.T) {
	scoped(t, func() {
		p, none := param(), (*optim.LR)(nil)
		o := optim.NewSGD(list(p))
		defer o.Close()
		for name, fn := range map[string]func(){
			"NewSGD":            func() { optim.NewSGD(list(p), none) },
			"NewAdamW":          func() { optim.NewAdamW(list(p), none) },
			"NewBase":           func() { optim.NewBase("Any", list(p), []optim.Option{optim.LR(1)}, none) },
			"NewBase, defaults": func() { optim.NewBase("Any", list(p), []optim.Option{none}) },
			"AddParamGroup":     func() { o.AddParamGroup(list(param()), none) },
			"Set":               func() { o.ParamGroups()[0].Set(none) },
			"Define":            func() { o.ParamGroups()[0].Define(none) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
		}
		lr := optim.LR(0.25)
		o.ParamGroups()[0].Set(&lr)
		assert.InDelta(t, 0.25, o.ParamGroups()[0].LR(), 0)
	})
}
