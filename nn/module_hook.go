package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/torch"
)

// The types of hook functions. A hook returns tensors that replace the inputs, results
// or gradients that it received, or nil to leave them unchanged.
type (
	forwardPreHook  = func(m Module, in []*torch.Tensor) []*torch.Tensor
	forwardHook     = func(m Module, in, out []*torch.Tensor) []*torch.Tensor
	backwardPreHook = func(m Module, gradOut []*torch.Tensor) []*torch.Tensor
	backwardHook    = func(m Module, gradIn, gradOut []*torch.Tensor) []*torch.Tensor
)

// Hook is a registered hook of one module, or of all modules. Remove removes it.
type Hook struct {
	unregister func(h *Hook) // removes the hook from its list
	pre        forwardPreHook
	post       forwardHook
	back       backwardHook
	backPre    backwardPreHook
	always     bool
	state      stateHook // a hook of StateDict or LoadStateDict
	afterLoad  loadHook
}

// A HookOption says how a hook is registered: [Prepend].
//
//gotorch:options Prepend
type HookOption interface {
	ForwardHookOption
	hookOption()
}

// A ForwardHookOption says how a hook that runs after Forward is registered:
// [Prepend], [AlwaysCall].
//
//gotorch:options Prepend AlwaysCall
type ForwardHookOption interface{ forwardHookOption() }

// Prepend says whether the hook runs before those already registered. The default is
// false.
type Prepend bool

// AlwaysCall says whether the hook also runs after a Forward that panicked, with nil
// results. The default is false. If the hook then panics too, its panic becomes a
// warning and the first panic continues.
type AlwaysCall bool

// hookSet holds the hooks of a module in the order in which they run. Lists are
// replaced and never modified, so a running call keeps the lists it started with.
type hookSet struct {
	pre, post, backPre, back []*Hook
}

func (s *hookSet) isEmpty() bool {
	return s == nil || len(s.pre)+len(s.post)+len(s.backPre)+len(s.back) == 0
}

// addHook returns a list with h appended or prepended.
func addHook(list []*Hook, h *Hook, prepend bool) []*Hook {
	if prepend {
		return append([]*Hook{h}, list...)
	}
	return append(slices.Clip(list), h)
}

func (s *hookSet) without(h *Hook) hookSet {
	rest := func(list []*Hook) []*Hook {
		return slices.DeleteFunc(slices.Clone(list), func(o *Hook) bool { return o == h })
	}
	return hookSet{pre: rest(s.pre), post: rest(s.post), backPre: rest(s.backPre), back: rest(s.back)}
}

// copyTo registers copies of the hooks with another module.
func (s *hookSet) copyTo(to *Base) {
	twins := func(list []*Hook) []*Hook {
		var out []*Hook
		for _, h := range list {
			out = append(out, to.prepareHook("DeepCopy", false,
				&Hook{pre: h.pre, post: h.post, back: h.back, backPre: h.backPre, always: h.always}))
		}
		return out
	}
	to.hooks = hookSet{pre: twins(s.pre), post: twins(s.post), backPre: twins(s.backPre), back: twins(s.back)}
	to.updateHookFlag()
}

// readHook reports whether the hook runs first.
func readHook(op string, opts []HookOption) (prepend bool) {
	return bool(opt.Read(op, opts, Prepend(false)))
}

// readForwardHook reports whether the hook runs first and whether it always runs.
func readForwardHook(op string, opts []ForwardHookOption) (prepend, always bool) {
	p, a := opt.Read2(op, opts, Prepend(false), AlwaysCall(false))
	return bool(p), bool(a)
}

// prepareHook checks that b can have the hook, and returns h, ready to be registered.
func (b *Base) prepareHook(op string, noFn bool, h *Hook) *Hook {
	b.mustBeInitialized(op)
	if noFn {
		panic(torch.NilFunc(op, "fn"))
	}
	if p := script.Of(b.self); p != nil && !p.Whole() {
		panic(torch.NewError(op, torch.ErrValue, "receiver",
			fmt.Sprintf("the %s is part of %s, which runs no hooks of its parts: register the hook with the whole "+
				"module", b.TypeName(), p.Origin().Noun)))
	}
	h.unregister = func(h *Hook) {
		b.hooks = b.hooks.without(h)
		b.updateHookFlag()
	}
	return h
}

// updateHookFlag sets or clears the flag that makes each call look for hooks and
// derived tensors.
func (b *Base) updateHookFlag() {
	if b.hooks.isEmpty() && b.derived.isEmpty() {
		b.clearFlag(flagHooks)
	} else {
		b.setFlag(flagHooks)
	}
}

// RegisterForwardPreHook makes Forward call fn with the module and its inputs before it
// does its work. If fn returns tensors, they replace all the inputs; a different number
// of tensors panics with ErrValue. If it returns nil, the inputs stay unchanged. Tensors
// made in fn are freed with the layer's temporaries. It panics with ErrNil for a nil
// function. Follows Module.register_forward_pre_hook.
func (b *Base) RegisterForwardPreHook(fn func(m Module, in []*torch.Tensor) []*torch.Tensor, opts ...HookOption) *Hook {
	const op = "RegisterForwardPreHook"
	h := b.prepareHook(op, fn == nil, &Hook{pre: fn})
	b.hooks.pre = addHook(b.hooks.pre, h, readHook(op, opts))
	b.updateHookFlag()
	return h
}

// RegisterForwardHook makes Forward call fn with the module, its inputs and its results
// at the end. If fn returns tensors, they replace all the results; a different number of
// tensors panics with ErrValue. If it returns nil, the results stay unchanged. To keep a
// tensor after the forward pass, take it out of the scopes, as in
// torch.Disown(out[0].Detach()). It panics with ErrNil for a nil function. Follows
// Module.register_forward_hook.
func (b *Base) RegisterForwardHook(fn func(m Module, in, out []*torch.Tensor) []*torch.Tensor,
	opts ...ForwardHookOption,
) *Hook {
	const op = "RegisterForwardHook"
	h := b.prepareHook(op, fn == nil, &Hook{post: fn})
	prepend, always := readForwardHook(op, opts)
	h.always = always
	b.hooks.post = addHook(b.hooks.post, h, prepend)
	b.updateHookFlag()
	return h
}

// RegisterFullBackwardHook calls fn in the backward pass, as soon as the gradients of
// the module's inputs and results are known. A missing gradient is nil. If fn returns
// tensors, they replace the gradients of the inputs, one for each; a different number
// of tensors panics with ErrValue. fn runs in its own scope, as described at
// [torch.Tensor.RegisterHook].
//
// If no input of the module requires gradients, fn runs once the gradients of the
// results are known and cannot replace anything. The inputs and results of the module
// are views, which cannot be modified in place. It panics with ErrNil for a nil
// function. Follows Module.register_full_backward_hook.
func (b *Base) RegisterFullBackwardHook(fn func(m Module, gradIn, gradOut []*torch.Tensor) []*torch.Tensor,
	opts ...HookOption,
) *Hook {
	const op = "RegisterFullBackwardHook"
	h := b.prepareHook(op, fn == nil, &Hook{back: fn})
	b.hooks.back = addHook(b.hooks.back, h, readHook(op, opts))
	b.updateHookFlag()
	return h
}

// RegisterFullBackwardPreHook calls fn in the backward pass with the gradients of the
// module's results, before the gradients of its inputs are computed. If fn returns
// tensors, they replace the gradients; a different number of tensors panics with
// ErrValue. Otherwise it works like [Base.RegisterFullBackwardHook]. Follows
// Module.register_full_backward_pre_hook.
func (b *Base) RegisterFullBackwardPreHook(fn func(m Module, gradOut []*torch.Tensor) []*torch.Tensor,
	opts ...HookOption,
) *Hook {
	const op = "RegisterFullBackwardPreHook"
	h := b.prepareHook(op, fn == nil, &Hook{backPre: fn})
	b.hooks.backPre = addHook(b.hooks.backPre, h, readHook(op, opts))
	b.updateHookFlag()
	return h
}

// Remove removes the hook. Further calls do nothing. It panics with ErrNil for a nil
// hook, and with ErrValue for a hook that was never registered.
func (h *Hook) Remove() {
	if h == nil {
		panic(torch.NewError("Hook.Remove", torch.ErrNil, "receiver", "a nil *nn.Hook"))
	}
	if h.unregister == nil {
		panic(torch.NewError("Hook.Remove", torch.ErrValue, "receiver",
			"expected a Hook that a method such as RegisterForwardHook returned"))
	}
	h.unregister(h)
}

// applyHookResult returns the tensors that a hook returned, or ts if the hook returned
// nil.
func applyHookResult(op string, ts, by []*torch.Tensor) []*torch.Tensor {
	if by == nil {
		return ts
	}
	if len(by) != len(ts) {
		panic(torch.NewError(op, torch.ErrValue, "fn",
			fmt.Sprintf("the hook returned %d tensors, expected %d", len(by), len(ts))))
	}
	return by
}
