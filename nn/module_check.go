package nn

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// prepare runs on the first call and after each registration. It panics if Init was
// not called or a field is not registered.
func (b *Base) prepare(op string) {
	b.initialized(op)
	if b.has(flagReady) && (!b.has(flagUser) || b.checked.Load() == replacements.Load()) {
		return
	}
	b.checkFields()
	b.set(flagReady)
}

// checkTree checks all modules of a tree. It checks the program's modules every time,
// since their fields may have changed.
func (b *Base) checkTree(op string) {
	b.initialized(op)
	if substituting.Load() != 0 {
		b.checkTurn()
	}
	b.walk(func(b *Base) {
		if b.self == nil {
			return
		}
		if b.has(flagReady) { // before checkFields clears the record of the fields
			b.checkHeld()
		}
		if b.has(flagUser) {
			b.checkFields()
			b.set(flagReady)
		} else {
			b.prepare("")
		}
	})
}

// checkFields panics with ErrValue if a field holds an unregistered module or
// parameter, because it would not be trained, moved or saved. It looks through
// pointers, slices, maps, interfaces and structs. It skips fields tagged torch:"-"
// and types without fields, such as those of an interpreter.
func (b *Base) checkFields() {
	b.checked.Store(replacements.Load())
	v := reflect.ValueOf(b.self)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	b.registerFields()
	c := fieldCheck{
		b: b, modules: map[*Base][]string{b: nil}, tensors: map[*torch.Tensor]bool{},
		seen: map[place]bool{placeOf(v): true},
	}
	c.has(b)
	for _, n := range b.children {
		below := n.Module.ModuleBase()
		c.modules[below] = append(c.modules[below], n.Name)
		c.has(below)
	}
	c.all(v.Elem())
	list := c.held // only the list: c keeps tensors alive
	b.held.Store(&list)
}

// has records the tensors of a module.
func (c *fieldCheck) has(b *Base) {
	for _, e := range b.params {
		c.tensors[*e.slot] = true
	}
	for _, e := range b.buffers {
		c.tensors[*e.slot] = true
	}
}

// deepen records the modules below the children. Fields seldom hold them, so modules
// in modules are checked in linear time.
func (c *fieldCheck) deepen() {
	if c.deep {
		return
	}
	c.deep = true
	c.b.walk(func(b *Base) {
		if _, ok := c.modules[b]; !ok {
			c.modules[b] = nil
			c.has(b)
		}
	})
}

// isBelow reports whether b is part of the tree.
func (c *fieldCheck) isBelow(b *Base) bool {
	if _, ok := c.modules[b]; ok {
		return true
	}
	c.deepen()
	_, ok := c.modules[b]
	return ok
}

// isRegistered reports whether a module of the tree has registered t.
func (c *fieldCheck) isRegistered(t *torch.Tensor) bool {
	if c.tensors[t] {
		return true
	}
	c.deepen()
	return c.tensors[t]
}

// all checks the fields of a struct and everything reachable from them.
func (c *fieldCheck) all(v reflect.Value) {
	c.fields(v, "")
	// Uses a queue, because recursion over a long linked list could overflow the
	// stack.
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.in = next.in
		c.inside(next.v, next.path)
	}
}

type fieldCheck struct {
	b       *Base
	modules map[*Base][]string // the modules of the tree, with their children's names
	tensors map[*torch.Tensor]bool
	deep    bool           // modules is complete, not only b and its children
	seen    map[place]bool // visited places, since values can contain themselves
	queue   []pathValue
	held    held
	in      string // "List" in a slice or array, "Dict" in a map

	find       *Base                 // if not nil, record the holders of this module and check nothing
	found      []holdingField        // the fields that hold it
	setElement func(m reflect.Value) // assigns the element of a map
	copied     bool                  // the value is a copy, which cannot be assigned to
}

type pathValue struct {
	v    reflect.Value
	path string
	in   string
}

// place identifies what a pointer, slice or map refers to. The address alone is not
// enough: a struct and its first field share it.
type place struct {
	at uintptr
	t  reflect.Type
	n  int // elements of a slice
}

func placeOf(v reflect.Value) place {
	p := place{at: v.Pointer(), t: v.Type()}
	if v.Kind() == reflect.Slice {
		p.n = v.Len()
	}
	return p
}

var (
	baseType   = reflect.TypeFor[Base]()
	moduleType = reflect.TypeFor[Module]()
	tensorType = reflect.TypeFor[*torch.Tensor]()
)

// fields checks the fields of an addressable struct.
func (c *fieldCheck) fields(v reflect.Value, path string) {
	if v.Type() == baseType {
		return
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get(fieldTag) != "-" {
			c.value(exposed(v.Field(i)), join(path, f.Name))
		}
	}
}

// exposed returns a field as if it were exported, as reflection requires.
func exposed(f reflect.Value) reflect.Value {
	if f.CanInterface() || !f.CanAddr() {
		return f
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// addressable returns v, or an addressable copy of it.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	return to
}

func (c *fieldCheck) value(v reflect.Value, path string) {
	if !v.IsValid() || !mayHold(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if m, ok := reflect.TypeAssert[Module](v); ok && !opt.IsNil(m) && baseOf(m) != nil {
			if c.finds(v, m, path) {
				return
			}
			c.holdModule(v, m.ModuleBase(), path)
		}
		c.value(v.Elem(), path)
	case reflect.Struct:
		c.structure(v, path)
	case reflect.Array:
		c.elements(v, path)
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() || c.registered(v, path) || c.seen[placeOf(v)] {
			return
		}
		c.seen[placeOf(v)] = true
		c.queue = append(c.queue, pathValue{v, shorten(path), c.in})
	}
}

// inside checks what a pointer, slice or map refers to.
func (c *fieldCheck) inside(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct {
			c.fields(v.Elem(), path)
		} else {
			c.value(v.Elem(), path)
		}
	case reflect.Slice:
		c.elements(v, path)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			key := it.Key()
			c.setElement = func(m reflect.Value) { v.SetMapIndex(key, m) }
			c.element(it.Value(), path, "Dict", key)
			c.setElement = nil
		}
	}
}

// shorten keeps the paths of a long linked list from growing.
func shorten(path string) string {
	const most = 500
	if len(path) < most {
		return path
	}
	return path[:most/5] + "..." + path[len(path)-most/5:]
}

func (c *fieldCheck) elements(v reflect.Value, path string) {
	for i := range v.Len() {
		c.element(v.Index(i), path, "List", i)
	}
}

// element checks an element of a slice, an array or a map, for which a ModuleList or
// ModuleDict should be used.
func (c *fieldCheck) element(v reflect.Value, path, in string, key any) {
	outer := c.in
	c.in = in
	c.value(v, fmt.Sprintf("%s[%v]", path, key))
	c.in = outer
}

// structure checks a struct held by value, which may be a module. A module that was
// never made is ignored, like a nil pointer.
func (c *fieldCheck) structure(v reflect.Value, path string) {
	if !v.CanAddr() {
		outer := c.copied
		c.copied = true
		defer func() { c.copied = outer }()
	}
	v = addressable(v)
	if m, ok := v.Addr().Interface().(Module); ok {
		if b := baseOf(m); b != nil && b.self != nil && c.registered(v.Addr(), path) {
			return
		}
	}
	c.fields(v, path)
}

// registered reports whether v is a tensor or a module, and panics if it should be
// registered and is not. An embedded module shares its Base with the module that is
// checked; its fields are checked too.
func (c *fieldCheck) registered(v reflect.Value, path string) bool {
	if v.Type() == tensorType {
		if c.find != nil {
			return true
		}
		t := v.Interface().(*torch.Tensor)
		if !t.IsClosed() && t.RequiresGrad() && t.IsLeaf() && !c.isRegistered(t) {
			remedy := fmt.Sprintf("n.RegisterParameter(%q, n.%s)", pythonName(lastName(path)), path)
			switch {
			case c.in == "" && !strings.Contains(path, "."):
				remedy = fmt.Sprintf("make it a parameter, with nn.NewParameter(n.%s)", path)
			case c.in == "List":
				remedy = fmt.Sprintf("put the elements into nn.NewParameterList(...).In(n, %q)",
					pythonName(lastName(path)))
			case c.in == "Dict":
				remedy = "call n.RegisterParameter for each element, under a name of its own"
			}
			c.forgotten(path, "a parameter", remedy)
		}
		c.holdTensor(v, t, path)
		return true
	}
	m, ok := v.Interface().(Module)
	if !ok {
		return false
	}
	b := baseOf(m)
	if c.find != nil {
		c.finds(v, m, path)
		return b != c.b
	}
	if b != nil {
		c.holdModule(v, b, path)
	}
	if b != nil && !c.isBelow(b) {
		if b.self != nil && b.self.ModuleBase() != b {
			c.refuse(path, fmt.Sprintf("is a copy by value of a %s, with its parameters: hold the pointer", goName(m)))
		}
		remedy := fmt.Sprintf("pass n.As(%q) to its constructor, or call n.Register(%q, n.%s)",
			pythonName(lastName(path)), pythonName(lastName(path)), path)
		switch c.in {
		case "List":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleList(...).In(n, %q) as well",
				pythonName(lastName(path)))
		case "Dict":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleDict().Add(...).In(n, %q) as well",
				pythonName(lastName(path)))
		}
		if c.in == "" && strings.Contains(path, ".") { // held by an embedded layer or another struct
			remedy += "; if another layer has taken its place, close it and assign nil to the field"
		}
		c.forgotten(path, "a "+goName(m), remedy)
	}
	if b != nil && b != c.b {
		c.checkCurrent(m, b, path)
	}
	return b != c.b
}

// finds reports whether v holds the module in c.find, and records it.
func (c *fieldCheck) finds(v reflect.Value, m Module, path string) bool {
	if b := baseOf(m); c.find == nil || b != c.find || b == c.b {
		return false
	}
	f := holdingField{path: path, held: reflect.ValueOf(m), t: v.Type(), set: c.setElement}
	if v.CanSet() {
		f.set = v.Set
	}
	if c.copied {
		f.set = nil
	}
	c.found = append(c.found, f)
	return true
}

// baseOf returns the Base of m, or nil if m embeds a layer that is nil.
func baseOf(m Module) (b *Base) {
	defer func() {
		if p := recover(); p != nil {
			b = nil
		}
	}()
	return m.ModuleBase()
}

func (c *fieldCheck) refuse(path, why string) {
	panic(torch.NewError(c.b.TypeName(), torch.ErrValue, "n."+path, why))
}

func (c *fieldCheck) forgotten(path, what, remedy string) {
	c.refuse(path,
		fmt.Sprintf("holds %s that was never registered, so that nothing trains, moves or saves it: %s; a field "+
			"with the tag `torch:\"-\"` is left alone", what, remedy))
}

// lastName suggests a name for registering a field, from a path such as "blocks[0]".
func lastName(path string) string {
	end := len(path)
	for i := len(path) - 1; i >= 0; i-- {
		switch path[i] {
		case '[':
			end = i
		case '.':
			return path[i+1 : end]
		}
	}
	return path[:end]
}

// promotes reports whether self inherits Forward from an embedded layer. The compiler
// generates such a method and marks it.
func promotes(self Module) bool {
	m, ok := reflect.TypeOf(self).MethodByName("Forward")
	if !ok {
		return false
	}
	return generated(m)
}

// sameModule compares pointers. Values of an interpreter's types cannot be compared
// and count as the same.
func sameModule(a, b Module) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	if va.Kind() != reflect.Pointer || vb.Kind() != reflect.Pointer || va.Pointer() == vb.Pointer() &&
		va.Type() == vb.Type() {
		return true
	}
	return stands(va.Type().Elem()) && stands(vb.Type().Elem())
}

// stands reports whether t is a struct that embeds nothing and only refers to a
// module. An interpreter has such a type for each interface and makes a new value for
// each conversion.
func stands(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			return false
		}
	}
	return true
}

// goName returns the name of a module's Go type.
func goName(m Module) string {
	t := reflect.TypeOf(m)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
