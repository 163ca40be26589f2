package nn

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// mustBeReady runs on the first call and after each registration. It panics if Init was
// not called or a field is not registered.
func (b *Base) mustBeReady(op string) {
	b.mustBeInitialized(op)
	if b.hasFlag(flagReady) && (!b.hasFlag(flagUser) || b.checkedReplacements.Load() == replacementCount.Load()) {
		return
	}
	b.mustHaveRegisteredFields()
	b.setFlag(flagReady)
}

// mustAllBeReady checks all modules of a tree. It checks the program's modules every time,
// since their fields may have changed.
func (b *Base) mustAllBeReady(op string) {
	b.mustBeInitialized(op)
	if functionalCalls.Load() != 0 {
		b.mustHaveTurn()
	}
	b.walk(func(b *Base) {
		if b.self == nil {
			return
		}
		if b.hasFlag(flagReady) { // before mustHaveRegisteredFields clears the record of the fields
			b.mustHoldRegistered()
		}
		if b.hasFlag(flagUser) {
			b.mustHaveRegisteredFields()
			b.setFlag(flagReady)
		} else {
			b.mustBeReady("")
		}
	})
}

// mustHaveRegisteredFields panics with ErrValue if a field holds an unregistered module or
// parameter, because it would not be trained, moved or saved. It looks through
// pointers, slices, maps, interfaces and structs. It skips fields tagged torch:"-"
// and types without fields, such as those of an interpreter.
func (b *Base) mustHaveRegisteredFields() {
	b.checkedReplacements.Store(replacementCount.Load())
	v := reflect.ValueOf(b.self)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	b.registerFields()
	c := fieldChecker{
		b: b, modules: map[*Base][]string{b: nil}, tensors: map[*torch.Tensor]bool{},
		seen: map[reference]bool{referenceTo(v): true},
	}
	c.addTensors(b)
	for _, n := range b.children {
		below := n.Module.ModuleBase()
		c.modules[below] = append(c.modules[below], n.Name)
		c.addTensors(below)
	}
	c.walk(v.Elem())
	list := c.record // only the list: c keeps tensors alive
	b.fieldRecord.Store(&list)
}

// addTensors records the tensors of a module.
func (c *fieldChecker) addTensors(b *Base) {
	for _, e := range b.params {
		c.tensors[*e.slot] = true
	}
	for _, e := range b.buffers {
		c.tensors[*e.slot] = true
	}
}

// addDescendants records the modules below the children. Fields seldom hold them, so modules
// in modules are checked in linear time.
func (c *fieldChecker) addDescendants() {
	if c.isComplete {
		return
	}
	c.isComplete = true
	c.b.walk(func(b *Base) {
		if _, ok := c.modules[b]; !ok {
			c.modules[b] = nil
			c.addTensors(b)
		}
	})
}

// isBelow reports whether b is part of the tree.
func (c *fieldChecker) isBelow(b *Base) bool {
	if _, ok := c.modules[b]; ok {
		return true
	}
	c.addDescendants()
	_, ok := c.modules[b]
	return ok
}

// isRegistered reports whether a module of the tree has registered t.
func (c *fieldChecker) isRegistered(t *torch.Tensor) bool {
	if c.tensors[t] {
		return true
	}
	c.addDescendants()
	return c.tensors[t]
}

// walk checks the fields of a struct and everything reachable from them.
func (c *fieldChecker) walk(v reflect.Value) {
	c.walkFields(v, "")
	// Uses a queue, because recursion over a long linked list could overflow the
	// stack.
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.container = next.container
		c.walkTarget(next.v, next.path)
	}
}

type fieldChecker struct {
	b          *Base
	modules    map[*Base][]string // the modules of the tree, with their children's names
	tensors    map[*torch.Tensor]bool
	isComplete bool               // modules is complete, not only b and its children
	seen       map[reference]bool // visited places, since values can contain themselves
	queue      []pathValue
	record     fieldRecord
	container  string // "List" in a slice or array, "Dict" in a map

	sought     *Base                 // if not nil, record the holders of this module and check nothing
	holders    []holdingField        // the fields that hold it
	setElement func(m reflect.Value) // assigns the element of a map
	isCopy     bool                  // the value is a copy, which cannot be assigned to
}

type pathValue struct {
	v         reflect.Value
	path      string
	container string
}

// reference identifies what a pointer, slice or map refers to. The address alone is not
// enough: a struct and its first field share it.
type reference struct {
	at uintptr
	t  reflect.Type
	n  int // elements of a slice
}

func referenceTo(v reflect.Value) reference {
	p := reference{at: v.Pointer(), t: v.Type()}
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

// walkFields checks the fields of an addressable struct.
func (c *fieldChecker) walkFields(v reflect.Value, path string) {
	if v.Type() == baseType {
		return
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get(fieldTag) != "-" {
			c.walkValue(asExported(v.Field(i)), join(path, f.Name))
		}
	}
}

// asExported returns a field as if it were exported, as reflection requires.
func asExported(f reflect.Value) reflect.Value {
	if f.CanInterface() || !f.CanAddr() {
		return f
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// asAddressable returns v, or an addressable copy of it.
func asAddressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	return to
}

func (c *fieldChecker) walkValue(v reflect.Value, path string) {
	if !v.IsValid() || !mayHold(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if m, ok := reflect.TypeAssert[Module](v); ok && !opt.IsNil(m) && baseOf(m) != nil {
			if c.noteHolder(v, m, path) {
				return
			}
			c.recordModule(v, m.ModuleBase(), path)
		}
		c.walkValue(v.Elem(), path)
	case reflect.Struct:
		c.walkStruct(v, path)
	case reflect.Array:
		c.walkElements(v, path)
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() || c.visit(v, path) || c.seen[referenceTo(v)] {
			return
		}
		c.seen[referenceTo(v)] = true
		c.queue = append(c.queue, pathValue{v, shortenPath(path), c.container})
	}
}

// walkTarget checks what a pointer, slice or map refers to.
func (c *fieldChecker) walkTarget(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct {
			c.walkFields(v.Elem(), path)
		} else {
			c.walkValue(v.Elem(), path)
		}
	case reflect.Slice:
		c.walkElements(v, path)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			key := it.Key()
			c.setElement = func(m reflect.Value) { v.SetMapIndex(key, m) }
			c.walkElement(it.Value(), path, "Dict", key)
			c.setElement = nil
		}
	}
}

// shortenPath keeps the paths of a long linked list from growing.
func shortenPath(path string) string {
	const most = 500
	if len(path) < most {
		return path
	}
	return path[:most/5] + "..." + path[len(path)-most/5:]
}

func (c *fieldChecker) walkElements(v reflect.Value, path string) {
	for i := range v.Len() {
		c.walkElement(v.Index(i), path, "List", i)
	}
}

// walkElement checks an element of a slice, an array or a map, for which a ModuleList or
// ModuleDict should be used.
func (c *fieldChecker) walkElement(v reflect.Value, path, in string, key any) {
	outer := c.container
	c.container = in
	c.walkValue(v, fmt.Sprintf("%s[%v]", path, key))
	c.container = outer
}

// walkStruct checks a struct held by value, which may be a module. A module that was
// never made is ignored, like a nil pointer.
func (c *fieldChecker) walkStruct(v reflect.Value, path string) {
	if !v.CanAddr() {
		outer := c.isCopy
		c.isCopy = true
		defer func() { c.isCopy = outer }()
	}
	v = asAddressable(v)
	if m, ok := v.Addr().Interface().(Module); ok {
		if b := baseOf(m); b != nil && b.self != nil && c.visit(v.Addr(), path) {
			return
		}
	}
	c.walkFields(v, path)
}

// visit reports whether v is a tensor or a module, and panics if it should be
// registered and is not. An embedded module shares its Base with the module that is
// checked; its fields are checked too.
func (c *fieldChecker) visit(v reflect.Value, path string) bool {
	if v.Type() == tensorType {
		if c.sought != nil {
			return true
		}
		t := v.Interface().(*torch.Tensor)
		if !t.IsClosed() && t.RequiresGrad() && t.IsLeaf() && !c.isRegistered(t) {
			remedy := fmt.Sprintf("n.RegisterParameter(%q, n.%s)", pythonName(lastName(path)), path)
			switch {
			case c.container == "" && !strings.Contains(path, "."):
				remedy = fmt.Sprintf("make it a parameter, with nn.NewParameter(n.%s)", path)
			case c.container == "List":
				remedy = fmt.Sprintf("put the elements into nn.NewParameterList(...).In(n, %q)",
					pythonName(lastName(path)))
			case c.container == "Dict":
				remedy = "call n.RegisterParameter for each element, under a name of its own"
			}
			c.refuseUnregistered(path, "a parameter", remedy)
		}
		c.recordTensor(v, t, path)
		return true
	}
	m, ok := v.Interface().(Module)
	if !ok {
		return false
	}
	b := baseOf(m)
	if c.sought != nil {
		c.noteHolder(v, m, path)
		return b != c.b
	}
	if b != nil {
		c.recordModule(v, b, path)
	}
	if b != nil && !c.isBelow(b) {
		if b.self != nil && b.self.ModuleBase() != b {
			c.refuse(path, fmt.Sprintf("is a copy by value of a %s, with its parameters: hold the pointer", goName(m)))
		}
		remedy := fmt.Sprintf("pass n.As(%q) to its constructor, or call n.Register(%q, n.%s)",
			pythonName(lastName(path)), pythonName(lastName(path)), path)
		switch c.container {
		case "List":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleList(...).In(n, %q) as well",
				pythonName(lastName(path)))
		case "Dict":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleDict().Add(...).In(n, %q) as well",
				pythonName(lastName(path)))
		}
		if c.container == "" && strings.Contains(path, ".") { // held by an embedded layer or another struct
			remedy += "; if another layer has taken its place, close it and assign nil to the field"
		}
		c.refuseUnregistered(path, "a "+goName(m), remedy)
	}
	if b != nil && b != c.b {
		c.mustBeCurrent(m, b, path)
	}
	return b != c.b
}

// noteHolder reports whether v holds the module in c.sought, and records it.
func (c *fieldChecker) noteHolder(v reflect.Value, m Module, path string) bool {
	if b := baseOf(m); c.sought == nil || b != c.sought || b == c.b {
		return false
	}
	f := holdingField{path: path, value: reflect.ValueOf(m), t: v.Type(), set: c.setElement}
	if v.CanSet() {
		f.set = v.Set
	}
	if c.isCopy {
		f.set = nil
	}
	c.holders = append(c.holders, f)
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

func (c *fieldChecker) refuse(path, why string) {
	panic(torch.NewError(c.b.TypeName(), torch.ErrValue, "n."+path, why))
}

func (c *fieldChecker) refuseUnregistered(path, what, remedy string) {
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

// inheritsForward reports whether self inherits Forward from an embedded layer. The compiler
// generates such a method and marks it.
func inheritsForward(self Module) bool {
	m, ok := reflect.TypeOf(self).MethodByName("Forward")
	if !ok {
		return false
	}
	return isGenerated(m)
}

// sameModule compares pointers. Values of an interpreter's types cannot be compared
// and count as the same.
func sameModule(a, b Module) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	if va.Kind() != reflect.Pointer || vb.Kind() != reflect.Pointer || va.Pointer() == vb.Pointer() &&
		va.Type() == vb.Type() {
		return true
	}
	return isProxy(va.Type().Elem()) && isProxy(vb.Type().Elem())
}

// isProxy reports whether t is a struct that embeds nothing and only refers to a
// module. An interpreter has such a type for each interface and makes a new value for
// each conversion.
func isProxy(t reflect.Type) bool {
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
