package opt

import "reflect"

// IsNil reports whether v is nil or contains a nil pointer, function or channel, for arguments
// that are interfaces. It is false for a nil slice or map, which is an empty one.
func IsNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Chan:
		return r.IsNil()
	}
	return false
}
