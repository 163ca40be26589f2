package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// loader is one LoadStateDict: it looks for all that is wrong before it copies.
type loader struct {
	assign   bool
	given    map[string]*torch.Tensor
	own      []stateTensor // with their paths
	extra    []extraState
	post     []func(keys *IncompatibleKeys)
	copies   []loading
	problems []string
	kinds    []error
}

type loading struct {
	to   stateTensor
	from *torch.Tensor
}

type extraState struct {
	name string
	m    ExtraState
}

// gather runs the hooks that may change the state dict, and finds out what there is
// to load.
func (l *loader) gather(b *Base, sd *StateDict) {
	var visit func(b *Base, path string)
	visit = func(b *Base, path string) {
		if h := b.states; h != nil {
			prefix := path
			if path != "" {
				prefix += "."
			}
			for _, hook := range h.loadPre {
				hook.state(b.self, sd, prefix)
			}
		}
		from := len(l.own)
		l.own = b.ownState(l.own)
		for i := range l.own[from:] {
			l.own[from+i].name = join(path, l.own[from+i].name)
		}
		if m, ok := b.self.(ExtraState); ok {
			l.extra = append(l.extra, extraState{join(path, extraStateName), m})
		}
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), join(path, c.Name))
		}
		if h := b.states; h != nil {
			for _, hook := range h.loadPost {
				l.post = append(l.post, func(keys *IncompatibleKeys) { hook.loaded(b.self, keys) })
			}
		}
	}
	visit(b, "")
}

// compare returns the names that only one side has.
func (l *loader) compare(sd StateDict) (missing, unexpected []string) {
	var own []string
	for _, n := range l.own {
		own = append(own, n.name)
	}
	for _, x := range l.extra {
		own = append(own, x.name)
	}
	return lacks(own, sd.Names()), lacks(sd.Names(), own)
}

// fail panics with what is wrong.
func (l *loader) fail(op string) {
	if len(l.problems) == 0 {
		return
	}
	kind := slices.IndexFunc(problemKinds, func(k error) bool { return slices.Contains(l.kinds, k) })
	panic(&torch.Error{Op: op, Kind: problemKinds[kind], Message: strings.Join(l.problems, "; ")})
}

// problemKinds are the kinds of what can be wrong, the one that counts first.
var problemKinds = []error{torch.ErrValue, torch.ErrClosed, torch.ErrShape}

func (l *loader) problem(kind error, format string, args ...any) {
	l.kinds = append(l.kinds, kind)
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

func (l *loader) names(keys IncompatibleKeys) {
	if len(keys.MissingKeys) > 0 {
		l.problem(torch.ErrValue, "missing names: [%s]", strings.Join(keys.MissingKeys, ", "))
	}
	if len(keys.UnexpectedKeys) > 0 {
		l.problem(torch.ErrValue, "unknown names: [%s]", strings.Join(keys.UnexpectedKeys, ", "))
	}
}

func (l *loader) check() {
	var sizes []string
	for _, n := range l.own {
		t, ok := l.given[n.name]
		switch {
		case !ok:
		case t.IsClosed():
			l.problem(torch.ErrClosed, "the tensor for %s is nil or closed", n.name)
		case n.tensor.IsClosed():
			l.problem(torch.ErrClosed, "%s of this module is closed", n.name)
		case !t.Shape().Equal(n.tensor.Shape()):
			sizes = append(sizes, fmt.Sprintf("%s is %v here and %v in the state dict", n.name, n.tensor.Shape(), t.Shape()))
		default:
			l.pair(n, t)
		}
	}
	for _, x := range l.extra {
		if t, ok := l.given[x.name]; ok && t.IsClosed() {
			l.problem(torch.ErrClosed, "the tensor for %s is nil or closed", x.name)
		}
	}
	if len(sizes) > 0 {
		l.problem(torch.ErrShape, "sizes differ: %s", strings.Join(sizes, ", "))
	}
}

// pair looks for what libtorch would refuse halfway.
func (l *loader) pair(own stateTensor, t *torch.Tensor) {
	switch to := own.tensor; {
	case l.assign:
		l.pairAssigned(own, t)
	case t.Device() == torch.Meta && to.Device() != torch.Meta:
		l.problem(torch.ErrValue, "the tensor for %s is on the meta device and has no values", own.name)
	case t.Layout() != to.Layout():
		l.problem(torch.ErrValue, "the tensor for %s is %v, the module's is %v", own.name, t.Layout(), to.Layout())
	case overlaps(to):
		l.problem(torch.ErrValue, "%s of this module is an expanded tensor, whose elements share memory: use Clone", own.name)
	case isInference(to) && !torch.IsInferenceMode():
		l.problem(torch.ErrValue, "%s of this module was made in inference mode, outside of which it cannot be written to: use Clone", own.name)
	default:
		l.copies = append(l.copies, loading{own, t})
	}
}

// pairAssigned is pair for a tensor that is taken over.
func (l *loader) pairAssigned(own stateTensor, t *torch.Tensor) {
	d := t.DType()
	switch to := own.tensor; {
	case to.RequiresGrad() && !d.IsFloatingPoint() && !d.IsComplex():
		l.problem(torch.ErrValue, "the tensor for %s is %v, which has no gradients", own.name, d)
	case t.Layout() != to.Layout():
		l.problem(torch.ErrValue, "the tensor for %s is %v, the module's is %v", own.name, t.Layout(), to.Layout())
	default:
		l.copies = append(l.copies, loading{own, t})
	}
}

// apply changes the module.
func (l *loader) apply() {
	if l.assign {
		l.take()
	} else {
		l.copy()
	}
	for _, x := range l.extra {
		if t, ok := l.given[x.name]; ok {
			x.m.SetExtraState(t)
		}
	}
}

// take has the module share the memory of what was given.
func (l *loader) take() {
	var old []*torch.Tensor
	for _, c := range l.copies {
		switch to := c.to.tensor; {
		case c.from == to:
		case (to.Device() == torch.Meta) == (c.from.Device() == torch.Meta):
			to.SetGrad(nil)
			to.SetData(c.from)
		default:
			t := torch.Disown(c.from.Detach())
			if own.IsParameter(to) {
				own.Parameter(t)
				t.SetRequiresGrad(to.RequiresGrad())
			}
			c.to.b.put(c.to.e, t)
			old = append(old, to)
		}
	}
	for _, t := range old {
		_ = t.Close()
	}
}

// overlaps reports whether several elements of t are one number in memory, as far
// as libtorch itself looks.
func overlaps(t *torch.Tensor) bool {
	if t.Layout() != torch.Strided || t.Numel() == 0 {
		return false
	}
	strides := t.Stride()
	for i, n := range t.Shape() {
		if n > 1 && strides[i] == 0 {
			return true
		}
	}
	return false
}

func isInference(t *torch.Tensor) bool {
	const op = "IsInference(self)"
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	is, st := aten.IsInference(r.Ctx, h)
	r.Status(st)
	return is
}

// copy does what needs memory first, so that nothing of the module has changed if
// there is none.
func (l *loader) copy() {
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, c := range l.copies {
				l.copies[i].from = staged(c.to.tensor, c.from)
			}
			for _, c := range l.copies {
				copyInto(c.to.tensor, c.from)
			}
		})
	})
}

// staged returns src, or a copy of it where the way to dst would be through
// another tensor or where both lie in the same memory.
func staged(dst, src *torch.Tensor) *torch.Tensor {
	switch {
	case src == dst || src.Device() == torch.Meta || src.Layout() != torch.Strided:
	case src.Device() != dst.Device():
		if src.DType() != dst.DType() {
			src = src.To(dst.DType())
		}
		return src.Contiguous()
	case src.SharesStorage(dst) && (src.StorageOffset() != dst.StorageOffset() || !slices.Equal(src.Stride(), dst.Stride())):
		return src.Clone()
	}
	return src
}

// copyInto overwrites dst outside the autograd graph.
func copyInto(dst, src *torch.Tensor) {
	const op = "Copy_(self, src)"
	d, s := dst.HandleFor(op, 0), src.HandleFor(op, 1)
	r := torch.BeginRaw(op, dst, src)
	r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, d, s, false))
}
