package torch

import (
	"sync"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// hookFunc is the type of function that RegisterHook takes.
type hookFunc func(grad *Tensor) *Tensor

// Hook is a registered hook. Remove unregisters it.
type Hook struct {
	once        sync.Once
	t           *Tensor
	pos         int64
	accumulated bool // whether RegisterPostAccumulateGradHook made the hook
}

// RegisterHook calls fn with every gradient that Backward computes for the tensor. If fn
// returns a tensor, this tensor replaces the gradient and must have the same shape. It
// panics with ErrAutograd if t does not require gradients. Follows Tensor.register_hook.
//
// fn runs on the goroutine that called Backward, or for CUDA on a libtorch thread. It
// runs in a scope of its own: to use the gradient later, keep a copy with
// Keep(grad.Clone()). If fn panics, Backward panics with an *Error whose PanicValue is
// the value. fn must not end its goroutine (runtime.Goexit, t.FailNow): Backward is then
// abandoned and its resources leak.
//
// libtorch keeps fn for as long as it keeps the tensor. If fn refers to the tensor
// itself, the garbage collector can free neither. To avoid this, use t.Detach() in fn,
// close the tensor, or call Remove.
func (t *Tensor) RegisterHook(fn func(grad *Tensor) *Tensor) *Hook {
	const op = "RegisterHook(self)"
	t.handle(op, 0)
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	return t.register(op, fn, false)
}

// RegisterPostAccumulateGradHook calls fn each time Backward has accumulated the gradient
// of a leaf tensor, so t.Grad() returns the new gradient. The function [Grad] accumulates
// nothing and does not call these hooks. RegisterPostAccumulateGradHook panics with
// ErrAutograd if t does not require gradients or is not a leaf. Follows
// Tensor.register_post_accumulate_grad_hook.
//
// fn gets a new handle to the tensor, and may modify the tensor and its gradient in
// place. An optimizer that steps here can free each gradient immediately, which saves
// memory. fn runs without recording. The rules of [Tensor.RegisterHook] about goroutines,
// panics and references apply here too.
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

// Remove unregisters the hook. A second call does nothing. After the tensor was
// closed, Remove does nothing, and the hook stays part of the graph.
func (h *Hook) Remove() {
	if h == nil || h.t == nil {
		panic(argError("Hook.Remove", ErrNil, "hook", "expected a Hook that RegisterHook returned"))
	}
	h.once.Do(func() {
		t := h.t
		defer t.release()
		if !t.acquire() {
			return
		}
		r := BeginRaw("Hook.Remove") // does not name t, which another goroutine may close from here on
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
