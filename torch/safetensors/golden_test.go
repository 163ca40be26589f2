package safetensors_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// golden is what Python reads from a file.
type golden struct {
	Keys       []string
	OffsetKeys []string `json:"offset_keys"`
	Metadata   map[string]string
	Tensors    map[string]struct {
		DType  string
		Code   string
		Shape  torch.Shape
		Values []float64
	}
}

func goldens(t *testing.T) map[string]golden {
	t.Helper()
	text, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	var all map[string]golden
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all)
	return all
}

func goldenPath(name string) string {
	return filepath.Join("testdata", "goldens", name+".safetensors")
}

// values returns the elements of a tensor in the format of the golden files.
func values(x *torch.Tensor) []float64 {
	got := []float64{}
	torch.Scope(func() {
		switch {
		case x.DType() == torch.Float4E2M1FNX2:
			x = x.ViewDType(torch.Uint8)
		case x.IsComplex():
			x = x.ViewAsReal()
		}
		got = append(got, x.To(torch.Float64).Flatten().Float64s()...)
	})
	return got
}

// same compares the bits of the values, so that 0 and -0 differ.
func same(t *testing.T, want, got []float64, name string) {
	t.Helper()
	assert.True(t, slices.EqualFunc(want, got, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	}),
		"%s: want %v, got %v", name, want, got)
}

func TestFilesOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, want := range goldens(t) {
		for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
			t.Run(name+"/"+string(backend), func(t *testing.T) {
				f, err := safetensors.Open(goldenPath(name), backend)
				require.NoError(t, err)
				defer func() { assert.NoError(t, f.Close()) }()
				assert.Equal(t, want.Keys, f.Names())
				assert.Equal(t, want.Metadata, f.Metadata())
				offsets := slices.DeleteFunc(f.OffsetNames(), func(n string) bool {
					return len(want.Tensors[n].Values) == 0
				})
				assert.Equal(t, want.OffsetKeys, append([]string{}, offsets...))
				for n, w := range want.Tensors {
					info, err := f.Info(n)
					require.NoError(t, err)
					assert.Equal(t, w.Code, info.Code, n)
					x, err := f.Tensor(n)
					require.NoError(t, err)
					assert.Equal(t, w.DType, x.DType().String(), n)
					assert.Equal(t, info.DType, x.DType(), n)
					assert.Equal(t, w.Shape, x.Shape(), n)
					assert.Equal(t, info.Bytes, x.NBytes(), n)
					same(t, w.Values, values(x), n)
					require.NoError(t, x.Close())
				}
			})
		}
	}
}

// Save writes the same bytes as Python.
func TestSaveWritesPythonsBytes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, want := range goldens(t) {
		if name == "foreign" { // another program than Python wrote this file
			continue
		}
		torch.Scope(func() {
			data, err := os.ReadFile(goldenPath(name))
			require.NoError(t, err)
			tensors, err := safetensors.Load(data)
			require.NoError(t, err, name)
			for n, w := range want.Tensors {
				same(t, w.Values, values(tensors[n]), n)
			}
			again, err := safetensors.Save(tensors, safetensors.Metadata(want.Metadata))
			require.NoError(t, err, name)
			assert.Equal(t, string(data), string(again), name)

			path := filepath.Join(t.TempDir(), "again.safetensors")
			mapped, err := safetensors.LoadFile(goldenPath(name))
			require.NoError(t, err)
			require.NoError(t, safetensors.SaveFile(mapped, path, safetensors.Metadata(want.Metadata)))
			again, err = os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(data), string(again), name)
		})
	}
}
