package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// run runs a call: fn and the hooks, while the fields hold the derived tensors.
func (b *Base) run(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	if b.derived.isEmpty() {
		return b.runHooks(in, fn)
	}
	return b.withDerived(func() []*torch.Tensor { return b.runHooks(in, fn) })
}

// runHooks runs fn with the hooks before and after it. The hooks of all modules run
// before the module's own.
func (b *Base) runHooks(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	all := globalHooks.Load()
	if b.hooks.isEmpty() && all.isEmpty() {
		return fn(in)
	}
	if all == nil {
		all = new(hookSet)
	}
	own := b.hooks
	in = slices.Clone(in)
	posts := slices.Concat(all.post, own.post)
	returned := false
	if slices.ContainsFunc(posts, func(h *Hook) bool { return h.always }) {
		defer func() {
			if !returned {
				b.runAlways(posts, in)
			}
		}()
	}
	for _, h := range slices.Concat(all.pre, own.pre) {
		in = applyHookResult("RegisterForwardPreHook", in, h.pre(b.self, in))
	}
	var back *backwardCall
	args := in
	if len(all.backPre)+len(own.backPre)+len(all.back)+len(own.back) > 0 {
		back = &backwardCall{
			m: b.self, pre: slices.Concat(all.backPre, own.backPre),
			hooks: slices.Concat(all.back, own.back),
		}
		args = back.wrapInputs(in)
	}
	out := fn(args)
	// A hook that panicked is not run again.
	for len(posts) > 0 {
		h := posts[0]
		posts = posts[1:]
		out = applyHookResult("RegisterForwardHook", out, h.post(b.self, in, out))
	}
	if back != nil {
		out = back.wrapResults(out)
	}
	returned = true
	return out
}

// runAlways runs the remaining AlwaysCall hooks after Forward or a hook has panicked.
// The panic then continues.
func (b *Base) runAlways(posts []*Hook, in []*torch.Tensor) {
	for _, h := range posts {
		if h.always {
			func() {
				defer func() {
					if p := recover(); p != nil {
						cgotorch.Warn(fmt.Sprintf("%s: after Forward panicked, a forward hook with AlwaysCall "+
							"panicked too: %v", b.TypeName(), p))
					}
				}()
				h.post(b.self, in, nil)
			}()
		}
	}
}

// backwardCall is one call of a module with backward hooks. It puts identity functions
// before and after the module. Their gradients are the gradients of the module's inputs
// and results.
type backwardCall struct {
	m           Module
	pre, hooks  []*Hook
	wrapsInputs bool // there is an identity function before the module
	inputs      int
	gradOut     []*torch.Tensor
	hasGradOut  bool // gradOut is set
}

// wrapInputs passes the inputs through the identity function before the module.
func (c *backwardCall) wrapInputs(in []*torch.Tensor) []*torch.Tensor {
	c.inputs = len(in)
	args, wrapped := withBackward("BackwardHookFunction", in, false, func(gradIn []*torch.Tensor) []*torch.Tensor {
		// The backward pass reached the inputs without passing the results, so there
		// are no gradients of results to give to the hooks.
		if !c.hasGradOut {
			return gradIn
		}
		gradOut := c.gradOut
		c.gradOut, c.hasGradOut = nil, false
		// Close a copy of the list, because a hook may modify the list.
		defer closeAll(slices.Clone(gradOut))
		for _, h := range c.hooks {
			gradIn = applyHookResult("RegisterFullBackwardHook", gradIn, h.back(c.m, gradIn, gradOut))
		}
		return gradIn
	})
	c.wrapsInputs = wrapped
	return args
}

// wrapResults passes the results through the identity function after the module.
func (c *backwardCall) wrapResults(out []*torch.Tensor) []*torch.Tensor {
	out, _ = withBackward("BackwardHookFunction", out, true, func(gradOut []*torch.Tensor) []*torch.Tensor {
		for _, h := range c.pre {
			gradOut = applyHookResult("RegisterFullBackwardPreHook", gradOut, h.backPre(c.m, gradOut))
		}
		if !c.wrapsInputs {
			for _, h := range c.hooks {
				if by := h.back(c.m, make([]*torch.Tensor, c.inputs), gradOut); slices.ContainsFunc(by,
					func(t *torch.Tensor) bool { return t != nil }) {
					panic(torch.NewError("RegisterFullBackwardHook", torch.ErrValue, "fn",
						"the hook returned gradients of inputs, but no input requires gradients"))
				}
			}
			return gradOut
		}
		closeAll(c.gradOut)
		c.gradOut, c.hasGradOut = make([]*torch.Tensor, len(gradOut)), true
		for i, g := range gradOut {
			if g != nil {
				c.gradOut[i] = torch.Disown(g.ViewAs(g))
			}
		}
		return gradOut
	})
	return out
}

func closeAll(ts []*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}

// withBackward passes ts through an identity function whose backward pass calls fn with
// the gradients. It returns ts and false if no tensor requires gradients. Elements of
// ts, and the gradients passed to fn, may be nil.
func withBackward(name string, ts []*torch.Tensor, keepNil bool,
	fn func(grads []*torch.Tensor) []*torch.Tensor,
) ([]*torch.Tensor, bool) {
	var at []int
	var given []*torch.Tensor
	needed := false
	for i, t := range ts {
		if t != nil && !t.IsClosed() {
			at, given = append(at, i), append(given, t)
			needed = needed || t.RequiresGrad()
		}
	}
	if !needed || !torch.IsGradEnabled() {
		return ts, false
	}
	n := len(ts)
	f := torch.Function{
		Name:    name,
		KeepNil: keepNil,
		Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			var plain []*torch.Tensor
			for _, t := range in {
				if !t.RequiresGrad() {
					plain = append(plain, t)
				}
			}
			ctx.MarkNonDifferentiable(plain...)
			return in
		},
		Backward: func(_ *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
			all := make([]*torch.Tensor, n)
			for i, g := range grads {
				all[at[i]] = g
			}
			all = fn(all)
			out := make([]*torch.Tensor, len(grads))
			for i := range out {
				out[i] = all[at[i]]
			}
			return out
		},
	}
	passed := f.Apply(given...)
	ts = slices.Clone(ts)
	for i, t := range passed {
		ts[at[i]] = t
	}
	return ts, true
}
