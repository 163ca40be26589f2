package nn

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gotorch/gotorch/internal/opt"
)

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
	n  int // the length of a slice, otherwise 0
}

func referenceTo(v reflect.Value) reference {
	p := reference{at: v.Pointer(), t: v.Type()}
	if v.Kind() == reflect.Slice {
		p.n = v.Len()
	}
	return p
}

// walk checks the fields of a struct and everything reachable from them.
func (c *fieldChecker) walk(v reflect.Value) {
	c.walkFields(v, "")
	// Use a queue, because recursion over a long linked list could overflow the stack.
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.container = next.container
		c.walkTarget(next.v, next.path)
	}
}

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

func (c *fieldChecker) walkElements(v reflect.Value, path string) {
	for i := range v.Len() {
		c.walkElement(v.Index(i), path, "List", i)
	}
}

// walkElement checks an element of a slice, an array or a map. An error about it
// advises to use a ModuleList or ModuleDict.
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

// shortenPath shortens a path, so that the paths of a long linked list do not grow
// without bound.
func shortenPath(path string) string {
	const most = 500
	if len(path) < most {
		return path
	}
	return path[:most/5] + "..." + path[len(path)-most/5:]
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
