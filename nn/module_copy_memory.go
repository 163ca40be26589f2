package nn

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// region is the memory that a pointer, slice or map refers to, with its copy.
type region struct {
	reference
	from   reflect.Value // the pointer's target, or the slice or map
	to     reflect.Value // the copy of from
	path   string
	isPart bool  // the region lies within another one and is copied with it
	script *Base // the Base of a module of torch/jit, or nil
}

func (r *region) size() uintptr {
	if r.from.Kind() == reflect.Slice && r.t.Kind() == reflect.Slice {
		return uintptr(r.n) * r.t.Elem().Size()
	}
	return r.from.Type().Size()
}

var generatorType = reflect.TypeFor[*torch.Generator]()

// scan records the memory that a value refers to. It panics with ErrType for values
// that cannot be copied.
func (c *copier) scan(v reflect.Value, path string) {
	switch v.Type() {
	case tensorType, generatorType: // fillValue copies tensors; the copy shares random generators
		return
	case baseType:
		c.scanBase(v.Addr().Interface().(*Base), path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if !v.IsNil() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			c.addRegion(v, path)
		}
	case reflect.Interface:
		if !v.IsNil() {
			c.scan(asAddressable(v.Elem()), path)
		}
	case reflect.Array:
		c.scanElements(v, path)
	case reflect.Struct:
		c.scanFields(v, path)
	case reflect.Chan, reflect.UnsafePointer:
		if !v.IsZero() {
			c.refuse(v, path)
		}
	}
}

func (c *copier) addRegion(v reflect.Value, path string) {
	p := referenceTo(v)
	if c.regions[p] != nil {
		return
	}
	r := &region{reference: p, from: v, path: shortenPath(path)}
	if v.Kind() == reflect.Pointer {
		r.from = v.Elem()
		if v.Type().Implements(moduleType) && r.from.Kind() == reflect.Struct && r.from.NumField() == 0 {
			c.refuse(v, path)
		}
	}
	if v.Kind() == reflect.Pointer {
		if b := scriptAt(v); b != nil {
			r.script = b
			c.scripts[b] = r
		}
	}
	c.regions[p] = r
	c.order = append(c.order, r)
}

// scanRegion records what the contents of a region refer to.
func (c *copier) scanRegion(r *region) {
	if r.script != nil {
		c.scanBase(r.script, r.path)
		return
	}
	switch r.t.Kind() {
	case reflect.Pointer:
		c.scan(r.from, r.path)
	case reflect.Slice:
		c.scanElements(r.from, r.path)
	case reflect.Map:
		for it := r.from.MapRange(); it.Next(); {
			c.scan(asAddressable(it.Key()), r.path)
			c.scan(asAddressable(it.Value()), fmt.Sprintf("%s[%v]", r.path, it.Key()))
		}
	}
}

func (c *copier) scanElements(v reflect.Value, path string) {
	if isPlainType(v.Type().Elem()) {
		return
	}
	for i := range v.Len() {
		c.scan(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (c *copier) scanFields(v reflect.Value, path string) {
	// Locks, files and similar values cannot be copied: part of their state is in the
	// runtime or the operating system.
	if pkg := v.Type().PkgPath(); pkg == "sync" || pkg == "sync/atomic" || pkg == "os" || pkg == "net" ||
		strings.HasPrefix(pkg, "internal/") {
		c.refuse(v, path)
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get(fieldTag) != "-" {
			c.scan(asExported(v.Field(i)), path+"."+f.Name)
		}
	}
}

func (c *copier) scanBase(b *Base, path string) {
	if b.self != nil {
		c.scan(asAddressable(reflect.ValueOf(b.self)), path)
	}
	for _, n := range b.children {
		c.scan(asAddressable(reflect.ValueOf(n.Module)), path+"."+n.Name)
	}
	if b.derived != nil {
		for _, d := range b.derived.list {
			for _, f := range d.fields {
				c.scan(asAddressable(reflect.ValueOf(f)), path)
			}
		}
	}
}

func (c *copier) refuse(v reflect.Value, path string) {
	panic(torch.NewError("DeepCopy", torch.ErrType, path,
		fmt.Sprintf("a %v cannot be copied; fields with the tag `torch:\"-\"` are shared instead of copied", v.Type())))
}

// allocate makes the copies. A region inside another one is copied as part of it, for
// example a module that is a field and is registered by its address.
func (c *copier) allocate() {
	sorted := slices.Clone(c.order)
	slices.SortStableFunc(sorted, func(a, b *region) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.size(), a.size()), cmp.Compare(b.level(), a.level()))
	})
	var around *region
	for _, r := range sorted {
		if r.script != nil {
			continue
		}
		if r.t.Kind() == reflect.Map {
			r.to = reflect.MakeMapWithSize(r.t, r.n)
			continue
		}
		if around != nil && r.size() > 0 && r.at+r.size() <= around.at+around.size() {
			if r.to = r.partOf(around.to, r.at-around.at); r.to.IsValid() {
				r.isPart = true
				continue
			}
		}
		if r.t.Kind() == reflect.Slice {
			r.to = reflect.MakeSlice(r.t, r.n, r.n)
		} else {
			r.to = reflect.New(r.t.Elem()).Elem()
		}
		if around == nil || r.at+r.size() > around.at+around.size() {
			around = r
		}
	}
}

// level orders two regions of the same size: the outer one has the higher level.
func (r *region) level() int {
	if r.t.Kind() == reflect.Slice {
		return 1 << 30
	}
	return level(r.from.Type())
}

func level(t reflect.Type) int {
	n := 0
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i).Type; f.Size() == t.Size() {
				n = max(n, 1+level(f))
			}
		}
	case reflect.Array:
		if t.Len() == 1 {
			n = 1 + level(t.Elem())
		}
	}
	return n
}

// partOf returns the part of v, at the offset in bytes, that r describes. It returns
// the zero Value if there is no value of r's type at the offset.
func (r *region) partOf(v reflect.Value, offset uintptr) reflect.Value {
	for {
		list := v.Kind() == reflect.Array || v.Kind() == reflect.Slice
		var i int
		if list && v.Type().Elem().Size() > 0 {
			i = int(offset / v.Type().Elem().Size())
		}
		switch {
		case r.t.Kind() == reflect.Pointer && offset == 0 && v.Type() == r.t.Elem() && v.CanAddr():
			return v
		case r.t.Kind() == reflect.Slice && list && v.Type().Elem() == r.t.Elem() && i+r.n <= v.Len():
			return v.Slice3(i, i+r.n, i+r.n)
		case list:
			offset -= uintptr(i) * v.Type().Elem().Size()
			v = v.Index(i)
		case v.Kind() == reflect.Struct:
			f, ok := fieldAt(v.Type(), offset)
			if !ok {
				return reflect.Value{}
			}
			offset -= f.Offset
			v = asExported(v.FieldByIndex(f.Index))
		default:
			return reflect.Value{}
		}
		if v.Kind() == reflect.Slice && (r.t.Kind() != reflect.Pointer || v.Type() != r.t.Elem()) {
			return reflect.Value{} // the elements of a slice are not stored in v
		}
	}
}

func fieldAt(t reflect.Type, offset uintptr) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Offset <= offset && offset < f.Offset+f.Type.Size() {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// twin returns the copy of a pointer, slice or map.
func (c *copier) twin(v reflect.Value) reflect.Value {
	if v.IsNil() || v.Type() == generatorType {
		return v
	}
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		return reflect.MakeSlice(v.Type(), 0, 0)
	}
	to := c.regions[referenceTo(v)].to
	if v.Kind() == reflect.Pointer {
		to = to.Addr()
	}
	return to.Convert(v.Type())
}

func (c *copier) fillRegion(r *region) {
	switch {
	case r.isPart:
	case r.script != nil:
		c.fillScript(r.to.Addr().Interface().(Module).ModuleBase(), r.script, r.path)
	case r.t.Kind() == reflect.Pointer:
		c.fillValue(r.to, r.from, r.path)
	case r.t.Kind() == reflect.Slice:
		c.fillElements(r.to, r.from, r.path)
	default:
		for it := r.from.MapRange(); it.Next(); {
			r.to.SetMapIndex(c.clone(it.Key(), r.path), c.clone(it.Value(), fmt.Sprintf("%s[%v]", r.path, it.Key())))
		}
	}
}
