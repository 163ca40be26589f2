package jit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// tensor is a tensor in a golden file.
type tensor struct {
	Tensor []float64
	Shape  torch.Shape
	DType  string
}

// golden is Python's description of an archive and of the results of its methods.
type golden struct {
	Calls []struct {
		Method string
		Args   []json.RawMessage
		Result json.RawMessage
	}
	Parameters [][3]json.RawMessage
	Buffers    [][2]json.RawMessage
	Modules    []string
	StateDict  []string `json:"state_dict"`
	Training   bool
	Text, Code string
}

func goldens(t testing.TB) map[string]golden {
	t.Helper()
	text, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	var all map[string]golden
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all, 10)
	return all
}

func goldenPath(name string) string { return filepath.Join("testdata", "goldens", name+".pt") }

func load(t testing.TB, name string, opts ...jit.LoadOption) *jit.Module {
	t.Helper()
	m, err := jit.Load(goldenPath(name), opts...)
	require.NoError(t, err, name)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	return m
}

// decode converts JSON to the Python value that it describes. Its tensors belong to the
// innermost scope, like new tensors.
func decode(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var one tensor
	if json.Unmarshal(raw, &one) == nil && one.DType != "" {
		dtype := map[string]torch.DType{
			"float32": torch.Float32, "float64": torch.Float64,
			"int64": torch.Int64,
		}[one.DType]
		require.NotZero(t, dtype, one.DType)
		return torch.FromSlice(one.Tensor).Reshape(one.Shape...).To(dtype)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		tuple := make(jit.Tuple, len(list))
		for i, x := range list {
			tuple[i] = decode(t, x)
		}
		return tuple
	}
	var n int64
	if json.Unmarshal(raw, &n) == nil {
		return n
	}
	var v any
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

// same compares tensors and tuples or lists of them by their elements, and other values with ==.
func same(t *testing.T, want, got any, what string) {
	t.Helper()
	switch want := want.(type) {
	case *torch.Tensor:
		x, ok := got.(*torch.Tensor)
		if assert.True(t, ok, "%s: %T", what, got) {
			assert.Equal(t, want.Shape(), x.Shape(), what)
			assert.Equal(t, want.DType(), x.DType(), what)
			torchtest.AllClose(t, want, x)
		}
	case jit.Tuple:
		list, ok := got.(jit.Tuple)
		if tensors, isList := got.([]*torch.Tensor); isList {
			for _, x := range tensors {
				list = append(list, x)
			}
			ok = true
		}
		if assert.True(t, ok, "%s: %T", what, got) && assert.Len(t, list, len(want), what) {
			for i := range want {
				same(t, want[i], list[i], what)
			}
		}
	default:
		assert.Equal(t, want, got, what)
	}
}
