package nn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unsafe"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// fieldTag is the key of the tag that says what a field is registered as: a name, or "-" for a
// field that is left alone.
const fieldTag = "torch"

// registering makes what registers the fields of modules one at a time: the first Forward of
// a module may run on several goroutines at once.
var registering sync.Mutex

// registerFields registers the modules and parameters that the fields of a program's module
// hold, and lists of modules, under the names of the fields. It does so each time that the
// module's children or parameters are asked for, so that what a program assigns to a field
// later takes the place of what was there.
func (b *Base) registerFields() {
	if !b.has(flagUser) {
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
	registering.Lock()
	defer registering.Unlock()
	r := registrar{b: b, v: v.Elem(), all: fields}
	for i := range fields {
		if at := fields[i].in(v.Elem()); at.IsValid() {
			r.field(&fields[i], at)
		}
	}
}

// childrenNow returns the children, those in fields among them.
func (b *Base) childrenNow() []NamedModule {
	b.registerFields()
	return b.children
}

// A registrar registers the fields of one module.
type registrar struct {
	b      *Base
	v      reflect.Value
	all    []moduleField
	inside map[*Base]bool // the modules of the tree, once somebody asked for them
}

func (r *registrar) field(f *moduleField, at reflect.Value) {
	switch f.kind {
	case oneModule:
		r.module(f, at)
	case oneTensor:
		r.tensor(f, at)
	case moduleList:
		r.modules(f, at)
	}
}

func (r *registrar) module(f *moduleField, at reflect.Value) {
	m, _ := reflect.TypeAssert[Module](at)
	if opt.IsNil(m) {
		r.forget(f)
		return
	}
	c := baseOf(m)
	switch {
	case c == nil:
		r.put(f, m) // which says what is wrong
	case c == r.b || c.self != nil && (c.self.ModuleBase() != c || !sameModule(c.self, m)):
		return // checkFields says what is wrong
	}
	old := r.b.child(f.name)
	switch {
	case old != nil && old.ModuleBase() == c:
		r.own(f)
	case old != nil && r.b.isField(f.name):
		r.put(f, m)
	case old == nil && !r.isOtherwise(c) && !r.replaces(f):
		r.put(f, m)
	}
}

// isOtherwise reports whether the module is a child that was registered by hand.
func (r *registrar) isOtherwise(c *Base) bool {
	return slices.ContainsFunc(r.b.children, func(n NamedModule) bool {
		return n.Module.ModuleBase() == c && !r.b.isField(n.Name)
	})
}

// replaces reports whether the field held a child that was registered by hand under another
// name, and that no field holds any more; checkHeld refuses that.
func (r *registrar) replaces(f *moduleField) bool {
	list := r.b.held.Load()
	return list != nil && slices.ContainsFunc(list.modules, func(h heldModule) bool {
		return h.path == f.path && r.b.isChild(h.name, h.child) && !r.b.isField(h.name) && !list.holds(h.child)
	})
}

// modules registers a list of modules as a ModuleList, as PyTorch's programs do by hand. The
// places of nil elements are left out. A list of what is registered elsewhere, such as in a
// Sequential, is none.
func (r *registrar) modules(f *moduleField, at reflect.Value) {
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
	case len(list) > 0 && r.b.child(f.name) == nil && !slices.ContainsFunc(list, func(n NamedModule) bool { return r.isInside(n.Module) }):
		r.putList(f, list, nil)
	}
}

// putList makes modules the list that the field holds, in the mode of the list before.
func (r *registrar) putList(f *moduleField, modules []NamedModule, before *ModuleList) {
	list := NewModuleList()
	for _, n := range modules {
		m := n.Module
		r.claim(f, func() { list.Register(n.Name, m) })
	}
	list.listOf = f.path
	if before != nil {
		list.eval = before.eval
	}
	r.put(f, list)
}

func (r *registrar) tensor(f *moduleField, at reflect.Value) {
	t := at.Interface().(*torch.Tensor)
	e := r.b.param(f.name)
	switch {
	case e != nil && e.field:
	case e != nil && *e.slot == t && t != nil:
		r.own(f)
	case e != nil && r.b.isField(f.name):
		if !e.borrowed && *e.slot != t {
			*e.slot = asParameter(r.b.TypeName(), "n."+f.path, t)
		}
	case e != nil || t == nil || t.IsClosed() || !own.IsParameter(t) || r.b.IsDerived(f.name) || r.b.hasParameter(t):
	default:
		r.claim(f, func() { r.b.RegisterParameter(f.name, t) })
		if r.isNear(at) {
			e := r.b.param(f.name)
			e.slot, e.field = at.Addr().Interface().(**torch.Tensor), true
		}
	}
}

// isNear reports whether a field lies in the struct that the Base is part of, so that it can
// be the place of a parameter.
func (r *registrar) isNear(at reflect.Value) bool {
	start, size := r.v.UnsafeAddr(), r.v.Type().Size()
	return at.UnsafeAddr()-start < size && uintptr(unsafe.Pointer(r.b))-start < size
}

// put makes m the child that the field holds.
func (r *registrar) put(f *moduleField, m Module) {
	r.claim(f, func() { r.b.Register(f.name, m) })
}

// claim registers what the field holds and notes that it is the field's. It panics as
// register does.
func (r *registrar) claim(f *moduleField, register func()) {
	if err := torch.Try(register); err != nil {
		e := err.(*torch.Error) //nolint:errorlint // Try returns no other
		why := e.Message
		if rest, ok := strings.CutPrefix(why, "argument "); ok {
			_, why, _ = strings.Cut(rest, ": ")
		}
		panic(torch.NewError(r.b.TypeName(), e.Kind, "n."+f.path, fmt.Sprintf("%s; a field with the tag `%s:\"-\"` is left alone", why, fieldTag)))
	}
	r.own(f)
}

// own notes that what is registered under the field's name is what the field holds.
func (r *registrar) own(f *moduleField) {
	if r.b.fields == nil {
		r.b.fields = map[string]bool{}
	}
	r.b.fields[f.name] = true
}

// forget takes away the child that a field held which is nil now.
func (r *registrar) forget(f *moduleField) {
	if r.b.isField(f.name) && r.b.child(f.name) != nil {
		delete(r.b.fields, f.name)
		r.b.setChildren(slices.DeleteFunc(slices.Clone(r.b.children), func(n NamedModule) bool { return n.Name == f.name }))
	}
}

// clearField sets the field to zero that the child of that name is registered for.
func (b *Base) clearField(name string) {
	if !b.isField(name) {
		return
	}
	delete(b.fields, name)
	v := reflect.ValueOf(b.self).Elem()
	for _, f := range moduleFieldsOf(v.Type()) {
		if at := f.in(v); f.name == name && at.IsValid() {
			at.SetZero()
		}
	}
}

// isInside reports whether m is registered by hand or below a module that is part of the tree,
// such as a Sequential. What fields hold themselves is not inside: each field is a name of it.
func (r *registrar) isInside(m Module) bool {
	if r.inside == nil {
		r.inside = map[*Base]bool{}
		for _, n := range r.b.children {
			c := n.Module.ModuleBase()
			switch {
			case !r.b.isField(n.Name):
				r.inside[c] = true
				r.noteBelow(c)
			case c.listOf != "":
				for _, e := range c.children {
					r.noteBelow(e.Module.ModuleBase())
				}
			default:
				r.noteBelow(c)
			}
		}
		for i := range r.all {
			f := &r.all[i]
			if at := f.in(r.v); f.kind == oneModule && at.IsValid() {
				if m, _ := reflect.TypeAssert[Module](at); !opt.IsNil(m) && baseOf(m) != nil {
					r.noteBelow(m.ModuleBase())
				}
			}
		}
	}
	return r.inside[baseOf(m)]
}

// noteBelow notes the modules below b as inside.
func (r *registrar) noteBelow(b *Base) {
	b.walkRegistered(func(below *Base) {
		if below != b {
			r.inside[below] = true
		}
	})
}

// isField reports whether the child or parameter of that name is what a field holds.
func (b *Base) isField(name string) bool { return b.fields[name] }

// child returns the child of that name, or nil.
func (b *Base) child(name string) Module {
	if i := b.childIndex(name); i >= 0 {
		return b.children[i].Module
	}
	return nil
}

// isChild reports whether the child of that name is the module with that Base.
func (b *Base) isChild(name string, c *Base) bool {
	m := b.child(name)
	return m != nil && m.ModuleBase() == c
}

// hasParameter reports whether t is a parameter of b that was registered by its name.
func (b *Base) hasParameter(t *torch.Tensor) bool {
	return slices.ContainsFunc(b.params, func(e entry) bool { return *e.slot == t && !b.isField(e.name) })
}

// walkRegistered is walk over what is registered, whatever the fields hold by now.
func (b *Base) walkRegistered(fn func(b *Base)) {
	b.walkAs(listing{registered: true}, func(b *Base, _ *trail) { fn(b) })
}

// A moduleField is a field of a struct that may hold modules or parameters.
type moduleField struct {
	name  string // what it is registered as
	path  string // from the struct, in Go
	index []int
	kind  fieldKind
}

type fieldKind int

const (
	oneModule fieldKind = iota
	oneTensor
	moduleList
)

// in returns the field of a value of the struct, or nothing if it is in an embedded struct
// that is nil.
func (f *moduleField) in(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = exposed(v.Field(i))
	}
	return v
}

// moduleFields remembers what moduleFieldsOf found out.
var moduleFields sync.Map // reflect.Type to []moduleField

// moduleFieldsOf returns the fields of a struct, and of the structs that it embeds, that may
// hold modules or parameters. What an embedded layer of this package has is its own.
func moduleFieldsOf(t reflect.Type) []moduleField {
	if known, ok := moduleFields.Load(t); ok {
		return known.([]moduleField)
	}
	var list []moduleField
	met := map[reflect.Type]bool{}
	var each func(t reflect.Type, path string, index []int)
	each = func(t reflect.Type, path string, index []int) {
		if met[t] {
			return // it embeds itself
		}
		met[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			tag, tagged := f.Tag.Lookup(fieldTag)
			path, index := join(path, f.Name), append(slices.Clone(index), i)
			fail := func(why string) {
				panic(torch.NewError(t.String(), torch.ErrValue, "n."+path, fmt.Sprintf("has the tag `%s:%s`, %s", fieldTag, strconv.Quote(tag), why)))
			}
			kind, ok := kindOfField(f.Type)
			embedded := f.Anonymous && structIn(f.Type) != nil
			switch {
			case tag == "-":
			case embedded && tagged:
				fail("which has no effect: what is embedded is part of the struct")
			case embedded:
				if in := structIn(f.Type); in != baseType && in.PkgPath() != packagePath && !foreign(in) {
					each(in, path, index)
				}
			case ok:
				name := pythonName(f.Name)
				if tagged {
					name = tag
				}
				if name == "" || strings.Contains(name, ".") {
					fail("and a name is not empty and has no dot")
				}
				if at := slices.IndexFunc(list, func(o moduleField) bool { return o.name == name }); at >= 0 {
					panic(torch.NewError(t.String(), torch.ErrValue, "n."+path, fmt.Sprintf(
						"is registered as %q, and so is n.%s: give one of the fields a name of its own with a tag, such as `%s:\"%s2\"`",
						name, list[at].path, fieldTag, name)))
				}
				list = append(list, moduleField{name, path, index, kind})
			case tagged:
				fail(fmt.Sprintf("which has no effect: a %v is neither a module, a tensor, nor a list of modules", f.Type))
			}
		}
	}
	each(t, "", nil)
	moduleFields.Store(t, list)
	return list
}

// holdsModule reports whether a value of the type is a module, or nil.
func holdsModule(t reflect.Type) bool {
	return (t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) && t.Implements(moduleType)
}

func kindOfField(t reflect.Type) (fieldKind, bool) {
	list := t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	switch {
	case t == tensorType:
		return oneTensor, true
	case holdsModule(t):
		return oneModule, true
	case list && holdsModule(t.Elem()):
		return moduleList, true
	}
	return 0, false
}

// structIn returns t if it is a struct, and what it points to if that is one.
func structIn(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// words are those that PyTorch writes as one and that have capitals inside. It is constant.
var words = strings.NewReplacer("ReLU", "Relu", "SiLU", "Silu")

// pythonName returns the name of a field in Python's case: LayerNorm is layer_norm, FC1 is
// fc1, lmHead is lm_head, Conv2D is conv2d, and ReLU is relu.
func pythonName(field string) string {
	var b strings.Builder
	letters := []rune(words.Replace(field))
	for i, c := range letters {
		if unicode.IsUpper(c) && i > 0 && letters[i-1] != '_' {
			before, next := letters[i-1], i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if unicode.IsLower(before) || next {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
