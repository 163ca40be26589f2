package serialization_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Close returns even for a value that contains itself, and does nothing for nil.
func TestCloseOfEndlessValues(t *testing.T) {
	of := func(x *torch.Tensor) (values []any) {
		list := []any{x, nil}
		list[1] = list
		dict := new(serialization.Dict)
		dict.Set("x", x)
		dict.Set("again", dict)
		parameter := &serialization.Parameter{Tensor: x}
		parameter.State = parameter
		attributed := &serialization.Attributed{Tensor: x}
		attributed.State = attributed
		set := &serialization.Set{Items: []any{x, nil}}
		set.Items[1] = set
		object := &serialization.Object{Args: serialization.Tuple{x}}
		object.State = object
		return []any{list, dict, parameter, attributed, set, object}
	}
	for i := range of(nil) {
		x := torch.Disown(torch.Ones(torch.Shape{1}))
		serialization.Close(of(x)[i])
		assert.True(t, x.IsClosed(), "%d", i)
	}
	for _, v := range []any{
		nil, (*torch.Tensor)(nil), (*serialization.Parameter)(nil), (*serialization.Attributed)(nil),
		(*serialization.Set)(nil), (*serialization.Dict)(nil), (*serialization.Object)(nil),
	} {
		assert.NotPanics(t, func() { serialization.Close(v) }, "%T", v)
	}
}
