package nn_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// moduleRows returns the rows of the option table for methods and functions for all
// modules.
func moduleRows() map[string]optiontest.Row {
	prepend := values(nn.Prepend(true), nn.Prepend(false))
	always := values(nn.AlwaysCall(true), nn.AlwaysCall(false))
	// order describes the order in which two hooks run: the first is registered without
	// options, the second with the tested options. If fail is true, Forward panics, so
	// only hooks with AlwaysCall run.
	order := func(fail bool, register func(m *stopper, note func(), last bool) *nn.Hook) optiontest.Outcome {
		var seen []string
		var m *stopper
		if fail {
			m = newStopper("stop")
		} else {
			m = newStopper(nil)
		}
		first := register(m, func() { seen = append(seen, "first") }, false)
		defer first.Remove()
		second := register(m, func() { seen = append(seen, "second") }, true)
		defer second.Remove()
		torch.Scope(func() {
			func() {
				defer func() { _ = recover() }()
				m.Forward(torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))).Sum().Backward()
			}()
		})
		return optiontest.Outcome{behavior: fmt.Sprint(seen)}
	}
	pre := func(note func()) func(nn.Module, []*torch.Tensor) []*torch.Tensor {
		return func(nn.Module, []*torch.Tensor) []*torch.Tensor { note(); return nil }
	}
	post := func(note func()) func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
		return func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor { note(); return nil }
	}
	given := func(opts []nn.HookOption, last bool) []nn.HookOption {
		if last {
			return opts
		}
		return nil
	}
	return map[string]optiontest.Row{
		"NewParameter": optiontest.For(func(opts ...nn.ParameterOption) optiontest.Outcome {
			t := torch.Ones(torch.Shape{1})
			defer t.Close()
			return optiontest.Outcome{behavior: fmt.Sprint(nn.NewParameter(t, opts...).RequiresGrad())}
		}, values(nn.RequiresGrad(false), nn.RequiresGrad(true))),
		"Base.RegisterForwardPreHook": optiontest.For(func(opts ...nn.HookOption) optiontest.Outcome {
			return order(false, func(m *stopper, note func(), last bool) *nn.Hook {
				return m.RegisterForwardPreHook(pre(note), given(opts, last)...)
			})
		}, prepend),
		"Base.RegisterFullBackwardHook": optiontest.For(func(opts ...nn.HookOption) optiontest.Outcome {
			return order(false, func(m *stopper, note func(), last bool) *nn.Hook {
				return m.RegisterFullBackwardHook(post(note), given(opts, last)...)
			})
		}, prepend),
		"Base.RegisterFullBackwardPreHook": optiontest.For(func(opts ...nn.HookOption) optiontest.Outcome {
			return order(false, func(m *stopper, note func(), last bool) *nn.Hook {
				return m.RegisterFullBackwardPreHook(pre(note), given(opts, last)...)
			})
		}, prepend),
		"Base.RegisterForwardHook": optiontest.For(func(opts ...nn.ForwardHookOption) optiontest.Outcome {
			seen := ""
			for _, fail := range []bool{false, true} {
				o := order(fail, func(m *stopper, note func(), last bool) *nn.Hook {
					if last {
						return m.RegisterForwardHook(post(note), opts...)
					}
					return m.RegisterForwardHook(post(note))
				})
				seen += o[behavior]
			}
			return optiontest.Outcome{behavior: seen}
		}, prepend, always),
		"RegisterModuleForwardHook": optiontest.For(func(opts ...nn.ModuleForwardHookOption) optiontest.Outcome {
			return order(true, func(_ *stopper, note func(), last bool) *nn.Hook {
				if last {
					return nn.RegisterModuleForwardHook(post(note), opts...)
				}
				return nn.RegisterModuleForwardHook(post(note))
			})
		}, always),
		"Base.NamedParameters": optiontest.For(func(opts ...nn.ListOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any { return names(m.NamedParameters(opts...)) })
		}, lists()...),
		"Base.NamedBuffers": optiontest.For(func(opts ...nn.ListOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any { return names(m.ModuleBase().NamedBuffers(opts...)) })
		}, lists()...),
		"Base.Parameters": optiontest.For(func(opts ...nn.RecurseOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any { return len(m.Parameters(opts...)) })
		}, values(nn.Recurse(false), nn.Recurse(true))),
		"Base.Buffers": optiontest.For(func(opts ...nn.RecurseOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any { return len(m.ModuleBase().Buffers(opts...)) })
		}, values(nn.Recurse(false), nn.Recurse(true))),
		"NamedModules": optiontest.For(func(opts ...nn.ModuleListOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any {
				var paths []string
				for _, n := range nn.NamedModules(m, opts...) {
					paths = append(paths, n.Name)
				}
				return paths
			})
		}, values(nn.Prefix("a"), nn.Prefix("")), values(nn.RemoveDuplicate(false), nn.RemoveDuplicate(true))),
		"Base.ToEmpty": optiontest.For(func(opts ...nn.RecurseOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any {
				m.ModuleBase().ToEmpty(torch.Meta, opts...)
				return m.Parameters()[0].Device()
			})
		}, values(nn.Recurse(false), nn.Recurse(true))),
		"Base.SetSubmodule": optiontest.For(func(opts ...nn.SetSubmoduleOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any {
				return torch.Try(func() { m.ModuleBase().SetSubmodule("new", nn.NewReLU(), opts...) })
			})
		}, values(nn.Strict(true), nn.Strict(false))),
		"Base.LoadStateDict": optiontest.For(func(opts ...nn.LoadOption) optiontest.Outcome {
			return describeLoaded(func(m nn.Module, sd nn.StateDict) (string, error) {
				return "", m.LoadStateDict(sd, opts...)
			})
		}, loads()...),
		"LoadStateDict": optiontest.For(func(opts ...nn.LoadOption) optiontest.Outcome {
			return describeLoaded(func(m nn.Module, sd nn.StateDict) (string, error) {
				keys, err := nn.LoadStateDict(m, sd, opts...)
				return keys.String(), err
			})
		}, loads()...),
		"LoadFrom": optiontest.For(func(opts ...nn.LoadOption) optiontest.Outcome {
			return describeLoaded(func(m nn.Module, sd nn.StateDict) (string, error) {
				report, err := nn.LoadFrom(m, sd, opts...)
				return report.String(), err
			})
		}, loads()...),
		"FunctionalCall": optiontest.For(func(opts ...nn.FunctionalCallOption) optiontest.Outcome {
			return describeListed(func(m nn.Module) any {
				a, b := torch.Zeros(torch.Shape{2}), torch.Zeros(torch.Shape{2})
				defer func() { _, _ = a.Close(), b.Close() }()
				none := torch.Try(func() { nn.FunctionalCall(m, nil, func() {}, opts...) })
				both := torch.Try(func() {
					nn.FunctionalCall(m, nn.StateDict{{"0.weight", a}, {"1.weight", b}}, func() {},
						append(slices.Clone(opts), nn.Strict(false))...)
				})
				// Both calls of FunctionalCall above return the same error for an invalid option.
				for _, o := range opts {
					if _, ok := o.(nn.Strict); !ok {
						if _, ok := o.(nn.TieWeights); !ok {
							return none
						}
					}
				}
				return fmt.Sprint(none, both)
			})
		}, values(nn.Strict(true), nn.Strict(false)), values(nn.TieWeights(false), nn.TieWeights(true))),
	}
}

func lists() []optiontest.Pair {
	return []optiontest.Pair{
		values(nn.Prefix("a"), nn.Prefix("")),
		values(nn.Recurse(false), nn.Recurse(true)),
		values(nn.RemoveDuplicate(false), nn.RemoveDuplicate(true)),
	}
}

// describeListed describes fn's result for a module that holds one layer twice.
func describeListed(fn func(m nn.Module) any) optiontest.Outcome {
	norm := nn.NewBatchNorm1d(2)
	m := nn.NewModuleList(norm, norm)
	defer func() { _ = m.Close() }()
	if err, ok := fn(m).(error); ok && !errors.Is(err, torch.ErrIndex) {
		panic(err) // an error about an option: optiontest expects a panic
	}
	return optiontest.Outcome{behavior: fmt.Sprint(fn(m))}
}

// loads returns two values of each option for loading.
func loads() []optiontest.Pair {
	return []optiontest.Pair{
		values(nn.Strict(false), nn.Strict(true)),
		values(nn.Assign(true), nn.Assign(false)),
		values(nn.DType(torch.Float16), nn.DType(0)),
		values(nn.Device(torch.Meta), nn.Device(0)),
		values(nn.Rename{{"weight", "w"}}, nn.Rename(nil)),
		values(nn.RenameFunc(strings.ToUpper), nn.RenameFunc(nil)),
		values(nn.Transpose{"weight"}, nn.Transpose{}),
		values(nn.Concat{{To: "weight", From: []string{"bias"}}}, nn.Concat{}),
		values(nn.Split{{From: "bias", To: []string{"a", "b"}}}, nn.Split{}),
		values(nn.Ignore{"bias"}, nn.Ignore{}),
		values(nn.AllowMissing{"**"}, nn.AllowMissing{}),
	}
}

// describeLoaded describes a module after two loads: of an empty state dict, and of
// another module's state.
func describeLoaded(load func(m nn.Module, sd nn.StateDict) (string, error)) optiontest.Outcome {
	torch.ManualSeed(3)
	m := nn.NewLinear(2, 2)
	w, b := torch.FromSlice([]float64{0.1, 0.2, 0.3, 0.4}, 2, 2), torch.FromSlice([]float64{0.5, 0.6})
	defer func() { _, _, _ = m.Close(), w.Close(), b.Close() }()
	_, none := load(m, nil)
	said, err := load(m, nn.StateDict{{"weight", w}, {"bias", b}})
	return optiontest.Outcome{behavior: fmt.Sprint(none, said, err, m.Weight.DType(), m.Weight.ToList())}
}
