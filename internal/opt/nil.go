package opt

import "reflect"

// IsNil reports whether there is nothing in v, or a nil pointer: for arguments that
// are interfaces.
func IsNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}
