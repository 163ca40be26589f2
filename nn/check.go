package nn

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gotorch/gotorch/torch"
)

// prepare is what Call does the first time and after each registration: it
// panics if Init was forgotten, or the registration of a field.
func (b *Base) prepare(op string) {
	b.initialized(op)
	if b.has(flagReady) {
		return
	}
	b.checkFields()
	b.set(flagReady)
}

// checkTree does so for all modules of a tree.
func (b *Base) checkTree() {
	b.walk(func(b *Base, _ string) {
		if b.self != nil {
			b.prepare("")
			b.checkHeld()
		}
	})
}

// checkFields panics with ErrValue if a field holds a module that is not below
// this one, or a parameter that is not registered: nothing would train, move or
// save it. Fields tagged nn:"-" are exempt, and so is what has no fields to look
// at, as the types of an interpreter.
func (b *Base) checkFields() {
	v := reflect.ValueOf(b.self)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	c := fieldCheck{b: b, modules: map[*Base]bool{}, tensors: map[*torch.Tensor]bool{}}
	b.walk(func(b *Base, _ string) {
		c.modules[b] = true
		for _, e := range b.params {
			c.tensors[*e.slot] = true
		}
		for _, e := range b.buffers {
			c.tensors[*e.slot] = true
		}
	})
	c.fields(v.Elem(), "")
	b.held.Store(&c.held)
}

type fieldCheck struct {
	b       *Base
	modules map[*Base]bool
	tensors map[*torch.Tensor]bool
	held    held
	in      string // "List" in a slice or array, "Dict" in a map
}

var (
	baseType   = reflect.TypeFor[Base]()
	moduleType = reflect.TypeFor[Module]()
	tensorType = reflect.TypeFor[*torch.Tensor]()
)

// fields looks at the fields of a struct that can be addressed.
func (c *fieldCheck) fields(v reflect.Value, path string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Type == baseType || f.Tag.Get("nn") == "-" {
			continue
		}
		c.value(exposed(v.Field(i)), join(path, f.Name))
	}
}

// exposed returns a field as if it was exported, which reflection asks for.
func exposed(f reflect.Value) reflect.Value {
	if f.CanInterface() || !f.CanAddr() {
		return f
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

func (c *fieldCheck) value(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			if m, ok := reflect.TypeAssert[Module](v); ok && !isNil(m) {
				c.holdModule(v, m.ModuleBase(), path)
			}
			c.value(v.Elem(), path)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.pointer(v, path)
		}
	case reflect.Struct:
		if v.CanAddr() {
			c.fields(v, path)
		}
	case reflect.Slice, reflect.Array:
		if !mayHold(v.Type().Elem()) {
			return
		}
		for i := range v.Len() {
			c.element(v.Index(i), path, "List", i)
		}
	case reflect.Map:
		if !mayHold(v.Type().Elem()) {
			return
		}
		for it := v.MapRange(); it.Next(); {
			c.element(it.Value(), path, "Dict", it.Key())
		}
	}
}

// element looks at an element of a slice, an array or a map, which a ModuleList or
// a ModuleDict would hold.
func (c *fieldCheck) element(v reflect.Value, path, in string, key any) {
	outer := c.in
	c.in = in
	c.value(v, fmt.Sprintf("%s[%v]", path, key))
	c.in = outer
}

// mayHold reports whether there can be modules or tensors in values of a type,
// so that nobody walks through a million numbers.
func mayHold(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

func (c *fieldCheck) pointer(v reflect.Value, path string) {
	if !v.CanInterface() {
		return
	}
	if v.Type() == tensorType {
		t := v.Interface().(*torch.Tensor)
		if !c.tensors[t] && !t.IsClosed() && t.RequiresGrad() && t.IsLeaf() {
			remedy := fmt.Sprintf("n.RegisterParameter(%q, n.%s)", lastName(path), path)
			switch c.in {
			case "List":
				remedy = fmt.Sprintf("put the elements into nn.NewParameterList(...).In(n, %q)", lastName(path))
			case "Dict":
				remedy = "call n.RegisterParameter for each element, under a name of its own"
			}
			c.forgotten(path, "a parameter", remedy)
		}
		c.holdTensor(v, t, path)
		return
	}
	if !v.Type().Implements(moduleType) {
		return
	}
	m := v.Interface().(Module)
	c.holdModule(v, m.ModuleBase(), path)
	if !c.modules[m.ModuleBase()] {
		remedy := fmt.Sprintf("pass n.As(%q) to its constructor, or call n.Register(%q, n.%s)", lastName(path), lastName(path), path)
		switch c.in {
		case "List":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleList(...).In(n, %q) as well", lastName(path))
		case "Dict":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleDict().Add(...).In(n, %q) as well", lastName(path))
		}
		c.forgotten(path, "a "+goName(m), remedy)
	}
}

func (c *fieldCheck) forgotten(path, what, remedy string) {
	panic(torch.NewError(c.b.TypeName(), torch.ErrValue, "n."+path,
		fmt.Sprintf("holds %s that was never registered, so that nothing trains, moves or saves it: %s; a field with the tag `nn:\"-\"` is left alone", what, remedy)))
}

// lastName returns a name to register a field under, from a path such as
// "blocks[0]".
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

// promotes reports whether self has no Forward of its own, but that of a layer
// that it embeds. The compiler writes such a method, and says so.
func promotes(self Module) bool {
	m, ok := reflect.TypeOf(self).MethodByName("Forward")
	if !ok {
		return false
	}
	pc := m.Func.Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return file == "<autogenerated>"
}

// isNil reports whether there is no module in m: none at all, or a pointer that
// is nil.
func isNil(m Module) bool {
	v := reflect.ValueOf(m)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// sameModule compares pointers. What an interpreter makes of its types cannot be
// compared, and is taken to be the same.
func sameModule(a, b Module) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	return va.Kind() != reflect.Pointer || vb.Kind() != reflect.Pointer || va.Pointer() == vb.Pointer() && va.Type() == vb.Type()
}

// goName returns the name of a module's Go type.
func goName(m Module) string {
	t := reflect.TypeOf(m)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
