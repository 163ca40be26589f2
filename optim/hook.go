package optim

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Hook is a registered hook of one optimizer or of all optimizers.
type Hook struct {
	list *hookList
	fn   any
}

// hookList holds hooks in the order in which they run. Each change makes a new slice, so a hook may
// remove itself while it runs.
type hookList struct {
	mu    sync.Mutex
	hooks atomic.Pointer[[]*Hook]
}

func (l *hookList) all() []*Hook {
	if p := l.hooks.Load(); p != nil {
		return *p
	}
	return nil
}

func (l *hookList) add(op string, fn any, isNil bool, opts []HookOption) *Hook {
	if isNil {
		panic(torch.NilFunc(op, "hook"))
	}
	first := opt.Read(op, opts, Prepend(false))
	h := &Hook{list: l, fn: fn}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := len(l.all())
	if first {
		at = 0
	}
	hooks := slices.Insert(slices.Clone(l.all()), at, h)
	l.hooks.Store(&hooks)
	return h
}

// Remove removes the hook. Calling it again does nothing. It panics with ErrNil for a nil hook, and
// with ErrValue for a hook that was never registered.
func (h *Hook) Remove() {
	if h == nil {
		panic(torch.NewError("Hook.Remove", torch.ErrNil, "receiver", "a nil *optim.Hook"))
	}
	if h.list == nil {
		panic(torch.NewError("Hook.Remove", torch.ErrValue, "receiver",
			"the hook was never registered; use RegisterStepPreHook"))
	}
	h.list.mu.Lock()
	defer h.list.mu.Unlock()
	hooks := slices.DeleteFunc(slices.Clone(h.list.all()), func(other *Hook) bool { return other == h })
	h.list.hooks.Store(&hooks)
}

// A HookOption is an option of the methods that register state dict hooks: [Prepend].
//
//gotorch:options Prepend
type HookOption interface{ hookOption() }

// Prepend says whether the hook runs before the hooks that are already registered. The default is
// false.
type Prepend bool

// Hooks that every optimizer runs.
var globalPre, globalPost hookList

// hooks holds the hooks of an optimizer.
type hooks struct {
	pre, post                            hookList // hooks of steps
	dictPre, dictPost, loadPre, loadPost hookList
}

// RegisterStepPreHook makes every step first call fn with the optimizer, before the
// closure. It panics with ErrNil for a nil function. Follows
// Optimizer.register_step_pre_hook.
func (b *Base) RegisterStepPreHook(fn func(opt Optimizer)) *Hook {
	b.mustBeOpen("RegisterStepPreHook")
	return b.hooks.pre.add(b.name+".RegisterStepPreHook", fn, fn == nil, nil)
}

// RegisterStepPostHook makes every step that does not panic call fn with the optimizer at
// its end. It panics with ErrNil for a nil function. Follows
// Optimizer.register_step_post_hook.
func (b *Base) RegisterStepPostHook(fn func(opt Optimizer)) *Hook {
	b.mustBeOpen("RegisterStepPostHook")
	return b.hooks.post.add(b.name+".RegisterStepPostHook", fn, fn == nil, nil)
}

// RegisterOptimizerStepPreHook makes the steps of all optimizers in the process call fn
// first, before their own hooks. Any goroutine may register; fn runs on the goroutine
// that takes the step. It panics with ErrNil for a nil function. Follows
// torch.optim.optimizer.register_optimizer_step_pre_hook.
func RegisterOptimizerStepPreHook(fn func(opt Optimizer)) *Hook {
	return globalPre.add("RegisterOptimizerStepPreHook", fn, fn == nil, nil)
}

// RegisterOptimizerStepPostHook makes the steps of all optimizers in the process call fn
// at their end, after their own hooks. It panics with ErrNil for a nil function. Follows
// torch.optim.optimizer.register_optimizer_step_post_hook.
func RegisterOptimizerStepPostHook(fn func(opt Optimizer)) *Hook {
	return globalPost.add("RegisterOptimizerStepPostHook", fn, fn == nil, nil)
}

// RegisterStateDictPreHook makes StateDict call fn first. It panics with ErrNil for a
// nil function. Follows Optimizer.register_state_dict_pre_hook.
func (b *Base) RegisterStateDictPreHook(fn func(opt Optimizer), opts ...HookOption) *Hook {
	b.mustBeOpen("RegisterStateDictPreHook")
	return b.hooks.dictPre.add(b.name+".RegisterStateDictPreHook", fn, fn == nil, opts)
}

// RegisterStateDictPostHook makes StateDict call fn with its result. fn may modify the result, or
// return another state dict to replace it. If fn returns nil, the result stays. It panics with
// ErrNil for a nil function. Follows Optimizer.register_state_dict_post_hook.
func (b *Base) RegisterStateDictPostHook(fn func(opt Optimizer, sd *StateDict) *StateDict, opts ...HookOption) *Hook {
	b.mustBeOpen("RegisterStateDictPostHook")
	return b.hooks.dictPost.add(b.name+".RegisterStateDictPostHook", fn, fn == nil, opts)
}

// RegisterLoadStateDictPreHook makes LoadStateDict call fn first, with a copy of the dict that
// shares its tensors. fn may modify the copy, or return another dict to load. If fn returns nil,
// LoadStateDict loads the copy. It panics with ErrNil for a nil function. Follows
// Optimizer.register_load_state_dict_pre_hook.
func (b *Base) RegisterLoadStateDictPreHook(fn func(opt Optimizer, sd *StateDict) *StateDict,
	opts ...HookOption,
) *Hook {
	b.mustBeOpen("RegisterLoadStateDictPreHook")
	return b.hooks.loadPre.add(b.name+".RegisterLoadStateDictPreHook", fn, fn == nil, opts)
}

// RegisterLoadStateDictPostHook makes LoadStateDict call fn at its end, unless it
// returns an error. It panics with ErrNil for a nil function.
// Follows Optimizer.register_load_state_dict_post_hook.
func (b *Base) RegisterLoadStateDictPostHook(fn func(opt Optimizer), opts ...HookOption) *Hook {
	b.mustBeOpen("RegisterLoadStateDictPostHook")
	return b.hooks.loadPost.add(b.name+".RegisterLoadStateDictPostHook", fn, fn == nil, opts)
}

// hasHooks reports whether a step has hooks to run or is recorded by a profiler.
func (b *Base) hasHooks() bool {
	return region.On() || len(globalPre.all())+len(globalPost.all())+len(b.hooks.pre.all())+len(b.hooks.post.all()) > 0
}

func runHooks(l *hookList, opt Optimizer) {
	for _, h := range l.all() {
		h.fn.(func(Optimizer))(opt)
	}
}

func replaceDict(l *hookList, opt Optimizer, sd *StateDict) *StateDict {
	for _, h := range l.all() {
		if other := h.fn.(func(Optimizer, *StateDict) *StateDict)(opt, sd); other != nil {
			sd = other
		}
	}
	return sd
}

// self returns the optimizer that hooks get. If b was made with NewBase and has not
// stepped yet, b does not know the optimizer that embeds it. In that case self returns an
// optimizer whose Step panics.
func (b *Base) self() Optimizer {
	if b.outer == nil {
		return unstepped{b}
	}
	return b.outer
}

// unstepped is an optimizer from a different package before its first step.
type unstepped struct{ *Base }

// Step panics with ErrNotImplemented.
func (u unstepped) Step() {
	panic(&torch.Error{
		Op: u.name + ".Step", Kind: torch.ErrNotImplemented,
		Message: "a hook of a state dict cannot step an optimizer that has not stepped before",
	})
}

// runStep calls step and runs the hooks before and after it.
func (b *Base) runStep(opt Optimizer, step func()) {
	if region.On() {
		defer region.Begin("Optimizer.step#"+b.name+".step", region.User).Finish()
	}
	runHooks(&globalPre, opt)
	runHooks(&b.hooks.pre, opt)
	step()
	runHooks(&b.hooks.post, opt)
	runHooks(&globalPost, opt)
}

// Run takes a step of your own optimizer. It runs the step hooks, then the closure with
// gradients enabled, and then step without gradients. It returns the closure's result, or
// nil if the closure is nil. The hooks receive opt.
//
//	func (l *Lion) Step() { l.Run(l, nil, l.step) }
//
// Write StepClosure in the same way.
func (b *Base) Run(opt Optimizer, closure func() *torch.Tensor, step func()) (loss *torch.Tensor) {
	b.mustBeOpen("Step")
	if step == nil {
		panic(torch.NilFunc(b.name+".Run", "step"))
	}
	b.outer = opt
	b.stepped.Store(true)
	b.runStep(opt, func() {
		if closure != nil {
			torch.EnableGrad(func() { loss = closure() })
		}
		torch.NoGrad(step)
	})
	return loss
}
