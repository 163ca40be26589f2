package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Registration is the result type of [Base.As], an option of every constructor. It
// registers the new module as a child.
type Registration struct {
	opt.AnyLayer
	parent *Base
	name   string
}

// As is an option of layer constructors that registers the new layer with b under a
// name. Use it for layers that no field of the module holds:
//
//	layers["conv"] = nn.NewConv2d(1, 32, 3, n.As("conv"))
//
// If the name is in use, the new layer replaces the old child. It panics as
// [Base.Register] does. Follows the assignment self.conv = nn.Conv2d(1, 32, 3).
func (b *Base) As(name string) Registration {
	const op = "As"
	b.mustBeInitialized(op)
	b.mustAcceptName(op, name, kindModule)
	return Registration{parent: b, name: name}
}

func (r Registration) register(m Module) {
	if r.parent != nil {
		r.parent.Register(r.name, m)
	}
}

// Register makes m a child of b under a name. If the name is in use, m replaces the
// old child. It panics with ErrNil for a nil module. It panics with ErrValue if Init
// was not called on m, if m contains b, or if b is a script of torch/jit. It also
// panics with ErrValue for a name that is empty, contains a dot, or belongs to a
// parameter or buffer. Follows Module.register_module.
func (b *Base) Register(name string, m Module) {
	b.mustNotBeFieldList("Register")
	b.mustAdmit(name, m)
	b.putChild(name, m)
	delete(b.fromFields, name)
}

// mustNotBeFieldList panics if b is the list of a field, because reading the field again
// would undo the change.
func (b *Base) mustNotBeFieldList(op string) {
	if b != nil && b.listOf != "" {
		panic(torch.NewError(op, torch.ErrValue, "receiver",
			fmt.Sprintf("this list comes from the field n.%s: change the field instead", b.listOf)))
	}
}

// mustAdmit panics unless m can become the child with that name.
func (b *Base) mustAdmit(name string, m Module) {
	const op = "Register"
	b.mustBeInitialized(op)
	b.mustAcceptName(op, name, kindModule)
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", fmt.Sprintf("module %q is nil", name)))
	}
	c := baseOf(m)
	switch {
	case c == nil:
		panic(torch.NewError(op, torch.ErrNil, "m",
			fmt.Sprintf("module %q is a %s, and the layer that it embeds is nil", name, goName(m))))
	case c.self == nil:
		panic(torch.NewError(op, torch.ErrValue, "m",
			fmt.Sprintf("module %q, a %s, was never initialized: its constructor must call m.Init(m)", name,
				goName(m))))
	case !sameModule(c.self, m):
		panic(torch.NewError(op, torch.ErrValue, "m",
			fmt.Sprintf("module %q is a %s that embeds a %s: its constructor must call m.Init(m)", name, goName(m),
				goName(c.self))))
	case c == b:
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("module %q cannot be its own child", name)))
	}
	// m must not contain b. If b was never a child, no module contains it. Skipping the
	// search in this case makes building a tree take linear time.
	if b.name != "" && len(c.children) > 0 && c.isAbove(b) {
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("module %q contains this module", name)))
	}
}

// putChild makes m the child with that name.
func (b *Base) putChild(name string, m Module) {
	c := adoptChild(name, m)
	if i := b.childIndex(name); i >= 0 {
		b.children[i].Module.ModuleBase().noteReplacement(c)
		b.children[i].Module = m
	} else {
		b.children = append(b.children, NamedModule{name, m})
		b.childAt = b.childAt.withLast(len(b.children), func(i int) string { return b.children[i].Name })
	}
	b.noteChange()
}

// adoptChild records that m becomes the child with that name.
func adoptChild(name string, m Module) *Base {
	c := m.ModuleBase()
	if c.name == "" {
		c.name = name
	}
	// Write only if needed: other goroutines may be reading wrapper.
	if c.wrapper != nil {
		c.wrapper = nil
	}
	return c
}

// setChildren replaces the list of children, which may have been reordered or
// shortened.
func (b *Base) setChildren(list []NamedModule) {
	b.mustNotBeFieldList("ModuleList")
	b.children, b.childAt = list, nil
	b.noteChange()
}

func (b *Base) childIndex(name string) int {
	if b.childAt != nil {
		return b.childAt.indexOf(name)
	}
	return slices.IndexFunc(b.children, func(n NamedModule) bool { return n.Name == name })
}

// noteChange makes the next call check the fields again.
func (b *Base) noteChange() {
	if b.hasFlag(flagUser) {
		b.clearFlag(flagReady)
	}
}

type kind int

const (
	kindModule kind = iota
	kindParameter
	kindBuffer
)

func (b *Base) mustAcceptName(op, name string, k kind) {
	fail := func(why string) {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q %s", name, why)))
	}
	if name == "" {
		fail("is empty")
	}
	if strings.Contains(name, ".") {
		fail("holds a dot, which separates the names of a path")
	}
	if k != kindModule && b.childIndex(name) >= 0 {
		fail("is the name of a child")
	}
	if k != kindParameter && b.param(name) != nil {
		fail("is the name of a parameter")
	}
	if k != kindBuffer && b.buf(name) != nil {
		fail("is the name of a buffer")
	}
	if b.IsDerived(name) {
		fail("is derived by a function; call Derive(name, nil) to remove the function")
	}
	if why := b.whyNotInScript(name, k); why != "" {
		fail(why)
	}
}

// Unregister removes the child, parameter or buffer with that name from the module. It
// closes nothing. The field that a child came from becomes nil, and so do all fields that
// hold the parameter or buffer. It panics with ErrIndex if nothing has the name.
// Follows del m.name.
func (b *Base) Unregister(name string) {
	const op = "Unregister"
	b.mustBeInitialized(op)
	b.mustNotBeScript(op, name, "needs the child or tensor with this name")
	b.registerFields()
	if b.param(name) != nil || b.buf(name) != nil {
		b.Derive(name, func(Module) *torch.Tensor { return nil })
		b.Derive(name, nil)
		delete(b.fromFields, name)
		return
	}
	n := len(b.children)
	left := slices.DeleteFunc(slices.Clone(b.children), func(c NamedModule) bool { return c.Name == name })
	if len(left) == n {
		panic(torch.NewError(op, torch.ErrIndex, "name", fmt.Sprintf("there is no child, parameter or buffer %q",
			name)))
	}
	b.clearField(name)
	b.setChildren(left)
}
