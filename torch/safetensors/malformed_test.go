package safetensors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// malformed is what the script says of a damaged file.
type malformed struct{ Kind, Tensor, Python string }

var kinds = map[string]error{
	"format": safetensors.ErrFormat, "truncated": safetensors.ErrTruncated, "unsupported": safetensors.ErrUnsupported,
}

func damaged(t testing.TB) map[string]malformed {
	t.Helper()
	text, err := os.ReadFile("testdata/malformed.json")
	require.NoError(t, err)
	var all map[string]malformed
	require.NoError(t, json.Unmarshal(text, &all))
	require.GreaterOrEqual(t, len(all), 60)
	return all
}

func TestDamagedFilesAreErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, want := range damaged(t) {
		path := filepath.Join("testdata", "malformed", name+".safetensors")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		check := func(got map[string]any, err error) {
			t.Helper()
			assert.Empty(t, got, name)
			assert.ErrorIs(t, err, kinds[want.Kind], name)
			var e *safetensors.FileError
			if !assert.ErrorAs(t, err, &e, name) {
				return
			}
			assert.Equal(t, want.Tensor, e.Tensor, "%s: %v", name, err)
			assert.True(t, e.Offset >= 0 && e.Offset <= int64(len(data)) || e.Tensor != "", "%s: %v", name, err)
			assert.NotEmpty(t, e.Detail, name)
			assert.Less(t, len(err.Error()), 700, name)
		}
		for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
			got, err := safetensors.LoadFile(path, backend)
			check(anything(got), err)
			var e *safetensors.FileError
			if assert.ErrorAs(t, err, &e) {
				assert.Equal(t, path, e.Path)
			}
		}
		got, err := safetensors.Load(data)
		check(anything(got), err)
	}
	assert.Zero(t, mapped.Live())
}

func anything[T any](m map[string]T) map[string]any {
	all := map[string]any{}
	for k, v := range m {
		all[k] = v
	}
	return all
}

// Files that Python takes and this package does not are known one by one.
func TestStricterThanPython(t *testing.T) {
	why := map[string]string{
		"space_first": "a header begins with {", "newline_first": "as space_first",
		"tensor_is_list": "what is said of a tensor is an object", "dtype_is_object": "a dtype is a string",
		"shape_65_dimensions": "operators take 64", "shape_10000_dimensions": "as shape_65_dimensions",
		"key_unknown":  "it may change what the others mean",
		"tensor_twice": "the format forbids it", "tensor_twice_escaped": "as tensor_twice", "metadata_key_twice": "as tensor_twice",
	}
	for name, m := range damaged(t) {
		assert.Equal(t, why[name] != "", m.Python == "reads it", name)
	}
}

// A file that claims more than it has makes nobody allocate it.
func TestDamagedFilesTakeNoMemory(t *testing.T) {
	for name := range damaged(t) {
		path := filepath.Join("testdata", "malformed", name+".safetensors")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = safetensors.Load(data)
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<10+40*len(data)), name)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for name, want := range map[string]string{
		"overlap":           `safetensors: tensor "b": byte 135: begins within tensor "a"`,
		"hole_between":      `safetensors: tensor "b": byte 140: nobody owns the 4 bytes before it`,
		"length_at_limit":   "safetensors: byte 10: the header has 100000000 bytes, the file only 2 after the length",
		"dtype_unknown":     `safetensors: tensor "a": byte 24: the format has no dtype "F33"`,
		"bytes_after":       "safetensors: byte 77: 1 bytes after the last tensor",
		"claims_a_terabyte": `safetensors: tensor "a": byte 100: has 1099511627776 bytes from byte 92 on, the file ends 1099511627768 early`,
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "malformed", name+".safetensors"))
		require.NoError(t, err)
		_, err = safetensors.Load(data)
		assert.EqualError(t, err, want, name)
	}
	_, err := safetensors.LoadFile(filepath.Join("testdata", "malformed", "overlap.safetensors"))
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "safetensors: testdata/malformed/overlap.safetensors: tensor"), err.Error())
}
