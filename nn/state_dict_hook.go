package nn

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// stateHooks are the hooks of a module for its state dict. As those of hookSet,
// the lists are replaced and never changed.
type stateHooks struct {
	pre, post, loadPre, loadPost []*Hook
}

type (
	stateHook func(m Module, sd *StateDict, prefix string)
	loadHook  func(m Module, keys *IncompatibleKeys)
)

// keepState puts a hook into one of the lists of a module.
func (b *Base) keepState(op string, noFn bool, h *Hook, list func(s *stateHooks) *[]*Hook) *Hook {
	b.initialized(op)
	if noFn {
		panic(torch.NilFunc(op, "fn"))
	}
	if b.states == nil {
		b.states = new(stateHooks)
	}
	at := list(b.states)
	*at = append(slices.Clip(*at), h)
	h.from = func(h *Hook) {
		at := list(b.states)
		*at = slices.DeleteFunc(slices.Clone(*at), func(o *Hook) bool { return o == h })
	}
	return h
}

// RegisterStateDictPreHook runs fn with the module before StateDict lists its
// tensors. prefix is the module's path with a dot behind, or "" for the root. It
// panics with ErrNil for a nil function. Follows Module.register_state_dict_pre_hook.
func (b *Base) RegisterStateDictPreHook(fn func(m Module, prefix string)) *Hook {
	h := &Hook{state: func(m Module, _ *StateDict, prefix string) { fn(m, prefix) }}
	return b.keepState("RegisterStateDictPreHook", fn == nil, h, func(s *stateHooks) *[]*Hook { return &s.pre })
}

// RegisterStateDictPostHook runs fn after StateDict has listed the tensors of the
// module and of those below it. fn may add tensors to sd, take some out and rename
// them; sd has what was listed so far, that of other modules too. It panics with
// ErrNil for a nil function. Follows Module.register_state_dict_post_hook.
func (b *Base) RegisterStateDictPostHook(fn func(m Module, sd *StateDict, prefix string)) *Hook {
	return b.keepState("RegisterStateDictPostHook", fn == nil, &Hook{state: fn}, func(s *stateHooks) *[]*Hook { return &s.post })
}

// RegisterLoadStateDictPreHook runs fn before LoadStateDict looks at anything. sd
// is a copy of the list that was given, so fn may rename, add and take out. It runs
// for a module before those below it. It panics with ErrNil for a nil function.
// Follows Module.register_load_state_dict_pre_hook.
func (b *Base) RegisterLoadStateDictPreHook(fn func(m Module, sd *StateDict, prefix string)) *Hook {
	return b.keepState("RegisterLoadStateDictPreHook", fn == nil, &Hook{state: fn}, func(s *stateHooks) *[]*Hook { return &s.loadPre })
}

// RegisterLoadStateDictPostHook runs fn after LoadStateDict has loaded the values,
// those below the module first. keys are the names that did not fit; fn may take
// some out, and what is left is an error of a strict load. So with such a hook, and
// as in Python, names that do not fit are found after the values were loaded. It
// panics with ErrNil for a nil function.
// Follows Module.register_load_state_dict_post_hook.
func (b *Base) RegisterLoadStateDictPostHook(fn func(m Module, keys *IncompatibleKeys)) *Hook {
	return b.keepState("RegisterLoadStateDictPostHook", fn == nil, &Hook{loaded: fn}, func(s *stateHooks) *[]*Hook { return &s.loadPost })
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
			to.keepState("DeepCopy", false, &Hook{state: h.state, loaded: h.loaded}, list)
		}
	}
}
