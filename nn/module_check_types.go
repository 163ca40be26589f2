package nn

import (
	"reflect"
	"strings"
	"sync"
)

// mayHoldCache caches the results of mayHold.
var mayHoldCache sync.Map // reflect.Type to bool

// mayHold reports whether a value of type t can hold or refer to modules or tensors
// that should be registered. If not, the check skips the value, for example a large
// array of numbers.
func mayHold(t reflect.Type) bool {
	if known, ok := mayHoldCache.Load(t); ok {
		return known.(bool)
	}
	found := leadsToModules(t, map[reflect.Type]bool{})
	mayHoldCache.Store(t, found)
	return found
}

func leadsToModules(t reflect.Type, met map[reflect.Type]bool) bool {
	if met[t] {
		return false
	}
	met[t] = true
	if t == tensorType || t.Implements(moduleType) || t != baseType && reflect.PointerTo(t).Implements(moduleType) {
		return true
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return leadsToModules(t.Elem(), met)
	case reflect.Array:
		return t.Len() > 0 && leadsToModules(t.Elem(), met)
	case reflect.Struct:
		if isForeign(t) {
			return false
		}
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get(fieldTag) != "-" && leadsToModules(f.Type, met) {
				return true
			}
		}
	}
	return false
}

// isForeign reports whether a struct's fields are not part of a model. This holds for
// the standard library, whose values other goroutines may be writing, and for
// optimizers, loaders and hooks, which refer to parameters they do not own.
func isForeign(t reflect.Type) bool {
	if t == reflect.TypeFor[Hook]() {
		return true
	}
	root := strings.TrimSuffix(baseType.PkgPath(), "/nn")
	if inner, ok := strings.CutPrefix(t.PkgPath(), root+"/"); ok {
		top, _, _ := strings.Cut(inner, "/")
		return top == "torch" || top == "optim" || top == "internal" || top == "cgotorch"
	}
	top, _, _ := strings.Cut(t.PkgPath(), "/")
	return stdlibRoots[top]
}

// stdlibRoots lists the first path elements of the standard library.
var stdlibRoots = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`archive bufio bytes compress container context crypto database debug embed
		encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin
		reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique
		weak`) {
		stdlibRoots[name] = true
	}
}
