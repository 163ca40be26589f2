package safetensors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// malformed describes the expected error for a damaged file.
type malformed struct{ Kind, Tensor, Python string }

var kinds = map[string]error{
	"format": torch.ErrFormat, "truncated": torch.ErrTruncated, "unsupported": torch.ErrUnsupported,
}

func damaged(t testing.TB) map[string]malformed {
	t.Helper()
	text, err := os.ReadFile("testdata/malformed.json")
	require.NoError(t, err)
	var all map[string]malformed
	require.NoError(t, json.Unmarshal(text, &all))
	require.GreaterOrEqual(t, len(all), 120)
	return all
}

func TestDamagedFilesAreErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	limit := filetest.Limit{Bytes: 256 << 10, Times: 40} // JSON is read token by token
	for name, want := range damaged(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "malformed", name+".safetensors")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for way, read := range map[string]func() (map[string]*torch.Tensor, error){
				"mapped": func() (map[string]*torch.Tensor, error) { return safetensors.LoadFile(path) },
				"read": func() (map[string]*torch.Tensor, error) {
					return safetensors.LoadFile(path, safetensors.BackendPread)
				},
				"bytes": func() (map[string]*torch.Tensor, error) { return safetensors.Load(data) },
			} {
				from := path
				if way == "bytes" {
					from = ""
				}
				e := filetest.Refused(t, from, int64(len(data)), kinds[want.Kind], limit, func() error {
					got, err := read()
					assert.Empty(t, got)
					return err
				})
				assert.Equal(t, want.Tensor, e.Tensor, "%v", e)
			}
		})
	}
}

// These are all files that Python accepts and this package refuses, each with the reason.
func TestStricterThanPython(t *testing.T) {
	why := map[string]string{
		"space_first": "a header begins with {", "newline_first": "as space_first",
		"tensor_is_list": "what is said of a tensor is an object", "dtype_is_object": "a dtype is a string",
		"shape_65_dimensions": "operators take 64", "shape_10000_dimensions": "as shape_65_dimensions",
		"key_unknown":  "it may change what the others mean",
		"tensor_twice": "the format forbids it", "tensor_twice_escaped": "as tensor_twice",
		"metadata_key_twice": "as tensor_twice",
	}
	for name, m := range damaged(t) {
		assert.Equal(t, why[name] != "", m.Python == "reads it", name)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for name, want := range map[string]string{
		"overlap":      `safetensors: tensor "b": byte 135: begins within tensor "a"`,
		"hole_between": `safetensors: tensor "b": byte 140: the 4 bytes before it belong to no tensor`,
		"length_at_limit": "safetensors: byte 10: the header has 100000000 bytes, but the file has only 2 after " +
			"the length",
		"dtype_unknown": `safetensors: tensor "a": byte 24: unknown dtype "F33"`,
		"bytes_after":   "safetensors: byte 77: the file has 1 bytes after the last tensor",
		"claims_a_terabyte": `safetensors: tensor "a": byte 100: has 1099511627776 bytes at offset 92, ` +
			"but the file ends 1099511627768 bytes early",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "malformed", name+".safetensors"))
		require.NoError(t, err)
		_, err = safetensors.Load(data)
		assert.EqualError(t, err, want, name)
	}
	_, err := safetensors.LoadFile(filepath.Join("testdata", "malformed", "overlap.safetensors"))
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "safetensors: testdata/malformed/overlap.safetensors: tensor"),
		err.Error())
}

func TestFilesOfOtherPackages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	_, err := safetensors.Load([]byte("PK\x03\x04 and the rest of an archive"))
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "(see torch/serialization)")
}
