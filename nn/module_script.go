package nn

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/torch"
)

// A script is a module of torch/jit or torch/export. It runs a program of Python's, which
// determines its tensors and children.

// mustNotBeScript panics with ErrValue if the module is a script: its program would not see the
// change.
func (b *Base) mustNotBeScript(op, name, what string) {
	if script.Of(b.self) != nil {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q: the %s", name, explainScript(b, what))))
	}
}

func explainScript(b *Base, what string) string {
	o := script.Of(b.self).Origin()
	return fmt.Sprintf("%s is %s, and its program %s: change the module in Python before %s, or wrap it in a Go module",
		b.TypeName(), o.Noun, what, o.Function)
}

// whyNotInScript returns the reason why a script cannot have a child or tensor with a new
// name, or "".
func (b *Base) whyNotInScript(name string, k kind) string {
	switch p := script.Of(b.self); {
	case p == nil:
	case k == kindModule && p.Made():
		return "cannot be registered: the " + explainScript(b, "calls only its own children")
	case k != kindModule && p.Slot(name) == nil:
		return "cannot be registered: the " + explainScript(b, "has no tensor with this name")
	}
	return ""
}

// newSlot returns where a new tensor with that name is stored, and stores t there.
func (b *Base) newSlot(name string, t *torch.Tensor) **torch.Tensor {
	if p := script.Of(b.self); p != nil {
		s := p.Slot(name)
		*s = t
		return s
	}
	return &t
}

// scriptAt returns the script that the pointer v refers to, or nil. It ignores
// embedded scripts.
func scriptAt(v reflect.Value) *Base {
	m, ok := v.Interface().(script.Module)
	if !ok {
		return nil
	}
	p := m.Script()
	if p == nil || reflect.ValueOf(p).Pointer() != v.Pointer() {
		return nil
	}
	return v.Interface().(Module).ModuleBase()
}

// copyScripts makes each script copy itself. A script within another is copied with
// it.
func (c *copier) copyScripts() {
	for b, r := range c.scripts {
		whole := true
		for o := range c.scripts {
			whole = whole && (o == b || !o.isAbove(b))
		}
		if !whole {
			continue
		}
		b.walkAs(listing{}, func(b *Base, at *trail) {
			for _, n := range parametersOf(b, buffersOf(b, nil)) {
				c.mustBeCopiable(n.Tensor, join(r.path, at.join(n.Name)))
			}
		})
		twin := script.Of(b.self).Copy("DeepCopy").(Module)
		c.scriptCopies = append(c.scriptCopies, twin)
		c.pairScripts(b, twin)
	}
}

// pairScripts matches the parts of a script with the parts of its copy.
func (c *copier) pairScripts(from *Base, twin Module) {
	to, r := twin.ModuleBase(), c.scripts[from]
	if r.to.IsValid() { // already paired: two modules share this child
		return
	}
	r.to = reflect.ValueOf(twin).Elem()
	tensors := func(from, to []entry) {
		for i := range from {
			t, s := *from[i].slot, to[i].slot
			if known, ok := c.tensors[t]; ok {
				if known != *s { // another script holds the tensor too
					_ = (*s).Close()
					*s = known
				}
				continue
			}
			c.tensors[t] = *s
			copyGrad(*s, t)
		}
	}
	tensors(from.params, to.params)
	tensors(from.buffers, to.buffers)
	for i, n := range from.children {
		c.pairScripts(n.Module.ModuleBase(), to.children[i].Module)
	}
}

// fillScript gives the copy of a script its Go state: hooks, names and the struct that
// embeds it.
func (c *copier) fillScript(to, from *Base, path string) {
	to.self = c.clone(reflect.ValueOf(from.self), path).Interface().(Module)
	for i := range from.params {
		own.Parameter(*to.params[i].slot)
	}
	for i, e := range from.buffers {
		to.buffers[i].transient = e.transient
	}
	c.copySettings(to, from)
}
