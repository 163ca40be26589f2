package numpy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

var kinds = map[string]error{
	"format": numpy.ErrFormat, "truncated": numpy.ErrTruncated, "unsupported": numpy.ErrUnsupported,
}

func TestDamagedFilesAreErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/malformed.json")
	require.NoError(t, err)
	var all map[string]string
	require.NoError(t, json.Unmarshal(text, &all))
	require.GreaterOrEqual(t, len(all), 60)
	for name, kind := range all {
		path := filepath.Join("testdata", "malformed", name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		check := func(path string, read func() error) {
			t.Helper()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read()
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, kinds[kind], name)
			var e *numpy.FileError
			require.ErrorAs(t, err, &e, name)
			assert.Equal(t, path, e.Path, name)
			assert.True(t, e.Offset >= -1 && e.Offset <= int64(len(data)), "%s: %v", name, err)
			assert.Less(t, len(err.Error()), 700, name)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
		}
		if strings.HasSuffix(name, ".npz") {
			check(path, func() error {
				got, err := numpy.LoadNpz(path)
				assert.Nil(t, got, name)
				return err
			})
			continue
		}
		for _, mmap := range []numpy.Mmap{false, true} {
			check(path, func() error {
				_, err := numpy.Load(path, mmap)
				return err
			})
		}
		check("", func() error {
			_, err := numpy.LoadFrom(bytes.NewReader(data))
			return err
		})
	}
	assert.Zero(t, mapped.Live())
}

func TestErrorsSayWhere(t *testing.T) {
	for name, want := range map[string]string{
		"objects.npy":       "byte 0: an array of Python's objects, a pickle: who reads it runs what the file says (allow_pickle=True)",
		"numbers_cut.npy":   "shape (2,) of <f4 takes 8 bytes, there are 7",
		"texts.npy":         "no tensor holds the dtype <U3",
		"entry_longer.npz":  `tensor "a": shape (2,) of <f4 takes 8 bytes, there are 9`,
		"checksum.npz":      `tensor "a": a damaged archive: zip: checksum error`,
		"array.npz":         "one array, no archive: Load reads it",
		"names_twice.npz":   `tensor "a": it is there twice`,
		"shape_is_list.npy": "shape is no tuple",
	} {
		path := filepath.Join("testdata", "malformed", name)
		_, err := numpy.Load(path)
		if strings.HasSuffix(name, ".npz") {
			_, err = numpy.LoadNpz(path)
		}
		require.ErrorContains(t, err, want, name)
		assert.ErrorContains(t, err, path)
	}
	_, err := numpy.Load("testdata/golden/every_stored.npz")
	require.ErrorIs(t, err, numpy.ErrFormat)
	assert.ErrorContains(t, err, "LoadNpz")
}

// A small archive that grows is refused until its size is permitted.
func TestInflation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "zeros.npz")
	torch.Scope(func() {
		require.NoError(t, numpy.SavezCompressed(map[string]*torch.Tensor{"x": torch.Zeros(torch.Shape{1 << 20})}, path))
		_, err := numpy.LoadNpz(path, numpy.MaxInflated(1<<20))
		require.ErrorIs(t, err, numpy.ErrUnsupported)
		require.ErrorContains(t, err, "MaxInflated")
		all, err := numpy.LoadNpz(path, numpy.MaxInflated(1<<23))
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{1 << 20}, all["x"].Shape())
	})
}
