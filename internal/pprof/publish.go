// Package pprof writes statistics by stack in the format of "go tool pprof", and serves
// them next to Go's own profiles.
package pprof

import (
	"io"
	"reflect"
	"runtime/pprof"
)

// Publish registers a profile with runtime/pprof. The API of runtime/pprof supports only
// profiles that count stacks. Go's own profiles, which also have bytes, use two functions
// that count and write. These functions are in unexported fields that have existed since
// Go 1.0. Publish sets the fields if they still exist with that type. Otherwise it
// returns false and the profile stays empty.
func Publish(name string, count func() int, write func(w io.Writer, debug int) error) bool {
	p := pprof.NewProfile(name)
	return setField(p, "count", count) && setField(p, "write", write)
}

func setField(p *pprof.Profile, name string, fn any) bool {
	f := reflect.ValueOf(p).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeOf(fn) || !f.CanAddr() {
		return false
	}
	reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(fn))
	return true
}
