package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Hook is a registered forward hook. Remove removes it.
type Hook struct {
	b    *Base
	pre  func(m Module, in []*torch.Tensor) []*torch.Tensor
	post func(m Module, in, out []*torch.Tensor) []*torch.Tensor
}

// RegisterForwardPreHook makes Forward first run fn with the module and its
// inputs. If fn returns tensors, they replace all the inputs; another number of
// tensors is ErrValue. If it returns nil, the inputs stay. Tensors made in fn
// are freed with the layer's temporaries. It panics with ErrNil for a nil
// function. Follows Module.register_forward_pre_hook.
func (b *Base) RegisterForwardPreHook(fn func(m Module, in []*torch.Tensor) []*torch.Tensor) *Hook {
	const op = "RegisterForwardPreHook"
	b.initialized(op)
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	h := &Hook{b: b, pre: fn}
	b.pre = append(slices.Clip(b.pre), h)
	b.set(flagHooks)
	return h
}

// RegisterForwardHook makes Forward finally run fn with the module, its inputs
// and its results. If fn returns tensors, they replace all the results; another
// number of tensors is ErrValue. If it returns nil, the results stay. To keep a
// tensor after the forward pass, take it out of the scopes, as in
// torch.Disown(out[0].Detach()). It panics with ErrNil for a nil function.
// Follows Module.register_forward_hook.
func (b *Base) RegisterForwardHook(fn func(m Module, in, out []*torch.Tensor) []*torch.Tensor) *Hook {
	const op = "RegisterForwardHook"
	b.initialized(op)
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	h := &Hook{b: b, post: fn}
	b.post = append(slices.Clip(b.post), h)
	b.set(flagHooks)
	return h
}

// Remove removes the hook. Further calls do nothing. It panics with ErrNil for
// a nil hook, and with ErrValue for one that no module made.
func (h *Hook) Remove() {
	if h == nil {
		panic(torch.NewError("Hook.Remove", torch.ErrNil, "receiver", "a nil *nn.Hook"))
	}
	if h.b == nil {
		panic(torch.NewError("Hook.Remove", torch.ErrValue, "receiver", "a Hook of no module; RegisterForwardHook makes one"))
	}
	is := func(other *Hook) bool { return other == h }
	h.b.pre = slices.DeleteFunc(slices.Clone(h.b.pre), is)
	h.b.post = slices.DeleteFunc(slices.Clone(h.b.post), is)
	if len(h.b.pre)+len(h.b.post) == 0 {
		h.b.clear(flagHooks)
	}
}

func (b *Base) runPre(in []*torch.Tensor) []*torch.Tensor {
	for _, h := range b.pre {
		in = replaced("RegisterForwardPreHook", in, h.pre(b.self, in))
	}
	return in
}

func (b *Base) runPost(in, out []*torch.Tensor) []*torch.Tensor {
	for _, h := range b.post {
		out = replaced("RegisterForwardHook", out, h.post(b.self, in, out))
	}
	return out
}

// replaced returns what a hook has made of ts.
func replaced(op string, ts, by []*torch.Tensor) []*torch.Tensor {
	if by == nil {
		return ts
	}
	if len(by) != len(ts) {
		panic(torch.NewError(op, torch.ErrValue, "fn", fmt.Sprintf("the hook returned %d tensors for %d", len(by), len(ts))))
	}
	return by
}
