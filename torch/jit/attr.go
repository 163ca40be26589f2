package jit

import (
	"fmt"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Attributes returns the names of the module's attributes except its parameters, buffers
// and submodules. They are its constants, and attributes that hold numbers, strings, lists
// and other Python values.
func (m *Module) Attributes() []string {
	m.mustBeMade("jit.Module.Attributes")
	return slices.Clone(m.others)
}

// Attr returns an attribute of the module: a parameter or buffer as a tensor, a module as a
// *Module, or any other value as the Go value that a method would return for it. Lists and
// dicts are copies. It panics with ErrValue if there is no such attribute, and with
// ErrClosed after Close. Follows getattr(m, name).
func (m *Module) Attr(name string) any {
	const op = "jit.Module.Attr"
	m.enter(op, false)
	defer m.leave(false)
	if i := slices.Index(m.names, name); i >= 0 {
		return m.tensors[i]
	}
	for _, c := range m.Children() {
		if c.Name == name {
			return c.Module
		}
	}
	r := torch.BeginRaw(op)
	out, st := native.Attr(r.Ctx, m.h, name)
	attributed(op, name, func() { r.Status(st) })
	d := decoder{words: out.Words, tensors: r.WrapAll(out.Tensors), shared: m.shared}
	return d.value()
}

// SetAttr sets an attribute to a value that a method would accept for its type. A tensor
// that replaces a parameter or buffer leaves all scopes and belongs to the module. SetAttr
// does not change whether the tensor requires a gradient, so pass an [nn.NewParameter] for
// a parameter to be trained. "training" sets the mode of this module only; Train and Eval
// also set the modes of its submodules. It panics with ErrType for a value of the wrong
// type, with ErrValue for a missing attribute, a constant or a module, and with ErrClosed
// after Close. Follows setattr(m, name, value).
func (m *Module) SetAttr(name string, value any) {
	const op = "jit.Module.SetAttr"
	e := encoder{op: op}
	e.value(value, 0, func() string { return "value" })
	m.enter(op, true)
	if on, ok := value.(bool); ok && name == "training" && slices.Contains(m.others, name) {
		m.leave(true)
		m.setTraining(on)
		return
	}
	defer m.leave(true)
	if m.Get(name) != nil {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q is a module", name)))
	}
	i := slices.Index(m.names, name)
	t, _ := value.(*torch.Tensor)
	if i >= 0 && t == nil {
		panic(torch.NewError(op, torch.ErrType, "value", fmt.Sprintf("%q is a tensor", name)))
	}
	if i >= 0 && m.params[i] && !t.IsLeaf() {
		panic(torch.NewError(op, torch.ErrAutograd, "value",
			"a parameter must not be computed from other tensors; use Detach"))
	}
	if len(e.objects) > 0 {
		defer hold(op, e.objects, false)()
	}
	hs := torch.Handles(op, e.tensors, true)
	r := torch.BeginRaw(op)
	r.Use(e.tensors...)
	st := native.SetAttr(r.Ctx, m.h, name, e.words, hs)
	attributed(op, name, func() { r.Status(st) })
	if i >= 0 {
		m.replace(i, t)
	}
	m.shared.changes.Add(1)
}

// setTraining sets the mode of this module and keeps the modes of its submodules.
func (m *Module) setTraining(on bool) {
	below := nn.Modules(m)[1:] // lists parents before their children
	modes := make([]bool, len(below))
	for i, l := range below {
		modes[i] = l.ModuleBase().Training()
	}
	m.SetTraining(on)
	for i, l := range below {
		l.ModuleBase().SetTraining(modes[i])
	}
}

func attributed(op, name string, end func()) {
	e, ok := torch.Try(end).(*torch.Error) //nolint:errorlint // Try returns no other
	switch {
	case !ok:
	case strings.Contains(e.Message, "does not have a field"), strings.Contains(e.Message, "has no attribute"):
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("no attribute %.80q", name)))
	case strings.HasPrefix(e.Message, "Can't set constant"):
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%.80q is a constant", name)))
	case strings.HasPrefix(e.Message, "Expected a value of type"):
		e.Kind = torch.ErrType
		panic(e)
	default:
		panic(e)
	}
}
