package numpy_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

// array describes an array as NumPy reads it.
type array struct {
	DType   string
	Shape   torch.Shape
	Fortran bool
	Values  []float64
	Same    bool // whether Save writes the same bytes as the file has
}

// golden describes a file as NumPy reads it: a single array, or an archive of arrays.
type golden struct {
	array
	Names  []string
	Arrays map[string]array
}

func goldens(t *testing.T) map[string]golden {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var all map[string]golden
	require.NoError(t, json.Unmarshal(text, &all))
	require.Greater(t, len(all), 40)
	return all
}

func goldenPath(file string) string { return filepath.Join("testdata", "golden", file) }

func compare(t *testing.T, want array, x *torch.Tensor, name string) {
	t.Helper()
	assert.Equal(t, want.DType, x.DType().String(), name)
	assert.Equal(t, want.Shape, x.Shape(), name)
	assert.Equal(t, !want.Fortran, x.IsContiguous(), "%s: strides %v", name, x.Stride())
	assert.True(t, x.Device().IsCPU())
	torch.Scope(func() {
		if x.IsComplex() {
			x = x.ViewAsReal()
		}
		got := x.To(torch.Float64).Contiguous().Float64s()
		assert.True(t, slices.EqualFunc(want.Values, got, func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b)
		}),
			"%s: want %v, got %v", name, want.Values, got)
	})
}

func TestFilesOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, want := range goldens(t) {
		if want.Names != nil {
			continue
		}
		data, err := os.ReadFile(goldenPath(name + ".npy"))
		require.NoError(t, err)
		info, err := numpy.ReadInfo(goldenPath(name + ".npy"))
		require.NoError(t, err, name)
		for _, mmap := range []numpy.Mmap{false, true} {
			x, err := numpy.Load(goldenPath(name+".npy"), mmap)
			require.NoError(t, err, name)
			assert.Equal(t, numpy.Info{DType: x.DType(), Descr: info.Descr, Shape: x.Shape(), Bytes: x.NBytes()}, info,
				name)
			compare(t, want.array, x, name)
			var written strings.Builder
			require.NoError(t, numpy.SaveTo(&written, x))
			if want.Same {
				assert.Equal(t, string(data), written.String(), name)
			}
			again, err := numpy.LoadFrom(strings.NewReader(written.String()))
			require.NoError(t, err, name)
			compare(t, want.array, again, name)
			require.NoError(t, again.Close())
			require.NoError(t, x.Close())
		}
	}
	assert.Zero(t, mapped.Live())
}

func TestArchivesOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	all := goldens(t)
	paths, err := filepath.Glob(goldenPath("*.npz"))
	require.NoError(t, err)
	require.Len(t, paths, 7)
	for _, path := range paths {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".npz"), "_")
		want := all[name]
		f, err := numpy.OpenNpz(path)
		require.NoError(t, err, path)
		assert.ElementsMatch(t, want.Names, f.Names(), path)
		for n, a := range want.Arrays {
			for _, asked := range []string{n, n + ".npy"} {
				x, err := f.Tensor(asked)
				require.NoError(t, err, n)
				compare(t, a, x, path+" "+n)
				info, err := f.Info(asked)
				require.NoError(t, err, n)
				assert.Equal(t,
					numpy.Info{Name: n, DType: x.DType(), Descr: info.Descr, Shape: x.Shape(), Bytes: x.NBytes()}, info,
					n)
				require.NoError(t, x.Close())
			}
		}
		require.NoError(t, f.Close())
		tensors, err := numpy.LoadNpz(path)
		require.NoError(t, err)
		assert.Len(t, tensors, len(want.Names))
		for n, x := range tensors {
			compare(t, want.Arrays[n], x, path+" "+n)
			require.NoError(t, x.Close())
		}
	}
}

// If a file has several arrays, each call of LoadFrom reads the next one.
func TestArraysInTurn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f, err := os.Open(goldenPath("many.npy"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	for _, want := range []torch.Shape{{2, 3, 4}, {2, 3}, {}} {
		x, err := numpy.LoadFrom(f)
		require.NoError(t, err)
		assert.Equal(t, want, x.Shape())
		require.NoError(t, x.Close())
	}
	_, err = numpy.LoadFrom(f)
	require.ErrorIs(t, err, torch.ErrTruncated)
	rest, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Empty(t, rest)
}
