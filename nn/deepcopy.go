package nn

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gotorch/gotorch/internal/own"
	"github.com/gotorch/gotorch/torch"
)

// DeepCopy returns a copy of a module and of all below it: the same type with
// parameters and buffers of its own, in no scope, with the gradients that they
// have. What is shared within m is shared within the copy, functions are shared
// with m, hooks among them, and so are fields with the tag nn:"-". The copy has no
// parent. Mode, names and dtypes are those of m.
//
// It panics with ErrAutograd for a field with a tensor that was computed from
// others, with ErrClosed for a closed one, and with ErrType for what cannot be
// copied: channels, locks, files, and the modules of an interpreter. Then it has
// made nothing. Follows copy.deepcopy.
func DeepCopy(m Module) Module {
	const op = "DeepCopy"
	if isNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		panic(torch.NewError(op, torch.ErrType, "m", fmt.Sprintf("expected a pointer to a struct, got a %v", v.Type())))
	}
	m.ModuleBase().checkTree()
	c := copier{root: m.ModuleBase(), pointers: map[pointer]reflect.Value{}, tensors: map[*torch.Tensor]*torch.Tensor{}}
	done := false
	defer func() {
		if !done {
			for _, t := range c.tensors {
				_ = t.Close()
			}
		}
	}()
	twin := c.copy(v, "m").Interface().(Module)
	done = true
	return twin
}

// pointer is what a copier has met. The address alone is not enough: a struct and
// its first field share it.
type pointer struct {
	at uintptr
	t  reflect.Type
}

type copier struct {
	root     *Base
	pointers map[pointer]reflect.Value
	tensors  map[*torch.Tensor]*torch.Tensor
}

// copy returns a copy of v, whose flags allow to read it.
func (c *copier) copy(v reflect.Value, path string) reflect.Value {
	if v.Type() == tensorType {
		return reflect.ValueOf(c.tensor(v.Interface().(*torch.Tensor), path))
	}
	switch v.Kind() {
	case reflect.Pointer:
		return c.pointer(v, path)
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		to := reflect.New(v.Type()).Elem()
		to.Set(c.copy(v.Elem(), path))
		return to
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		c.elements(to, v, path)
		return to
	case reflect.Array:
		to := reflect.New(v.Type()).Elem()
		c.elements(to, v, path)
		return to
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		to := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			to.SetMapIndex(c.copy(it.Key(), path), c.copy(it.Value(), fmt.Sprintf("%s[%v]", path, it.Key())))
		}
		return to
	case reflect.Struct:
		from := reflect.New(v.Type()).Elem() // that can be addressed
		if v.CanAddr() {
			from = v
		} else {
			from.Set(v)
		}
		to := reflect.New(v.Type()).Elem()
		c.fields(to, from, path)
		return to
	case reflect.Chan, reflect.UnsafePointer:
		if !v.IsZero() {
			c.refuse(v, path)
		}
	}
	return v // numbers, strings and functions
}

func (c *copier) refuse(v reflect.Value, path string) {
	panic(torch.NewError("DeepCopy", torch.ErrType, path, fmt.Sprintf("a %v cannot be copied; a field with the tag `nn:\"-\"` is shared", v.Type())))
}

func (c *copier) elements(to, from reflect.Value, path string) {
	if !mayHold(from.Type().Elem()) && from.Type().Elem().Kind() != reflect.Chan {
		reflect.Copy(to, from)
		return
	}
	for i := range from.Len() {
		to.Index(i).Set(c.copy(from.Index(i), fmt.Sprintf("%s[%d]", path, i)))
	}
}

var generatorType = reflect.TypeFor[*torch.Generator]()

func (c *copier) pointer(v reflect.Value, path string) reflect.Value {
	if v.IsNil() || v.Type() == generatorType { // a source of random numbers is shared
		return v
	}
	if v.Type().Implements(moduleType) && v.Elem().Kind() == reflect.Struct && v.Elem().NumField() == 0 {
		c.refuse(v, path)
	}
	key := pointer{v.Pointer(), v.Type()}
	if to, ok := c.pointers[key]; ok {
		return to
	}
	to := reflect.New(v.Type().Elem())
	c.pointers[key] = to
	if v.Elem().Kind() == reflect.Struct {
		c.fields(to.Elem(), v.Elem(), path)
	} else {
		to.Elem().Set(c.copy(v.Elem(), path))
	}
	return to
}

// fields copies a struct that can be addressed.
func (c *copier) fields(to, from reflect.Value, path string) {
	t := from.Type()
	if t == baseType {
		c.base(to.Addr().Interface().(*Base), from.Addr().Interface().(*Base), path)
		return
	}
	// Locks, files and their like are more than their fields.
	if pkg := t.PkgPath(); pkg == "sync" || pkg == "sync/atomic" || pkg == "os" || pkg == "net" || strings.HasPrefix(pkg, "internal/") {
		c.refuse(from, path)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		dst, src := exposed(to.Field(i)), exposed(from.Field(i))
		switch {
		case f.Tag.Get("nn") == "-":
			dst.Set(src)
		case src.Kind() == reflect.Struct:
			c.fields(dst, src, path+"."+f.Name) // in place: it may be a Base
		default:
			dst.Set(c.copy(src, path+"."+f.Name))
		}
	}
}

func (c *copier) base(to, from *Base, path string) {
	if from.self != nil {
		to.self = c.copy(reflect.ValueOf(from.self), path).Interface().(Module)
	}
	for i := range from.params {
		e := from.params[i]
		to.params = append(to.params, c.entry(to, from, e, from.params[i].parameter(from), path))
		if t := *to.params[i].slot; t != nil {
			own.Parameter(t)
		}
	}
	for _, e := range from.buffers {
		to.buffers = append(to.buffers, c.entry(to, from, e, *e.slot, path))
	}
	for _, n := range from.children {
		twin := c.copy(reflect.ValueOf(n.Module), path+"."+n.Name).Interface().(Module)
		to.children = append(to.children, NamedModule{n.Name, twin})
	}
	if from != c.root {
		to.name = from.name
	}
	to.typeName, to.extra, to.eval = from.typeName, from.extra, from.eval
	to.flags.Store(from.flags.Load())
	to.changed() // its fields are to be seen
	for _, h := range from.pre {
		to.pre = append(to.pre, &Hook{b: to, pre: h.pre})
	}
	for _, h := range from.post {
		to.post = append(to.post, &Hook{b: to, post: h.post})
	}
}

// entry returns an entry of the copy with a copy of t in it. Its slot is as far from
// the Base as that of the original: both are in one struct.
func (c *copier) entry(to, from *Base, e entry, t *torch.Tensor, path string) entry {
	twin := c.tensor(t, path+"."+e.name)
	if e.field {
		off := uintptr(unsafe.Pointer(e.slot)) - uintptr(unsafe.Pointer(from))
		e.slot = (**torch.Tensor)(unsafe.Add(unsafe.Pointer(to), int(off)))
		*e.slot = twin
	} else {
		e.slot = &twin
	}
	return e
}

// tensor returns the copy of a leaf, in no scope.
func (c *copier) tensor(t *torch.Tensor, path string) *torch.Tensor {
	const op = "DeepCopy"
	if t == nil {
		return nil
	}
	if twin, ok := c.tensors[t]; ok {
		return twin
	}
	if t.IsClosed() {
		panic(torch.NewError(op, torch.ErrClosed, path, "the tensor is closed"))
	}
	if !t.IsLeaf() {
		panic(torch.NewError(op, torch.ErrAutograd, path, "the tensor was computed from others, and its graph cannot be copied; use Detach"))
	}
	twin := duplicate(t)
	c.tensors[t] = twin
	if t.RequiresGrad() {
		twin.SetRequiresGrad(true)
	}
	if grad := t.Grad(); grad != nil {
		g := duplicate(grad)
		twin.SetGrad(g)
		_ = g.Close()
		_ = grad.Close()
	}
	return twin
}

// duplicate copies the values of t.
func duplicate(t *torch.Tensor) *torch.Tensor {
	var twin *torch.Tensor
	torch.NoGrad(func() {
		plain := t.Detach()
		defer func() { _ = plain.Close() }()
		twin = torch.Disown(plain.Clone())
	})
	return twin
}
