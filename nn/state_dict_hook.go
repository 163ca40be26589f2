package nn

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// stateHooks are the state-dict hooks of a module. As in hookSet, lists are replaced
// and never modified.
type stateHooks struct {
	pre, post, loadPre, loadPost []*Hook
}

type (
	stateHook func(m Module, sd *StateDict, prefix string)
	loadHook  func(m Module, keys *IncompatibleKeys)
)

// registerStateHook adds a hook to one of a module's lists.
func (b *Base) registerStateHook(op string, noFn bool, h *Hook, list func(s *stateHooks) *[]*Hook) *Hook {
	b.mustBeInitialized(op)
	if noFn {
		panic(torch.NilFunc(op, "fn"))
	}
	if b.stateHooks == nil {
		b.stateHooks = new(stateHooks)
	}
	at := list(b.stateHooks)
	*at = append(slices.Clip(*at), h)
	h.unregister = func(h *Hook) {
		at := list(b.stateHooks)
		*at = slices.DeleteFunc(slices.Clone(*at), func(o *Hook) bool { return o == h })
	}
	return h
}

// RegisterStateDictPreHook calls fn with the module before StateDict lists its
// tensors. prefix is the module's path followed by a dot, or "" for the root. It
// panics with ErrNil for a nil function. Follows Module.register_state_dict_pre_hook.
func (b *Base) RegisterStateDictPreHook(fn func(m Module, prefix string)) *Hook {
	h := &Hook{state: func(m Module, _ *StateDict, prefix string) { fn(m, prefix) }}
	return b.registerStateHook("RegisterStateDictPreHook", fn == nil, h, func(s *stateHooks) *[]*Hook { return &s.pre })
}

// RegisterStateDictPostHook calls fn after StateDict has listed the tensors of the
// module and of the modules below it. sd holds everything listed so far, including
// entries of other modules. fn may add, remove and rename entries. It panics with
// ErrNil for a nil function. Follows Module.register_state_dict_post_hook.
func (b *Base) RegisterStateDictPostHook(fn func(m Module, sd *StateDict, prefix string)) *Hook {
	return b.registerStateHook("RegisterStateDictPostHook", fn == nil, &Hook{state: fn},
		func(s *stateHooks) *[]*Hook { return &s.post })
}

// RegisterLoadStateDictPreHook calls fn before LoadStateDict checks anything. sd is a
// copy of the given list, so fn may rename, add and remove entries. A module's hook runs
// before the hooks of its submodules. It panics with ErrNil for a nil function. Follows
// Module.register_load_state_dict_pre_hook.
func (b *Base) RegisterLoadStateDictPreHook(fn func(m Module, sd *StateDict, prefix string)) *Hook {
	return b.registerStateHook("RegisterLoadStateDictPreHook", fn == nil, &Hook{state: fn},
		func(s *stateHooks) *[]*Hook { return &s.loadPre })
}

// RegisterLoadStateDictPostHook calls fn after LoadStateDict has loaded the values. A
// module's hook runs after the hooks of its submodules. keys holds the names that do not
// match. fn may remove some; the remaining names are an error if the load is strict. As
// in Python, such a hook delays this error until after the values were loaded. It panics
// with ErrNil for a nil function. Follows Module.register_load_state_dict_post_hook.
func (b *Base) RegisterLoadStateDictPostHook(fn func(m Module, keys *IncompatibleKeys)) *Hook {
	return b.registerStateHook("RegisterLoadStateDictPostHook", fn == nil, &Hook{afterLoad: fn},
		func(s *stateHooks) *[]*Hook { return &s.loadPost })
}

// copyTo registers copies of the hooks with another module.
func (s *stateHooks) copyTo(to *Base) {
	if s == nil {
		return
	}
	lists := []func(s *stateHooks) *[]*Hook{
		func(s *stateHooks) *[]*Hook { return &s.pre }, func(s *stateHooks) *[]*Hook { return &s.post },
		func(s *stateHooks) *[]*Hook { return &s.loadPre }, func(s *stateHooks) *[]*Hook { return &s.loadPost },
	}
	for _, list := range lists {
		for _, h := range *list(s) {
			to.registerStateHook("DeepCopy", false, &Hook{state: h.state, afterLoad: h.afterLoad}, list)
		}
	}
}
