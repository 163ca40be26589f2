package nn_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// moduleRows are the methods and functions for all modules.
func moduleRows() map[string]optiontest.Row {
	prepend := values(nn.Prepend(true), nn.Prepend(false))
	always := values(nn.AlwaysCall(true), nn.AlwaysCall(false))
	// order says in which order two hooks run, one of them registered without
	// options and then the other; after a panic those that run anyway do.
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
				m.Forward(torch.Ones(torch.Shape{1}, torch.RequiresGrad)).Sum().Backward()
			}()
		})
		return optiontest.Outcome{does: fmt.Sprint(seen)}
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
				seen += o[does]
			}
			return optiontest.Outcome{does: seen}
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
			return listed(func(m nn.Module) any { return names(m.NamedParameters(opts...)) })
		}, lists()...),
		"Base.NamedBuffers": optiontest.For(func(opts ...nn.ListOption) optiontest.Outcome {
			return listed(func(m nn.Module) any { return names(m.ModuleBase().NamedBuffers(opts...)) })
		}, lists()...),
		"Base.Parameters": optiontest.For(func(opts ...nn.RecurseOption) optiontest.Outcome {
			return listed(func(m nn.Module) any { return len(m.Parameters(opts...)) })
		}, values(nn.Recurse(false), nn.Recurse(true))),
		"Base.Buffers": optiontest.For(func(opts ...nn.RecurseOption) optiontest.Outcome {
			return listed(func(m nn.Module) any { return len(m.ModuleBase().Buffers(opts...)) })
		}, values(nn.Recurse(false), nn.Recurse(true))),
		"NamedModules": optiontest.For(func(opts ...nn.ModuleListOption) optiontest.Outcome {
			return listed(func(m nn.Module) any {
				var paths []string
				for _, n := range nn.NamedModules(m, opts...) {
					paths = append(paths, n.Name)
				}
				return paths
			})
		}, values(nn.Prefix("a"), nn.Prefix("")), values(nn.RemoveDuplicate(false), nn.RemoveDuplicate(true))),
		"Base.ToEmpty": optiontest.For(func(opts ...nn.RecurseOption) optiontest.Outcome {
			return listed(func(m nn.Module) any {
				m.ModuleBase().ToEmpty(torch.Meta, opts...)
				return m.Parameters()[0].Device()
			})
		}, values(nn.Recurse(false), nn.Recurse(true))),
		"Base.SetSubmodule": optiontest.For(func(opts ...nn.SetSubmoduleOption) optiontest.Outcome {
			return listed(func(m nn.Module) any {
				return torch.Try(func() { m.ModuleBase().SetSubmodule("new", nn.NewReLU(), opts...) })
			})
		}, values(nn.Strict(true), nn.Strict(false))),
		"Base.LoadStateDict": optiontest.For(func(opts ...nn.LoadOption) optiontest.Outcome {
			return loaded(func(m nn.Module, sd nn.StateDict) error { return m.LoadStateDict(sd, opts...) })
		}, values(nn.Strict(false), nn.Strict(true)), values(nn.Assign(true), nn.Assign(false))),
		"LoadStateDict": optiontest.For(func(opts ...nn.LoadOption) optiontest.Outcome {
			return loaded(func(m nn.Module, sd nn.StateDict) error {
				_, err := nn.LoadStateDict(m, sd, opts...)
				return err
			})
		}, values(nn.Strict(false), nn.Strict(true)), values(nn.Assign(true), nn.Assign(false))),
		"FunctionalCall": optiontest.For(func(opts ...nn.FunctionalCallOption) optiontest.Outcome {
			return listed(func(m nn.Module) any {
				a, b := torch.Zeros(torch.Shape{2}), torch.Zeros(torch.Shape{2})
				defer func() { _, _ = a.Close(), b.Close() }()
				none := torch.Try(func() { nn.FunctionalCall(m, nil, func() {}, opts...) })
				both := torch.Try(func() {
					nn.FunctionalCall(m, nn.StateDict{{"0.weight", a}, {"1.weight", b}}, func() {}, append(slices.Clone(opts), nn.Strict(false))...)
				})
				for _, o := range opts { // an option that is none is told from what these do
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

// listed says what fn makes of a module that has one layer twice.
func listed(fn func(m nn.Module) any) optiontest.Outcome {
	norm := nn.NewBatchNorm1d(2)
	m := nn.NewModuleList(norm, norm)
	defer func() { _ = m.Close() }()
	if err, ok := fn(m).(error); ok && !errors.Is(err, torch.ErrIndex) {
		panic(err) // of an option
	}
	return optiontest.Outcome{does: fmt.Sprint(fn(m))}
}

// loaded says what becomes of a module that is loaded from nothing, and from a state
// dict of another dtype.
func loaded(load func(m nn.Module, sd nn.StateDict) error) optiontest.Outcome {
	m, from := nn.NewLinear(3, 2), nn.NewLinear(3, 2, nn.DType(torch.Float64))
	defer func() { _, _ = m.Close(), from.Close() }()
	none := load(m, nil)
	if err := load(m, from.StateDict()); err != nil {
		panic(err)
	}
	return optiontest.Outcome{does: fmt.Sprint(none, m.Weight.DType())}
}
