package nn_test

import (
	"fmt"

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
	}
}
