package jit_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// A method returns each value as the Go type that the package documentation lists.
func TestValuesComeBack(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "values")
		defer func() { assert.NoError(t, m.Close()) }()
		x, y := torch.Ones(torch.Shape{2}), torch.Arange(0, 3, 1)
		for _, c := range []struct {
			method    string
			arg, want any
		}{
			{"same_int", 7, int64(7)},
			{"same_int", uint8(7), int64(7)},
			{"same_int", torch.Float32, int64(6)},
			{"same_int", int64(math.MinInt64), int64(math.MinInt64)},
			{"same_float", 2.5, 2.5},
			{"same_float", 2, 2.0},
			{"same_float", float32(0.5), 0.5},
			{"same_float", math.Inf(-1), math.Inf(-1)},
			{"same_bool", true, true},
			{"same_complex", complex(1, -2), complex(1, -2)},
			{"same_complex", 3, complex(3, 0)},
			{"same_string", "", ""},
			{"same_string", "nine letters \x00\xff ключ", "nine letters \x00\xff ключ"},
			{"same_optional", nil, nil},
			{"same_optional", "a", "a"},
			{"same_device", torch.CPU, torch.CPU},
			{"same_ints", []int64{}, []int64{}},
			{"same_ints", []any{}, []int64{}},
			{"same_ints", []any{1, int8(2)}, []int64{1, 2}},
			{"same_ints", []int{3, 4}, []int64{3, 4}},
			{"same_ints", torch.Shape{5}, []int64{5}},
			{"same_ints", [2]uint16{5, 6}, []int64{5, 6}},
			{"same_floats", []float64{1, 2.5}, []float64{1, 2.5}},
			{"same_floats", []int64{1, 2}, []float64{1, 2}},
			{"same_floats", []float32{1, 2}, []float64{1, 2}},
			{"same_bools", []bool{true, false}, []bool{true, false}},
			{
				"same_strings",
				[]string{"a", "", "long enough for two words"},
				[]string{"a", "", "long enough for two words"},
			},
			{"same_nested", [][]int64{{1}, {}}, []any{[]int64{1}, []int64{}}},
			{"same_nested", []any{[]int64{1}, []any{2}}, []any{[]int64{1}, []int64{2}}},
			{"same_number", 2, 6.5},
			{
				"same_int_dict",
				map[int][]string{2: {"b"}, 1: {}},
				jit.NewDict(int64(1), []string{}, int64(2), []string{"b"}),
			},
			{
				"same_int_dict", jit.NewDict(2, []string{"b"}, 1, []any{}),
				jit.NewDict(int64(2), []string{"b"}, int64(1), []string{}),
			},
			{"same_any", jit.Tuple{1, "a", nil}, jit.Tuple{int64(1), "a", nil}},
			{"same_any", []string{"a"}, []string{"a"}},
			{"same_any", jit.NewDict("a", 1), jit.NewDict("a", int64(1))},
			{"same_color", jit.Enum{Name: "BLUE"}, jit.Enum{Class: "__torch__.Color", Name: "BLUE", Value: int64(2)}},
		} {
			assert.Equal(t, c.want, m.RunMethod(c.method, c.arg), "%s(%v)", c.method, c.arg)
		}
		list := m.RunMethod("same_tensors", []*torch.Tensor{x, y}).([]*torch.Tensor)
		require.Len(t, list, 2)
		assert.Equal(t, x.DataPtr(), list[0].DataPtr(), "a tensor is the tensor itself")
		optionals := m.RunMethod("same_optionals", []*torch.Tensor{x, nil}).([]any)
		assert.Nil(t, optionals[1])
		dict := m.RunMethod("same_dict", map[string]*torch.Tensor{"b": y, "a": x}).(*jit.Dict)
		assert.Equal(t, []any{"a", "b"}, dict.Keys())
		tuple := m.RunMethod("same_tuple", jit.Tuple{1, "s", jit.Tuple{2, x}}).(jit.Tuple)
		assert.Equal(t, 2.0, tuple[2].(jit.Tuple)[0])
		for _, arg := range []any{jit.Tuple{x, 3}, &jit.NamedTuple{Values: []any{x, 3}}} {
			point := m.RunMethod("same_point", arg).(*jit.NamedTuple)
			assert.Equal(t, "Point", point.Name)
			assert.Equal(t, []string{"x", "y"}, point.Fields)
			n, ok := point.Get("y")
			assert.True(t, ok)
			assert.Equal(t, int64(3), n)
			_, ok = point.Get("z")
			assert.False(t, ok)
		}
		twice := m.RunMethod("twice", x).(jit.Tuple)
		assert.Same(t, twice[0], twice[1], "one tensor is one *Tensor")
		assert.Nil(t, m.RunMethod("nothing_at_all"))

		torchtest.AllClose(t, torch.FromSlice([]float32{7.5, 7.5}),
			m.Run(x, jit.Kwargs{"times": 3, "bias": torch.Full(torch.Shape{2}, 2)}).(*torch.Tensor).Detach())
		assert.Equal(t, 11.25, m.RunMethod("same_number", 2.75, jit.Kwargs{"plus": 0.25, "by": 4}))
	})
}
