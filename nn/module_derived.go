package nn

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// derivedTensors are the tensors of a module that are computed on each call.
type derivedTensors struct {
	list    []*derivedTensor
	running sync.Mutex // locked while a call uses the derived tensors in the fields
}

// derivedTensor is a derived tensor, or a former one whose name may become a
// parameter again.
type derivedTensor struct {
	name   string
	fn     func(m Module) *torch.Tensor // nil if it is no longer derived
	slot   **torch.Tensor
	field  bool             // slot is a field of a layer of this package
	fields []**torch.Tensor // fields of the program's modules that held the tensor before Derive
}

func (d *derivedTensor) set(t *torch.Tensor) {
	*d.slot = t
	for _, f := range d.fields {
		*f = t
	}
}

// mustBeVacant panics if the program has assigned a tensor to a field that is reserved
// for the derived tensor.
func (d *derivedTensor) mustBeVacant() {
	taken := d.fn != nil && *d.slot != nil
	for _, f := range d.fields {
		taken = taken || d.fn != nil && *f != nil
	}
	if taken {
		panic(torch.NewError("Forward", torch.ErrValue, d.name,
			fmt.Sprintf("the program has set this field, but each call computes %q again: change its inputs, "+
				"as parametrize.Set does, or first stop computing it, with parametrize.Remove or prune.Remove",
				d.name)))
	}
}

// findDerived returns the derived tensor with that name, or nil.
func (b *Base) findDerived(name string) *derivedTensor {
	if b.derived != nil {
		for _, d := range b.derived.list {
			if d.name == name {
				return d
			}
		}
	}
	return nil
}

// IsDerived reports whether [Base.Derive] was called for the name.
func (b *Base) IsDerived(name string) bool {
	b.mustBeInitialized("IsDerived")
	return b.isDerived(name)
}

func (b *Base) isDerived(name string) bool {
	d := b.findDerived(name)
	return d != nil && d.fn != nil
}

// Derive makes every Forward of the module first call fn, and use its result as the
// tensor with that name. Use it for weights that are computed from other parameters, as
// in nn/parametrize and nn/prune.
//
// Derive removes the parameter or buffer with that name from the module and returns it.
// The caller then owns it and may register it under a different name. The field that held
// it, such as l.Weight, holds fn's result while Forward and its hooks run, and is nil at
// other times. If the program has assigned to the field meanwhile, Forward panics with
// ErrValue.
//
// fn receives the module, so it also works on copies made by [DeepCopy]. Its result
// belongs to the innermost scope, and Forward frees it if nothing else owns it. Forward
// calls of a module with derived tensors run one at a time.
//
// A nil fn ends the derivation: RegisterParameter and RegisterBuffer may then use the
// name again. Derive panics with ErrValue for a name that is empty, contains a dot or
// belongs to a child. Python uses a property or a forward pre-hook instead.
func (b *Base) Derive(name string, fn func(m Module) *torch.Tensor) *torch.Tensor {
	const op = "Derive"
	b.mustBeInitialized(op)
	b.mustNotBeScript(op, name, "reads its own tensors")
	switch d := b.findDerived(name); {
	case d != nil:
		d.fn = fn
		b.updateHookFlag()
		return nil
	case fn == nil:
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q is not derived", name)))
	}
	d := &derivedTensor{name: name, fn: fn, slot: new(*torch.Tensor)}
	entries := &b.params
	if b.param(name) == nil {
		entries = &b.buffers
	}
	e := findEntry(*entries, name)
	var old *torch.Tensor
	if e == nil {
		b.mustAcceptName(op, name, kindParameter)
	} else {
		if b.hasFlag(flagUser) {
			b.mustHaveRegisteredFields()
		}
		d.slot, d.field, old = e.slot, e.field, *e.slot
		if list := b.fieldRecord.Load(); list != nil {
			for _, h := range list.tensors {
				if h.slot == e.slot && *h.field == old {
					d.fields = append(d.fields, h.field)
				}
			}
		}
		*entries = slices.DeleteFunc(slices.Clone(*entries), func(e entry) bool { return e.name == name })
		b.paramAt, b.bufferAt = nil, nil
	}
	if b.derived == nil {
		b.derived = new(derivedTensors)
	}
	b.derived.list = append(b.derived.list, d)
	d.set(nil)
	b.noteChange()
	b.updateHookFlag()
	return old
}

// Derived computes the tensor of a name passed to [Base.Derive], as reading m.weight
// does in Python. The result belongs to the innermost scope unless something else
// owns it. It panics with ErrValue for any other name.
func (b *Base) Derived(name string) *torch.Tensor {
	b.mustBeInitialized("Derived")
	if d := b.findDerived(name); d != nil && d.fn != nil {
		return d.fn(b.self)
	}
	panic(torch.NewError("Derived", torch.ErrValue, "name", fmt.Sprintf("%q is not derived", name)))
}

// takeFormer ends the derivation of the tensor with that name. It assigns t to the slot
// and the fields of the derived tensor, and returns an entry for t, or false if the
// name was never derived.
func (b *Base) takeFormer(name string, t *torch.Tensor) (entry, bool) {
	d := b.findDerived(name)
	if d == nil {
		return entry{}, false
	}
	d.set(t)
	b.derived.list = slices.DeleteFunc(b.derived.list, func(o *derivedTensor) bool { return o == d })
	return entry{name: name, slot: d.slot, field: d.field}, true
}

func (d *derivedTensors) isEmpty() bool {
	return d == nil || !slices.ContainsFunc(d.list, func(d *derivedTensor) bool { return d.fn != nil })
}

// withDerived runs fn, a call of the module, while the fields hold the derived
// tensors.
func (b *Base) withDerived(fn func() []*torch.Tensor) []*torch.Tensor {
	d := b.derived
	if own.InCall(d) { // the module calls itself: the fields already hold the tensors
		return fn()
	}
	return torch.TidyAll(func() []*torch.Tensor {
		own.BeginCall(d)
		d.running.Lock()
		defer d.running.Unlock()
		list := d.list
		for _, t := range list {
			t.mustBeVacant()
		}
		defer func() {
			for _, t := range list {
				if t.fn != nil {
					t.set(nil)
				}
			}
		}()
		for _, t := range list {
			if t.fn != nil {
				t.set(t.fn(b.self))
			}
		}
		return fn()
	})
}

// copyDerived copies a module's derived tensors to its copy.
func (c *copier) copyDerived(to, from *Base) {
	if from.derived == nil {
		return
	}
	to.derived = new(derivedTensors)
	for _, d := range from.derived.list {
		twin := &derivedTensor{name: d.name, fn: d.fn, field: d.field, slot: new(*torch.Tensor)}
		if d.field {
			twin.slot = sameField(to, from, d.slot)
		}
		for _, f := range d.fields {
			twin.fields = append(twin.fields, c.twin(reflect.ValueOf(f)).Interface().(**torch.Tensor))
		}
		to.derived.list = append(to.derived.list, twin)
	}
}
