package nn

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
)

// watch makes the graph of a captured step check before each replay that the module
// has not changed, since a replay uses the module as captured. Every call of a module
// calls watch. It panics if a FunctionalCall on another goroutine uses the module.
// layer is the layer of this package that the module may embed, or nil.
func (b *Base) watch(layer Module) {
	if functionalCalls.Load() != 0 {
		b.mustHaveTurn()
	}
	if r := recording.Current(); r != nil {
		if layer == nil && isOfPackage(b.self) {
			layer = b.self
		}
		r.Watch(watchKey{b, layer}, func() func() string { return b.changeReport(layer) })
	}
}

// watchTree calls watch for all modules of a tree whose Forwards are replaced by
// one kernel.
func (b *Base) watchTree() {
	if recording.Current() == nil {
		return
	}
	b.walk(func(b *Base) { b.watch(nil) })
}

// isOfPackage reports whether the module's type belongs to this package.
func isOfPackage(m Module) bool {
	t := reflect.TypeOf(m)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().PkgPath() == packagePath
}

// watchKey is the key under which a recording watches a module; its mode has a
// separate key.
type watchKey struct {
	b     *Base
	layer Module
}

// watchMode makes the graph check that the module is in the mode of the capture.
// Everything that reads the mode calls watchMode.
func (b *Base) watchMode() {
	r := recording.Current()
	if r == nil {
		return
	}
	r.Watch(b, func() func() string {
		eval := b.eval
		return func() string {
			switch {
			case b.eval == eval:
				return ""
			case eval:
				return b.describeChange("is in training mode, but was in evaluation mode")
			default:
				return b.describeChange("is in evaluation mode, but was in training mode")
			}
		}
	})
}

// changeReport returns a function that reports what has changed in the module since
// changeReport was called: its children, tensors and hooks, and in layers of this package
// the settings. In a program's own module it checks only the fields that hold modules,
// which Forward uses. Other fields, such as a counter, may change.
func (b *Base) changeReport(layer Module) func() string {
	hooks, all, derived := b.hooks, globalHooks.Load(), b.derived
	children := slices.Clone(b.children)
	tensors := slices.Concat(b.params, b.buffers)
	held := make([]*torch.Tensor, len(tensors))
	for i, e := range tensors {
		held[i] = *e.slot
	}
	var fields []watchedField
	if layer != nil {
		fields = watchedFieldsOf(layer, watchSetting)
	} else if b.self != nil {
		fields = watchedFieldsOf(b.self, watchModules)
	}
	return func() string {
		switch {
		case !b.hooks.equal(&hooks) || globalHooks.Load() != all:
			return b.describeChange("has different hooks than")
		case !slices.EqualFunc(b.children, children, sameChild):
			return b.describeChange("has different layers than")
		case len(b.params)+len(b.buffers) != len(tensors) || b.derived != derived:
			return b.describeChange("has different parameters or buffers than")
		}
		for i, e := range tensors {
			if *e.slot != held[i] {
				return b.describeChange(fmt.Sprintf("has a different %s than", e.name))
			}
		}
		for _, f := range fields {
			if f.changed() {
				return b.describeChange(fmt.Sprintf("has a different %s than", f.name))
			}
		}
		return ""
	}
}

// sameChild compares modules by their Bases, since module values may not be
// comparable.
func sameChild(a, b NamedModule) bool {
	return a.Name == b.Name && a.Module.ModuleBase() == b.Module.ModuleBase()
}

// describeChange names the module in the error of a graph that refuses to replay.
func (b *Base) describeChange(what string) string {
	of := ""
	if b.name != "" {
		of = fmt.Sprintf(" %q", b.name)
	}
	return fmt.Sprintf("the %s%s %s when the step was captured", goName(b.self), of, what)
}

// equal reports whether two sets have the same hooks.
func (s *hookSet) equal(o *hookSet) bool {
	return slices.Equal(s.pre, o.pre) && slices.Equal(s.post, o.post) && slices.Equal(s.backPre, o.backPre) &&
		slices.Equal(s.back, o.back)
}

// watchedField is a field of a module. changed reports whether the field has changed;
// it runs before each replay and takes a few nanoseconds.
type watchedField struct {
	name    string
	changed func() bool
}

// watchedFieldsOf returns the fields to watch of a struct and of the structs that it embeds.
func watchedFieldsOf(m Module,
	watch func(f reflect.StructField, v reflect.Value) (changed func() bool),
) []watchedField {
	var all []watchedField
	var each func(v reflect.Value)
	each = func(v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case f.Type == baseType || f.Type.Size() == 0:
			case f.Anonymous && f.Type.Kind() == reflect.Struct:
				each(v.Field(i))
			case f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct &&
				!f.Type.Implements(moduleType):
				if !v.Field(i).IsNil() {
					each(reflect.NewAt(f.Type.Elem(), v.Field(i).UnsafePointer()).Elem())
				}
			default:
				// Makes the field readable even if it is unexported.
				of := reflect.NewAt(f.Type, v.Field(i).Addr().UnsafePointer()).Elem()
				if changed := watch(f, of); changed != nil {
					all = append(all, watchedField{f.Name, changed})
				}
			}
		}
	}
	if v := reflect.ValueOf(m); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		each(v.Elem())
	}
	return all
}

// watchSetting watches the exported fields of a layer. It compares numbers, strings,
// lists of numbers and optional numbers by value, and everything else by pointer.
func watchSetting(f reflect.StructField, v reflect.Value) (changed func() bool) {
	switch elem := f.Type; {
	case !f.IsExported():
		return nil
	case elem.Kind() == reflect.String:
		now, was := (*string)(v.Addr().UnsafePointer()), v.String()
		return func() bool { return *now != was }
	case elem.Kind() == reflect.Pointer && isNumber(elem.Elem().Kind()):
		now, n := (*unsafe.Pointer)(v.Addr().UnsafePointer()), elem.Elem().Size()
		if *now == nil {
			return func() bool { return *now != nil }
		}
		was := slices.Clone(unsafe.Slice((*byte)(*now), n))
		return func() bool { return *now == nil || string(unsafe.Slice((*byte)(*now), n)) != string(was) }
	case elem.Kind() == reflect.Slice && isNumber(elem.Elem().Kind()):
		// len(*now) counts elements and not bytes, whatever their type.
		now, n := (*[]byte)(v.Addr().UnsafePointer()), elem.Elem().Size()
		held := func() []byte { return unsafe.Slice(unsafe.SliceData(*now), uintptr(len(*now))*n) }
		was := slices.Clone(held())
		return func() bool { return string(held()) != string(was) }
	default:
		return watchMemory(v)
	}
}

// watchModules watches the fields that hold modules, or lists of modules.
func watchModules(f reflect.StructField, v reflect.Value) (changed func() bool) {
	switch kind := f.Type.Kind(); {
	case holdsModule(f.Type), kind == reflect.Array && holdsModule(f.Type.Elem()):
		return watchMemory(v)
	case kind == reflect.Map && holdsModule(f.Type.Elem()):
		was := reflect.MakeMap(f.Type)
		for at := v.MapRange(); at.Next(); {
			was.SetMapIndex(at.Key(), at.Value())
		}
		return func() bool {
			if v.Len() != was.Len() {
				return true
			}
			for at := v.MapRange(); at.Next(); {
				m := was.MapIndex(at.Key())
				if !m.IsValid() || baseIn(m) != baseIn(at.Value()) {
					return true
				}
			}
			return false
		}
	case kind == reflect.Slice && holdsModule(f.Type.Elem()):
		was := reflect.MakeSlice(f.Type, v.Len(), v.Len())
		reflect.Copy(was, v)
		list, size := watchMemory(v), int(f.Type.Elem().Size())
		then := unsafe.Slice((*byte)(was.UnsafePointer()), was.Len()*size)
		now := unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*size)
		return func() bool { return list() || string(now) != string(then) }
	}
	return nil
}

// baseIn returns the Base of the module in a value, or nil.
func baseIn(v reflect.Value) *Base {
	if v.IsNil() {
		return nil
	}
	return v.Interface().(Module).ModuleBase() //nolint:forcetypeassert // see watchModules
}

// watchMemory returns a function that reports whether the value's memory has changed.
func watchMemory(v reflect.Value) (changed func() bool) {
	was := reflect.New(v.Type()) // keeps the old pointers alive, so their addresses are not reused
	was.Elem().Set(v)
	of := func(p reflect.Value) []byte { return unsafe.Slice((*byte)(p.UnsafePointer()), v.Type().Size()) }
	now, then := of(v.Addr()), of(was)
	return func() bool { return string(now) != string(then) }
}

// isNumber reports whether a value of that kind is a number or a bool.
func isNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Complex128 }
