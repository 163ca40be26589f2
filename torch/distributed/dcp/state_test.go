package dcp_test

import (
	"fmt"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/serialization"
)

// This file makes the same state as testdata/dcp.py.

// pattern returns a tensor with many different bit patterns, including NaN.
func pattern(shape ...int64) *torch.Tensor {
	n := torch.Shape(shape).Numel()
	bits := make([]int32, n)
	for i := range bits {
		bits[i] = int32(int64(i) * 123456789)
	}
	return torch.FromSlice(bits).ViewDType(torch.Float32).View(shape...)
}

func tensors() map[string]any {
	n := torch.Arange(12).To(torch.Float64).View(3, 4).SubScalar(5.5)
	m := map[string]any{}
	for name, d := range map[string]torch.DType{
		"float64": torch.Float64, "float16": torch.Float16, "bfloat16": torch.BFloat16, "int64": torch.Int64,
		"int32": torch.Int32,
		"int8":  torch.Int8, "bool": torch.Bool, "complex64": torch.Complex64,
	} {
		m[name] = n.To(d)
	}
	m["uint8"] = torch.FromSlice([]uint8{0, 1, 2, 3, 4})
	m["pattern"] = pattern(7, 5)
	m["turned"] = pattern(4, 3).T()
	m["part"] = pattern(6, 6).Narrow(0, 2, 3).Narrow(1, 1, 2)
	m["scalar"] = torch.Full(torch.Shape{}, 2.25)
	m["empty"] = torch.Zeros(torch.Shape{0, 4})
	return m
}

func state() map[string]any {
	return map[string]any{
		"model": tensors(),
		"epoch": 5, "rate": 0.25, "name": "wörd", "flag": true, "none": nil, "large": int64(1 << 40),
		"list": []any{1, 2, "x"}, "tuple": serialization.Tuple{1, 2.5},
		"mixed": []any{pattern(2), 3, map[string]any{"a": -1, "in": map[string]any{"b": pattern(3, 1)}}},
	}
}

func whole() map[string]*torch.Tensor {
	return map[string]*torch.Tensor{"rows": pattern(10, 3), "columns": pattern(2, 7), "few": pattern(1, 4)}
}

// dims is the dimension along which each tensor in whole is sharded.
var dims = map[string]int{"rows": 0, "columns": 1, "few": 0}

// parts returns this rank's part of each tensor in whole.
func parts(rank, world int, of map[string]int, blank bool) map[string]any {
	m := map[string]any{}
	for name, t := range whole() {
		dim := of[name]
		offsets, part := dcp.Bounds(t.Shape(), int64(dim), rank, world)
		mine := t.Narrow(int64(dim), offsets[dim], part[dim])
		if blank {
			mine = torch.Zeros(part)
		}
		m[name] = dcp.Shard{Tensor: mine, Offsets: offsets, Size: t.Shape()}
	}
	return m
}

// blank returns a copy of v with different values.
func blank(v any) any {
	switch v := v.(type) {
	case *torch.Tensor:
		return torch.ZerosLike(v)
	case map[string]any:
		m := map[string]any{}
		for k, x := range v {
			m[k] = blank(x)
		}
		return m
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = blank(x)
		}
		return out
	case int:
		return -100
	case int64:
		return int64(-100)
	case float64:
		return -100.0
	case string:
		return "to be replaced"
	case bool:
		return !v
	}
	return v
}

// same returns an error that describes the difference between want and got, or nil.
func same(want, got any, where string) error {
	switch want := want.(type) {
	case *torch.Tensor:
		t, ok := got.(*torch.Tensor)
		if !ok || t.DType() != want.DType() || !t.Shape().Equal(want.Shape()) {
			return fmt.Errorf("%s: expected a tensor of %v %v, got %v", where, want.DType(), want.Shape(), got)
		}
		if a, b := bits(want), bits(t); !assert.ObjectsAreEqual(a, b) {
			return fmt.Errorf("%s: expected the bits %v, got %v", where, a, b)
		}
	case map[string]any:
		m, ok := got.(map[string]any)
		if !ok || len(m) != len(want) {
			return fmt.Errorf("%s: expected %v, got %v", where, want, got)
		}
		for k, v := range want {
			if err := same(v, m[k], where+"."+k); err != nil {
				return err
			}
		}
	case []any:
		l, ok := got.([]any)
		if !ok || len(l) != len(want) {
			return fmt.Errorf("%s: expected %v, got %v", where, want, got)
		}
		for i, v := range want {
			if err := same(v, l[i], fmt.Sprint(where, ".", i)); err != nil {
				return err
			}
		}
	case dcp.Shard:
		return same(want.Tensor, got.(dcp.Shard).Tensor, where)
	default:
		if !assert.ObjectsAreEqual(want, got) {
			return fmt.Errorf("%s: expected %T %v, got %T %v", where, want, want, got, got)
		}
	}
	return nil
}

func bits(t *torch.Tensor) []uint8 {
	if t.Numel() == 0 {
		return nil
	}
	return t.Contiguous().View(-1).ViewDType(torch.Uint8).Uint8s()
}
