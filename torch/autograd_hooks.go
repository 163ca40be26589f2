package torch

import (
	"sync"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// hookFunc is what RegisterHook takes.
type hookFunc func(grad *Tensor) *Tensor

// Hook is a registered hook, to be removed.
type Hook struct {
	once        sync.Once
	t           *Tensor
	pos         int64
	accumulated bool // runs with the tensor once its gradient is accumulated
}

// RegisterHook calls fn with every gradient that Backward computes for the
// tensor. A result other than nil replaces the gradient; it must have the same
// shape. fn runs on the goroutine that called Backward, or for CUDA on a thread
// of libtorch's, in a scope of its own: what is to live beyond the call, grad
// or a tensor made of it, has to be kept, as in Keep(grad.Clone()). A panic in
// fn ends Backward with an *Error that carries it. fn must not end its
// goroutine (runtime.Goexit, t.FailNow): Backward is abandoned then, and what
// it holds leaks. libtorch holds fn as long as the tensor: if fn refers to the
// tensor itself, the collector frees neither (Close, a scope and Remove do), so
// let it refer to a Detach. It panics with ErrNil or ErrClosed for a tensor that is nil
// or closed, and with ErrAutograd for one that does not require gradients.
// Follows Tensor.register_hook.
func (t *Tensor) RegisterHook(fn func(grad *Tensor) *Tensor) *Hook {
	const op = "RegisterHook(self)"
	t.handle(op, 0)
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	return t.register(op, fn, false)
}

// RegisterPostAccumulateGradHook calls fn each time that Backward has accumulated the
// gradient of the tensor, a leaf: Grad is the new one by then. fn gets the tensor, as
// another handle of it, and may change it and its gradient in place; an optimizer
// that steps here can drop each gradient at once, so that no two of them live at the
// same time. fn runs where and as that of [Tensor.RegisterHook] does, without
// recording, and what is said there of panics and of a hook that refers to its tensor
// holds here too. [Grad] accumulates nothing and calls no such hook. It panics with ErrNil
// or ErrClosed for a tensor that is nil or closed, and with ErrAutograd for one that
// does not require gradients or is no leaf.
// Follows Tensor.register_post_accumulate_grad_hook.
func (t *Tensor) RegisterPostAccumulateGradHook(fn func(param *Tensor)) *Hook {
	const op = "RegisterPostAccumulateGradHook(self)"
	t.handle(op, 0)
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	run := func(param *Tensor) *Tensor {
		fn(param)
		return nil
	}
	return t.register(op, run, true)
}

func (t *Tensor) register(op string, fn hookFunc, accumulated bool) *Hook {
	h := t.handle(op, 0)
	id := callback.Register(fn)
	var begun bool
	defer callback.DropUnless(&begun, id)
	r := BeginRaw(op, t)
	begun = true
	pos, st := cgotorch.RegisterHook(r.Ctx, h, id, accumulated)
	r.Status(st)
	t.entry.AddHooks(1)
	return &Hook{t: t, pos: pos, accumulated: accumulated}
}

// Remove ends the hook. Further calls do nothing, as does a call after the
// tensor was closed, though the hook stays part of the graph then.
func (h *Hook) Remove() {
	if h == nil || h.t == nil {
		panic(argError("Hook.Remove", ErrNil, "hook", "one that no RegisterHook made"))
	}
	h.once.Do(func() {
		t := h.t
		defer t.release()
		if !t.acquire() {
			return
		}
		r := BeginRaw("Hook.Remove") // not of t, which may be closed from here on
		r.Status(cgotorch.RemoveHook(r.Ctx, t.h, h.pos, h.accumulated))
		h.t.entry.AddHooks(-1)
		callback.Sweep()
	})
}

func runHook(id int64, cx abi.Ctx, grad abi.Tensor) (out abi.Tensor, tag int64) {
	tag = inCallback(cx, func() {
		raw := Raw{state: states.Get()}
		g := raw.Wrap(cgotorch.Ref(grad))
		if res := callback.Of[hookFunc](id)(g); res != nil {
			out = cgotorch.Ref(res.hold("RegisterHook(result)", 0))
			res.release()
		}
	})
	return out, tag
}
