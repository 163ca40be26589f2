package nn

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Call is Python's m(x): it runs the hooks around m.Forward, frees what
// Forward leaves behind beside its result, and has an error name the layer it
// came from, as in "in layer mlp.0 (Linear)". Containers call their children
// with it. It panics with ErrNil for a nil layer and passes on Forward's
// panics.
func Call(m Layer, x *torch.Tensor) *torch.Tensor {
	if m == nil {
		panic(torch.NewError("Call", torch.ErrNil, "m", "a nil Layer"))
	}
	returned := false
	defer blame(m, &returned)
	b := m.ModuleBase()
	var y *torch.Tensor
	switch {
	case len(b.pre)+len(b.post) > 0:
		y = torch.Tidy(func() *torch.Tensor { return b.hooked(m, x) })
	case b.tidy == any(m): // not of what embeds that layer, with a Forward of its own
		y = m.Forward(x)
	default:
		y = torch.Tidy(func() *torch.Tensor { return m.Forward(x) })
	}
	returned = true
	return y
}

// blame writes the layer into a *torch.Error on its way up, and makes one of
// what comes of a nil layer. It is deferred itself, since recover works nowhere
// else.
func blame(m Module, returned *bool) {
	if *returned {
		return
	}
	switch p := recover().(type) {
	case nil:
	case *torch.Error:
		switch b := m.ModuleBase(); {
		case p.Layer == "" && b.name == "":
			p.Layer = TypeName(m)
		case p.Layer == "":
			p.Layer = fmt.Sprintf("%s (%s)", b.name, TypeName(m))
		case b.name != "":
			p.Layer = b.name + "." + p.Layer
		}
		panic(p)
	case runtime.Error:
		if isNil(m) {
			panic(torch.NewError("Call", torch.ErrNil, "m", fmt.Sprintf("a nil %T", m)))
		}
		panic(p)
	default:
		panic(p)
	}
}

// isNil reports whether there is no module in m: none at all, or a pointer that
// is nil.
func isNil(m Module) bool {
	v := reflect.ValueOf(m)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// TypeName returns the name of a module's type, such as "Linear".
func TypeName(m Module) string {
	t := reflect.TypeOf(m)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// Hook is a registered forward hook, to be removed.
type Hook struct {
	b    *Base
	pre  func(m Module, x *torch.Tensor) *torch.Tensor
	post func(m Module, x, y *torch.Tensor) *torch.Tensor
}

// RegisterForwardPreHook has Call run fn before Forward. A result other than
// nil replaces the input. Tensors made in fn are freed with the layer's
// temporaries. Follows Module.register_forward_pre_hook.
func (b *Base) RegisterForwardPreHook(fn func(m Module, x *torch.Tensor) *torch.Tensor) *Hook {
	if fn == nil {
		panic(torch.NewError("RegisterForwardPreHook", torch.ErrNil, "fn", "a nil function"))
	}
	h := &Hook{b: b, pre: fn}
	b.pre = append(b.pre, h)
	return h
}

// RegisterForwardHook has Call run fn with Forward's input and result. A
// result other than nil replaces Forward's. To keep y beyond the forward pass
// take it out of the scopes, as in torch.Disown(y.Detach()). Follows
// Module.register_forward_hook.
func (b *Base) RegisterForwardHook(fn func(m Module, x, y *torch.Tensor) *torch.Tensor) *Hook {
	if fn == nil {
		panic(torch.NewError("RegisterForwardHook", torch.ErrNil, "fn", "a nil function"))
	}
	h := &Hook{b: b, post: fn}
	b.post = append(b.post, h)
	return h
}

// Remove ends the hook. Further calls do nothing.
func (h *Hook) Remove() {
	is := func(other *Hook) bool { return other == h }
	h.b.pre = slices.DeleteFunc(slices.Clone(h.b.pre), is)
	h.b.post = slices.DeleteFunc(slices.Clone(h.b.post), is)
}

func (b *Base) hooked(m Layer, x *torch.Tensor) *torch.Tensor {
	for _, h := range b.pre {
		if r := h.pre(m, x); r != nil {
			x = r
		}
	}
	y := m.Forward(x)
	for _, h := range b.post {
		if r := h.post(m, x, y); r != nil {
			y = r
		}
	}
	return y
}
