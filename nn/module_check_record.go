package nn

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// fieldRecord records the fields of a struct that held registered modules and tensors
// at the last check. It omits the fields of this package's layers: the entries of their
// parameters point to the fields, so the two cannot differ.
type fieldRecord struct {
	tensors []heldTensor
	modules []heldModule
}

type heldTensor struct {
	path  string
	field **torch.Tensor
	slot  **torch.Tensor // the slot of the parameter or buffer
	name  string
	kind  string
}

type heldModule struct {
	path  string
	field reflect.Value
	child *Base
	name  string
}

// stillHolds reports whether any recorded field still holds child.
func (l *fieldRecord) stillHolds(child *Base) bool {
	return slices.ContainsFunc(l.modules, func(h heldModule) bool { return h.child == child && h.current() == child })
}

// current returns the Base of the module that the field holds at present, or nil.
func (h *heldModule) current() *Base {
	if m, ok := reflect.TypeAssert[Module](h.field); ok && !opt.IsNil(m) {
		return baseOf(m)
	}
	return nil
}

func (c *fieldChecker) recordTensor(v reflect.Value, t *torch.Tensor, path string) {
	if !v.CanAddr() {
		return
	}
	field := v.Addr().Interface().(**torch.Tensor)
	note := func(entries []entry, kind string) {
		for _, e := range entries {
			if !e.field && *e.slot == t {
				c.record.tensors = append(c.record.tensors, heldTensor{path, field, e.slot, e.name, kind})
			}
		}
	}
	note(c.b.params, "Parameter")
	note(c.b.buffers, "Buffer")
}

func (c *fieldChecker) recordModule(v reflect.Value, m *Base, path string) {
	if !v.CanAddr() {
		return
	}
	for _, name := range c.modules[m] {
		c.record.modules = append(c.record.modules, heldModule{path, v, m, name})
	}
}

// mustHoldRegistered panics with ErrValue if a field that held a registered tensor or
// layer was reassigned: Forward would use the new value, and everything else the old
// one. It does not panic if another field still holds the registered value.
func (b *Base) mustHoldRegistered() {
	list := b.fieldRecord.Load()
	if list == nil {
		return
	}
	for _, h := range list.tensors {
		t := *h.slot
		if *h.field == t || t.IsClosed() ||
			slices.ContainsFunc(list.tensors, func(o heldTensor) bool { return o.slot == h.slot && *o.field == t }) {
			continue
		}
		b.panicReplaced(h.path,
			fmt.Sprintf("the tensor registered as %q, and only that tensor is trained, moved and saved: assign the "+
				"new one with n.%s = n.Register%s(%q, t)", h.name, h.path, h.kind, h.name))
	}
	for i := range list.modules {
		h := &list.modules[i]
		if now := h.current(); now == nil || now == h.child || b.isChild(h.name, now) || list.stillHolds(h.child) {
			continue
		}
		b.panicReplaced(h.path,
			fmt.Sprintf("the module registered as %q, and only that module is trained, moved and saved: pass "+
				"n.As(%q) to the constructor of the new one, or call n.Register(%q, n.%s)", h.name, h.name, h.name,
				h.path))
	}
}

func (b *Base) panicReplaced(path, by string) {
	panic(torch.NewError(b.TypeName(), torch.ErrValue, "n."+path, "is no longer "+by))
}
