package nn

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// held records the fields of a struct that held registered modules and tensors at the
// last check. It omits the fields of this package's layers, which are entries
// themselves.
type held struct {
	tensors []heldTensor
	modules []heldModule
}

type heldTensor struct {
	path  string
	field **torch.Tensor
	slot  **torch.Tensor // of the entry
	name  string
	kind  string
}

type heldModule struct {
	path  string
	field reflect.Value
	child *Base
	name  string
}

// holds reports whether one of the fields still holds the module.
func (l *held) holds(child *Base) bool {
	return slices.ContainsFunc(l.modules, func(h heldModule) bool { return h.child == child && h.now() == child })
}

// now returns the Base of the module that the field holds at present, or nil.
func (h *heldModule) now() *Base {
	if m, ok := reflect.TypeAssert[Module](h.field); ok && !opt.IsNil(m) {
		return baseOf(m)
	}
	return nil
}

func (c *fieldCheck) holdTensor(v reflect.Value, t *torch.Tensor, path string) {
	if !v.CanAddr() {
		return
	}
	field := v.Addr().Interface().(**torch.Tensor)
	note := func(entries []entry, kind string) {
		for _, e := range entries {
			if !e.field && *e.slot == t {
				c.held.tensors = append(c.held.tensors, heldTensor{path, field, e.slot, e.name, kind})
			}
		}
	}
	note(c.b.params, "Parameter")
	note(c.b.buffers, "Buffer")
}

func (c *fieldCheck) holdModule(v reflect.Value, m *Base, path string) {
	if !v.CanAddr() {
		return
	}
	for _, name := range c.modules[m] {
		c.held.modules = append(c.held.modules, heldModule{path, v, m, name})
	}
}

// checkHeld panics with ErrValue if a field that held a registered tensor or layer
// was reassigned: Forward would use the new one, and everything else the old one. A
// second field that held it for a while does not count.
func (b *Base) checkHeld() {
	list := b.held.Load()
	if list == nil {
		return
	}
	for _, h := range list.tensors {
		t := *h.slot
		if *h.field == t || t.IsClosed() ||
			slices.ContainsFunc(list.tensors, func(o heldTensor) bool { return o.slot == h.slot && *o.field == t }) {
			continue
		}
		b.replaced(h.path,
			fmt.Sprintf("the tensor that is registered as %q, which is what is trained, moved and saved: assign it "+
				"with n.%s = n.Register%s(%q, t)", h.name, h.path, h.kind, h.name))
	}
	for i := range list.modules {
		h := &list.modules[i]
		if now := h.now(); now == nil || now == h.child || b.isChild(h.name, now) || list.holds(h.child) {
			continue
		}
		b.replaced(h.path,
			fmt.Sprintf("the module that is registered as %q, which is what is trained, moved and saved: pass "+
				"n.As(%q) to the constructor of the new one, or call n.Register(%q, n.%s)", h.name, h.name, h.name,
				h.path))
	}
}

func (b *Base) replaced(path, by string) {
	panic(torch.NewError(b.TypeName(), torch.ErrValue, "n."+path, "is no longer "+by))
}
