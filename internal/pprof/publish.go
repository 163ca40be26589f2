// Package pprof writes what stacks made in the format of "go tool pprof", and
// serves it beside Go's own profiles.
package pprof

import (
	"io"
	"reflect"
	"runtime/pprof"
)

// Publish registers a profile with runtime/pprof, which lets a profile of one's own
// only count the stacks that were added to it, one by one; Go's own profiles, which
// carry bytes as well, have functions that count and write. The fields that hold
// them exist since Go 1.0 and are set here if they are still there and of that
// type. Without them Publish returns false and the profile stays empty.
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
