package nn

import (
	"reflect"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/torch"
)

var (
	baseType   = reflect.TypeFor[Base]()
	moduleType = reflect.TypeFor[Module]()
	tensorType = reflect.TypeFor[*torch.Tensor]()
)

var packagePath = baseType.PkgPath()

// baseOf returns the Base of m, or nil if m embeds a layer that is nil.
func baseOf(m Module) (b *Base) {
	defer func() {
		if p := recover(); p != nil {
			b = nil
		}
	}()
	return m.ModuleBase()
}

// inheritsForward reports whether self inherits Forward from an embedded layer.
func inheritsForward(self Module) bool {
	return embedded.Depth(reflect.TypeOf(self),
		func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Forward") }) > 0
}

// sameModule reports whether a and b are the same pointer. Values of an interpreter's
// types cannot be compared and count as the same.
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
