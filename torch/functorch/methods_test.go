package functorch_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// callAll calls every method of a tensor with some arguments, and returns the number of calls. A
// call may return or panic with an *Error; anything else fails the test.
func callAll(t *testing.T, x *torch.Tensor) (calls int) {
	t.Helper()
	v, tensors := reflect.ValueOf(x), reflect.TypeFor[*torch.Tensor]()
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		if m.Name == "Close" || m.Name == "Format" { // Format needs a fmt.State
			continue
		}
		var args []reflect.Value
		n := m.Type.NumIn()
		if m.Type.IsVariadic() {
			n--
		}
		for k := 1; k < n; k++ {
			switch in := m.Type.In(k); {
			case in == tensors:
				args = append(args, v)
			case in == reflect.TypeFor[[]*torch.Tensor]():
				args = append(args, reflect.ValueOf(list(x)))
			case in.Kind() == reflect.Interface && in.NumMethod() == 0:
				args = append(args, reflect.ValueOf(1.0))
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		calls++
		_ = torch.Try(func() { torch.Scope(func() { v.Method(i).Call(args) }) })
	}
	return calls
}

// No method of a layer's tensor crashes the process, neither within the transform nor after it.
func TestEveryMethod(t *testing.T) {
	before := torch.SetWarnings(torch.WarnNever)
	defer torch.SetWarnings(before)
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3, 2})
		var escaped []*torch.Tensor
		fn := functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			assert.Greater(t, callAll(t, x.Clone()), 600)
			escaped = append(escaped, torch.Disown(x.Exp()))
			return x.Sum()
		})
		functorch.VMap(fn, functorch.RandomnessDifferent)(x)
		functorch.Grad(fn)(x)
		functorch.JVP(fn, list(x), list(x))
		functorch.VMap(functorch.Grad(fn), functorch.RandomnessSame)(x)
		for _, y := range escaped {
			callAll(t, y)
			_ = y.Close()
		}
	})
}
