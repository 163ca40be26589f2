package torch_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

// If a tensor is passed to a method for numbers, the error names an existing method for tensors.
func TestTensorWhereANumberGoes(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		assert.EqualError(t, torch.Try(func() { x.AddScalar(x) }),
			"torch: AddScalar: argument other: expected a number, bool or complex, got *torch.Tensor: Add takes a "+
				"tensor")
		assert.ErrorContains(t, torch.Try(func() { x.MulScalar_(x) }), "Mul_ takes a tensor")
		assert.ErrorContains(t, torch.Try(func() { torch.Full(torch.Shape{2}, x) }), "x.Item() returns the number")
		tensor := reflect.TypeFor[*torch.Tensor]()
		for i := range tensor.NumMethod() {
			m := tensor.Method(i)
			if !strings.HasSuffix(strings.TrimSuffix(m.Name, "_"), "Scalar") {
				continue
			}
			args := []reflect.Value{reflect.ValueOf(x)}
			for k := 1; k < m.Type.NumIn() && (k < m.Type.NumIn()-1 || !m.Type.IsVariadic()); k++ {
				if in := m.Type.In(k); in == reflect.TypeFor[any]() {
					args = append(args, reflect.ValueOf(x))
				} else if in == tensor {
					args = append(args, reflect.ValueOf(torch.Zeros(torch.Shape{2}, torch.Int64)))
				} else {
					args = append(args, reflect.Zero(in))
				}
			}
			err := torch.Try(func() { m.Func.Call(args) })
			if assert.ErrorIs(t, err, torch.ErrType, m.Name) {
				_, after, found := strings.Cut(err.Error(), "*torch.Tensor: ")
				name, _, _ := strings.Cut(after, " takes")
				_, exists := tensor.MethodByName(name)
				assert.True(t, found && exists, "%s: %v", m.Name, err)
			}
		}
	})
}

// Where and SetIndex accept tensors and numbers, and the error says so.
func TestTensorsAndNumbers(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		for _, call := range []func(){
			func() { torch.Where(x.GtScalar(0), "a", x) },
			func() { x.Where(x.GtScalar(0), "a") },
			func() { x.SetIndex("a", 0) },
		} {
			assert.ErrorContains(t, torch.Try(call), "expected a tensor, number, bool or complex, got string")
		}
	})
}
