package embedded_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/embedded"
)

type named interface{ Name() string }

type inner struct{ n int }

func (i *inner) Name() string { return "inner" }

func (i *inner) Other() int { return i.n }

type (
	inherits  struct{ *inner }
	contains  struct{ inner }
	declares  struct{ *inner }
	wraps     struct{ declares }
	holds     struct{ named }
	unrelated struct{ in *inner }
)

func (declares) Name() string { return "declares" }

func name(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Name") }

func other(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Other") }

func TestFind(t *testing.T) {
	in := &inner{}
	for _, v := range []any{in, &inherits{in}, &declares{in}, &wraps{declares{in}}, &holds{in}} {
		got, ok := embedded.Find[*inner](v)
		assert.True(t, ok, "%T", v)
		assert.Same(t, in, got, "%T", v)
	}
	c := &contains{}
	got, ok := embedded.Find[*inner](c)
	assert.True(t, ok)
	assert.Same(t, &c.inner, got)
	for _, v := range []any{nil, 1, &unrelated{in}, &inherits{}, &holds{}, inherits{in}} {
		_, ok := embedded.Find[*inner](v)
		assert.False(t, ok, "%T", v)
	}
}

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		v           any
		name, other int
	}{
		{&inner{}, 0, 0},
		{inherits{}, 1, 1},
		{&inherits{}, 1, 1},
		{&contains{}, 1, 1},
		{contains{}, -1, -1},
		{declares{}, 0, 1},
		{&declares{}, 0, 1},
		{wraps{}, 1, 2},
		{&wraps{}, 1, 2},
		{holds{}, 1, -1},
		{unrelated{}, -1, -1},
	} {
		at := reflect.TypeOf(c.v)
		assert.Equal(t, c.name, embedded.Depth(at, name), "%T", c.v)
		assert.Equal(t, c.other, embedded.Depth(at, other), "%T", c.v)
	}
}
