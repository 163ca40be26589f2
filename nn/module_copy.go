package nn

import (
	"fmt"
	"maps"
	"reflect"
	"unsafe"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// DeepCopy returns a copy of a module and of everything below it. The copy has the
// same type and its own parameters and buffers, in no scope, with copies of their
// gradients. Sharing within m is preserved within the copy. Functions, including
// hooks, are shared with m, as are fields tagged torch:"-". The copy has no parent.
// It keeps the mode, names and dtypes of m.
//
// It panics with ErrNil for a nil module, with ErrValue as [Base.NamedParameters]
// does, with ErrAutograd if a field has a tensor that was computed from others, and
// with ErrClosed for a closed tensor. It panics with ErrType for values that cannot
// be copied: channels, locks, files, and the modules of an interpreter. After a panic
// no copy remains. Follows copy.deepcopy.
func DeepCopy(m Module) Module {
	const op = "DeepCopy"
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		panic(torch.NewError(op, torch.ErrType, "m", fmt.Sprintf("expected a pointer to a struct, got a %v", v.Type())))
	}
	b := baseOf(m)
	if b == nil {
		panic(torch.NewError(op, torch.ErrNil, "m", fmt.Sprintf("the layer that this %s embeds is nil", goName(m))))
	}
	b.mustAllBeReady(op)
	if !sameModule(b.self, m) {
		panic(torch.NewError(op, torch.ErrValue, "m",
			fmt.Sprintf("this %s embeds a %s: its constructor must call m.Init(m)", goName(m), goName(b.self))))
	}
	c := copier{
		root: b, regions: map[reference]*region{}, tensors: map[*torch.Tensor]*torch.Tensor{},
		scripts: map[*Base]*region{},
	}
	c.scan(v, "m")
	for i := 0; i < len(c.order); i++ { //nolint:intrange // what is looked into adds to the list
		c.scanRegion(c.order[i])
	}
	done := false
	defer func() {
		if !done {
			for _, t := range c.tensors {
				_ = t.Close()
			}
			for _, m := range c.scriptCopies {
				_ = m.Close()
			}
		}
	}()
	c.copyScripts()
	c.allocate()
	for _, r := range c.order {
		c.fillRegion(r)
	}
	twin := c.twin(v).Interface().(Module)
	done = true
	return twin
}

// copier first finds all memory regions and then copies them, since a pointer may point
// into a struct, array or slice that is only found later.
type copier struct {
	root         *Base
	regions      map[reference]*region
	order        []*region // in the order in which they were found
	tensors      map[*torch.Tensor]*torch.Tensor
	scripts      map[*Base]*region // the modules of torch/jit, which copy themselves
	scriptCopies []Module          // the copies of scripts
}

// fillValue copies one value to another. The source, from, is addressable.
func (c *copier) fillValue(to, from reflect.Value, path string) {
	switch from.Type() {
	case tensorType:
		to.Set(reflect.ValueOf(c.copyTensor(from.Interface().(*torch.Tensor), path)))
		return
	case baseType:
		c.fillBase(to.Addr().Interface().(*Base), from.Addr().Interface().(*Base), path)
		return
	}
	switch from.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		to.Set(c.twin(from))
	case reflect.Interface:
		if !from.IsNil() {
			to.Set(c.clone(from.Elem(), path))
		}
	case reflect.Array:
		c.fillElements(to, from, path)
	case reflect.Struct:
		for i := range from.NumField() {
			f := from.Type().Field(i)
			dst, src := asExported(to.Field(i)), asExported(from.Field(i))
			if f.Tag.Get(fieldTag) == "-" {
				dst.Set(src)
			} else {
				c.fillValue(dst, src, path+"."+f.Name)
			}
		}
	default:
		to.Set(from) // numbers, strings and functions
	}
}

// clone returns a copy of v, which need not be addressable.
func (c *copier) clone(v reflect.Value, path string) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	c.fillValue(to, asAddressable(v), path)
	return to
}

func (c *copier) fillElements(to, from reflect.Value, path string) {
	if isPlainType(from.Type().Elem()) {
		reflect.Copy(to, from)
		return
	}
	for i := range from.Len() {
		c.fillValue(to.Index(i), from.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

// isPlainType reports whether assignment copies a value of the type completely.
func isPlainType(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan,
		reflect.UnsafePointer:
		return false
	}
	return true
}

func (c *copier) fillBase(to, from *Base, path string) {
	if from.self != nil {
		to.self = c.clone(reflect.ValueOf(from.self), path).Interface().(Module)
	}
	for i := range from.params {
		e := from.params[i]
		to.params = append(to.params, c.copyEntry(to, from, e, from.params[i].parameter(from), path))
		if t := *to.params[i].slot; t != nil {
			own.Parameter(t)
		}
	}
	for _, e := range from.buffers {
		to.buffers = append(to.buffers, c.copyEntry(to, from, e, *e.slot, path))
	}
	for _, n := range from.children {
		twin := c.clone(reflect.ValueOf(n.Module), path+"."+n.Name).Interface().(Module)
		to.children = append(to.children, NamedModule{n.Name, twin})
	}
	c.copyDerived(to, from)
	c.copySettings(to, from)
}

// copySettings copies names, mode and hooks.
func (c *copier) copySettings(to, from *Base) {
	to.name = ""
	if from != c.root {
		to.name = from.name
	}
	to.typeName, to.extra, to.eval = from.typeName, from.extra, from.eval
	to.flags.Store(from.flags.Load())
	to.fromFields, to.listOf = maps.Clone(from.fromFields), from.listOf
	to.noteChange() // the next call must read the fields of the copy
	from.hooks.copyTo(to)
	from.stateHooks.copyTo(to)
}

// copyEntry returns an entry of the copy that holds a copy of t. If the slot is a field
// of the original module's struct, the copy uses the same field of its own struct.
func (c *copier) copyEntry(to, from *Base, e entry, t *torch.Tensor, path string) entry {
	twin := c.copyTensor(t, path+"."+e.name)
	if e.field {
		e.slot = sameField(to, from, e.slot)
		*e.slot = twin
	} else {
		e.slot = &twin
	}
	return e
}

// sameField returns the field of the copy at the same offset from its Base.
func sameField(to, from *Base, field **torch.Tensor) **torch.Tensor {
	off := uintptr(unsafe.Pointer(field)) - uintptr(unsafe.Pointer(from))
	return (**torch.Tensor)(unsafe.Add(unsafe.Pointer(to), int(off)))
}

// copyTensor returns a copy of a leaf, in no scope.
func (c *copier) copyTensor(t *torch.Tensor, path string) *torch.Tensor {
	if t == nil {
		return nil
	}
	if twin, ok := c.tensors[t]; ok {
		return twin
	}
	c.mustBeCopiable(t, path)
	twin := cloneDetached(t)
	c.tensors[t] = twin
	if t.RequiresGrad() {
		twin.SetRequiresGrad(true)
	}
	copyGrad(twin, t)
	return twin
}

// mustBeCopiable panics unless t is an open leaf.
func (c *copier) mustBeCopiable(t *torch.Tensor, path string) {
	const op = "DeepCopy"
	if t.IsClosed() {
		panic(torch.NewError(op, torch.ErrClosed, path, "the tensor is closed"))
	}
	if !t.IsLeaf() {
		panic(torch.NewError(op, torch.ErrAutograd, path,
			"the tensor was computed from others, and its graph cannot be copied; use Detach"))
	}
}

// copyGrad gives twin a copy of the gradient of t.
func copyGrad(twin, t *torch.Tensor) {
	if grad := t.Grad(); grad != nil {
		g := cloneDetached(grad)
		twin.SetGrad(g)
		_ = g.Close()
		_ = grad.Close()
	}
}

func cloneDetached(t *torch.Tensor) *torch.Tensor {
	var twin *torch.Tensor
	torch.NoGrad(func() {
		plain := t.Detach()
		defer func() { _ = plain.Close() }()
		twin = torch.Disown(plain.Clone())
	})
	return twin
}
