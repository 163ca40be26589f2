package nn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// fieldsMutex guards the children, parameters and fromFields of all modules while fields
// are read, because several goroutines may run the first Forward of a module at the same
// time. Afterwards Forward reads them without the mutex: reading the fields again changes
// them only if a field has changed, and a program must not assign to fields while a
// Forward runs.
var fieldsMutex sync.Mutex

// registerFields registers the modules, lists of modules and parameters in the fields
// of a program's module, under the fields' names. It runs each time children or
// parameters are listed, so a later assignment to a field takes effect.
func (b *Base) registerFields() {
	if !b.hasFlag(flagUser) {
		return
	}
	v := reflect.ValueOf(b.self)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	fields := moduleFieldsOf(v.Type().Elem())
	if len(fields) == 0 {
		return
	}
	fieldsMutex.Lock()
	defer fieldsMutex.Unlock()
	r := registrar{b: b, v: v.Elem(), all: fields}
	for i := range fields {
		if at := fields[i].valueIn(v.Elem()); at.IsValid() {
			r.read(&fields[i], at)
		}
	}
}

// currentChildren returns the children, including those in fields.
func (b *Base) currentChildren() []NamedModule {
	b.registerFields()
	return b.children
}

// registrar registers the fields of one module.
type registrar struct {
	b     *Base
	v     reflect.Value
	all   []moduleField
	below map[*Base]bool // the modules that isHeldElsewhere finds; nil before its first call
}

func (r *registrar) read(f *moduleField, at reflect.Value) {
	switch f.kind {
	case oneModule:
		r.readModule(f, at)
	case oneTensor:
		r.readTensor(f, at)
	case moduleList:
		r.readList(f, at)
	}
}

func (r *registrar) readModule(f *moduleField, at reflect.Value) {
	m, _ := reflect.TypeAssert[Module](at)
	if opt.IsNil(m) {
		r.removeChild(f)
		return
	}
	c := baseOf(m)
	switch {
	case c == nil:
		r.registerChild(f, m) // reports the error
		return
	case r.isSelfOrCopy(m, c):
		return // mustHaveRegisteredFields reports the error
	}
	old := r.b.child(f.name)
	switch {
	case old != nil && old.ModuleBase() == c:
		r.markField(f)
	case old != nil && r.b.isFromField(f.name):
		r.registerChild(f, m)
	case old == nil && !r.isExplicitChild(c) && !r.replacesExplicitChild(f):
		r.registerChild(f, m)
	}
}

// isSelfOrCopy reports whether m, whose Base is c, is the module itself, a by-value copy
// of another module, or a module that another module embeds.
func (r *registrar) isSelfOrCopy(m Module, c *Base) bool {
	return c == r.b || c.self != nil && (c.self.ModuleBase() != c || !sameModule(c.self, m))
}

// isExplicitChild reports whether the module is a child that was registered explicitly.
func (r *registrar) isExplicitChild(c *Base) bool {
	return slices.ContainsFunc(r.b.children, func(n NamedModule) bool {
		return n.Module.ModuleBase() == c && !r.b.isFromField(n.Name)
	})
}

// replacesExplicitChild reports whether the field held a child that was registered
// explicitly under a different name and that no field holds any more. mustHoldRegistered
// reports such a field as an error.
func (r *registrar) replacesExplicitChild(f *moduleField) bool {
	list := r.b.fieldRecord.Load()
	return list != nil && slices.ContainsFunc(list.modules, func(h heldModule) bool {
		return h.path == f.path && r.b.isChild(h.name, h.child) && !r.b.isFromField(h.name) && !list.stillHolds(h.child)
	})
}

// readList registers a list of modules as a ModuleList. Nil elements are skipped. If
// one of the modules is registered elsewhere, for example in a Sequential, readList
// does not register the list.
func (r *registrar) readList(f *moduleField, at reflect.Value) {
	var list []NamedModule
	for i := range at.Len() {
		if m, _ := reflect.TypeAssert[Module](at.Index(i)); !opt.IsNil(m) {
			list = append(list, NamedModule{strconv.Itoa(i), m})
		}
	}
	old, _ := r.b.child(f.name).(*ModuleList)
	switch {
	case old != nil && old.listOf != "":
		if !slices.EqualFunc(old.children, list, sameChild) {
			r.putList(f, list, old)
		}
	case len(list) > 0 && r.b.child(f.name) == nil &&
		!slices.ContainsFunc(list, func(n NamedModule) bool { return r.isHeldElsewhere(n.Module) }):
		r.putList(f, list, nil)
	}
}

// putList registers modules as the list of the field. The new list keeps the mode of
// the previous list.
func (r *registrar) putList(f *moduleField, modules []NamedModule, before *ModuleList) {
	list := NewModuleList()
	for _, n := range modules {
		m := n.Module
		r.registerField(f, func() { list.Register(n.Name, m) })
	}
	list.listOf = f.path
	if before != nil {
		list.eval = before.eval
	}
	r.registerChild(f, list)
}

func (r *registrar) readTensor(f *moduleField, at reflect.Value) {
	t := at.Interface().(*torch.Tensor)
	switch e := r.b.param(f.name); {
	case e == nil:
		r.addTensor(f, at, t)
	case e.field: // the field itself is the parameter's slot
	case *e.slot == t:
		if t != nil {
			r.markField(f)
		}
	case r.b.isFromField(f.name) && !e.borrowed:
		*e.slot = asParameter(r.b.TypeName(), "n."+f.path, t)
	}
}

// addTensor registers the tensor of a field if it is a parameter that is not registered yet.
func (r *registrar) addTensor(f *moduleField, at reflect.Value, t *torch.Tensor) {
	if t == nil || t.IsClosed() || !own.IsParameter(t) || r.b.IsDerived(f.name) || r.b.hasParameter(t) {
		return
	}
	r.registerField(f, func() { r.b.RegisterParameter(f.name, t) })
	if r.isInSameStruct(at) {
		e := r.b.param(f.name)
		e.slot, e.field = at.Addr().Interface().(**torch.Tensor), true
	}
}

// isInSameStruct reports whether a field is in the struct that contains the Base, so that it
// can be a parameter's slot.
func (r *registrar) isInSameStruct(at reflect.Value) bool {
	start, size := r.v.UnsafeAddr(), r.v.Type().Size()
	return at.UnsafeAddr()-start < size && uintptr(unsafe.Pointer(r.b))-start < size
}

// registerChild makes m the child that the field holds.
func (r *registrar) registerChild(f *moduleField, m Module) {
	r.registerField(f, func() { r.b.Register(f.name, m) })
}

// registerField registers the field's value and records that it came from the field. It
// panics as register does.
func (r *registrar) registerField(f *moduleField, register func()) {
	if err := torch.Try(register); err != nil {
		e := err.(*torch.Error) //nolint:errorlint // Try returns no other
		why := e.Message
		if rest, ok := strings.CutPrefix(why, "argument "); ok {
			_, why, _ = strings.Cut(rest, ": ")
		}
		panic(torch.NewError(r.b.TypeName(), e.Kind, "n."+f.path,
			fmt.Sprintf("%s; a field with the tag `%s:\"-\"` is left alone", why, fieldTag)))
	}
	r.markField(f)
}

// markField records that the entry under the field's name came from the field.
func (r *registrar) markField(f *moduleField) {
	if r.b.fromFields == nil {
		r.b.fromFields = map[string]bool{}
	}
	r.b.fromFields[f.name] = true
}

// removeChild removes the child of a field that is now nil.
func (r *registrar) removeChild(f *moduleField) {
	if r.b.isFromField(f.name) && r.b.child(f.name) != nil {
		delete(r.b.fromFields, f.name)
		r.b.setChildren(slices.DeleteFunc(slices.Clone(r.b.children),
			func(n NamedModule) bool { return n.Name == f.name }))
	}
}

// clearField sets to nil the field that the child with that name came from.
func (b *Base) clearField(name string) {
	if !b.isFromField(name) {
		return
	}
	delete(b.fromFields, name)
	v := reflect.ValueOf(b.self).Elem()
	for _, f := range moduleFieldsOf(v.Type()) {
		if at := f.valueIn(v); f.name == name && at.IsValid() {
			at.SetZero()
		}
	}
}

// isHeldElsewhere reports whether m is registered explicitly or below a module of the
// tree, such as a Sequential. Modules that fields hold directly do not count: each of
// these fields gives the module its own name.
func (r *registrar) isHeldElsewhere(m Module) bool {
	if r.below == nil {
		r.below = map[*Base]bool{}
		for _, n := range r.b.children {
			c := n.Module.ModuleBase()
			switch {
			case !r.b.isFromField(n.Name):
				r.below[c] = true
				r.addBelow(c)
			case c.listOf != "":
				for _, e := range c.children {
					r.addBelow(e.Module.ModuleBase())
				}
			default:
				r.addBelow(c)
			}
		}
		for i := range r.all {
			f := &r.all[i]
			if at := f.valueIn(r.v); f.kind == oneModule && at.IsValid() {
				if m, _ := reflect.TypeAssert[Module](at); !opt.IsNil(m) && baseOf(m) != nil {
					r.addBelow(m.ModuleBase())
				}
			}
		}
	}
	return r.below[baseOf(m)]
}

// addBelow records the modules below b.
func (r *registrar) addBelow(b *Base) {
	b.walkRegistered(func(below *Base) {
		if below != b {
			r.below[below] = true
		}
	})
}

// isFromField reports whether the child or parameter with that name came from a field.
func (b *Base) isFromField(name string) bool { return b.fromFields[name] }

// child returns the child with that name, or nil.
func (b *Base) child(name string) Module {
	if i := b.childIndex(name); i >= 0 {
		return b.children[i].Module
	}
	return nil
}

// isChild reports whether the child with that name is the module with that Base.
func (b *Base) isChild(name string, c *Base) bool {
	m := b.child(name)
	return m != nil && m.ModuleBase() == c
}

// hasParameter reports whether t is a parameter of b that was registered explicitly.
func (b *Base) hasParameter(t *torch.Tensor) bool {
	return slices.ContainsFunc(b.params, func(e entry) bool { return *e.slot == t && !b.isFromField(e.name) })
}

// walkRegistered calls fn for b and the registered modules below it, without reading
// the fields.
func (b *Base) walkRegistered(fn func(b *Base)) {
	b.walkAs(listing{registered: true}, func(b *Base, _ *trail) { fn(b) })
}
