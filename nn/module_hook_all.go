package nn

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/torch"
)

// globalHooks holds the hooks of all modules, or nil.
var globalHooks atomic.Pointer[hookSet]

// registerGlobalHook registers h for all modules; set adds h to one of their lists.
func registerGlobalHook(op string, noFn bool, h *Hook, set func(s *hookSet)) *Hook {
	if noFn {
		panic(torch.NilFunc(op, "fn"))
	}
	change := func(next func(s hookSet) hookSet) {
		for {
			old := globalHooks.Load()
			var s hookSet
			if old != nil {
				s = *old
			}
			s = next(s)
			var p *hookSet
			if !s.isEmpty() {
				p = &s
			}
			if globalHooks.CompareAndSwap(old, p) {
				return
			}
		}
	}
	h.unregister = func(h *Hook) { change(func(s hookSet) hookSet { return s.without(h) }) }
	change(func(s hookSet) hookSet {
		set(&s)
		return s
	})
	return h
}

// RegisterModuleForwardPreHook is [Base.RegisterForwardPreHook] for every module of
// the process, including modules made later. These hooks run before the module's own.
// They slow every layer down a little: remove them after use.
// Follows torch.nn.modules.module.register_module_forward_pre_hook.
func RegisterModuleForwardPreHook(fn func(m Module, in []*torch.Tensor) []*torch.Tensor) *Hook {
	h := &Hook{pre: fn}
	return registerGlobalHook("RegisterModuleForwardPreHook", fn == nil, h,
		func(s *hookSet) { s.pre = addHook(s.pre, h, false) })
}

// RegisterModuleForwardHook is [Base.RegisterForwardHook] for every module; see
// [RegisterModuleForwardPreHook]. The only option is [AlwaysCall].
// Follows torch.nn.modules.module.register_module_forward_hook.
func RegisterModuleForwardHook(fn func(m Module, in, out []*torch.Tensor) []*torch.Tensor,
	opts ...ModuleForwardHookOption,
) *Hook {
	const op = "RegisterModuleForwardHook"
	h := &Hook{post: fn}
	for _, o := range opts {
		always, ok := o.(AlwaysCall)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		h.always = bool(always)
	}
	return registerGlobalHook(op, fn == nil, h, func(s *hookSet) { s.post = addHook(s.post, h, false) })
}

// A ModuleForwardHookOption is [AlwaysCall].
//
//gotorch:options AlwaysCall
type ModuleForwardHookOption interface{ moduleForwardHookOption() }

// RegisterModuleFullBackwardHook is [Base.RegisterFullBackwardHook] for every module;
// see [RegisterModuleForwardPreHook].
// Follows torch.nn.modules.module.register_module_full_backward_hook.
func RegisterModuleFullBackwardHook(fn func(m Module, gradIn, gradOut []*torch.Tensor) []*torch.Tensor) *Hook {
	h := &Hook{back: fn}
	return registerGlobalHook("RegisterModuleFullBackwardHook", fn == nil, h,
		func(s *hookSet) { s.back = addHook(s.back, h, false) })
}

// RegisterModuleFullBackwardPreHook is [Base.RegisterFullBackwardPreHook] for every
// module; see [RegisterModuleForwardPreHook].
// Follows torch.nn.modules.module.register_module_full_backward_pre_hook.
func RegisterModuleFullBackwardPreHook(fn func(m Module, gradOut []*torch.Tensor) []*torch.Tensor) *Hook {
	h := &Hook{backPre: fn}
	return registerGlobalHook("RegisterModuleFullBackwardPreHook", fn == nil, h,
		func(s *hookSet) { s.backPre = addHook(s.backPre, h, false) })
}
