package opt

import "reflect"

// IsNil reports whether v is nil or contains a nil pointer, function or channel. It is
// for arguments that are interfaces. It returns false for a nil slice or map, which
// counts as empty.
func IsNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Chan:
		return r.IsNil()
	}
	return false
}
