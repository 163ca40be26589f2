package opt

import "reflect"

// IsNil reports whether v is nil or contains a nil pointer, for arguments that are
// interfaces.
func IsNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}
