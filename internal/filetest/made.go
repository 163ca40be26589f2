package filetest

import (
	"path"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

// Made checks nil pointers and pointers to zero values, which are values that no
// constructor has created. Every exported method must panic with a *torch.Error of kind
// ErrNil that names the method. Close must do nothing.
func Made(t testing.TB, values ...any) {
	t.Helper()
	for _, v := range values {
		r := reflect.ValueOf(v)
		of := r.Type().Elem()
		for i := range r.NumMethod() {
			method := r.Type().Method(i)
			if method.Name == "Close" {
				assert.True(t, r.Method(i).Call(nil)[0].IsNil(), "Close of %T", v)
				continue
			}
			name := path.Base(of.PkgPath()) + "." + of.Name() + "." + method.Name
			var args []reflect.Value
			for a := 1; a < method.Type.NumIn(); a++ {
				if a < method.Type.NumIn()-1 || !method.Type.IsVariadic() {
					args = append(args, reflect.Zero(method.Type.In(a)))
				}
			}
			err := torch.Try(func() { r.Method(i).Call(args) })
			var e *torch.Error
			if assert.ErrorAs(t, err, &e, name) {
				assert.ErrorIs(t, e, torch.ErrNil, name)
				assert.Equal(t, name, e.Op)
			}
		}
	}
}
