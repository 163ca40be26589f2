package numpy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

var kinds = map[string]error{
	"format": torch.ErrFormat, "truncated": torch.ErrTruncated, "unsupported": torch.ErrUnsupported,
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
			filetest.Refused(t, path, int64(len(data)), kinds[kind], filetest.Limit{Bytes: 128 << 10, Times: 8}, read)
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
		// The length is known only for the first reader.
		for _, r := range []io.Reader{bytes.NewReader(data), bytes.NewBuffer(data)} {
			check("", func() error {
				_, err := numpy.LoadFrom(r)
				return err
			})
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for name, want := range map[string]string{
		"objects.npy": "byte 0: an array of Python objects, stored as a pickle; unpickling could run any code " +
			"(allow_pickle=True)",
		"numbers_cut.npy":   "shape (2,) of <f4 needs 8 bytes, but the file has 7",
		"texts.npy":         "a tensor cannot hold dtype <U3",
		"entry_longer.npz":  `tensor "a": shape (2,) of <f4 needs 8 bytes, but the file has 9`,
		"checksum.npz":      `tensor "a": a damaged archive: the checksum is 433cd881, expected 6ac62ee6`,
		"array.npz":         "the file has a single array, not an archive; read it with Load",
		"names_twice.npz":   `tensor "a": it occurs twice`,
		"shape_is_list.npy": "shape is not a tuple",
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
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "LoadNpz")
	_, err = numpy.Load("malformed_test.go")
	require.EqualError(t, err, `npy: malformed_test.go: byte 0: not a NumPy file: the first bytes are not "\x93NUMPY"`)
	pointer := filepath.Join(t.TempDir(), "lfs")
	require.NoError(t,
		os.WriteFile(pointer, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"), 0o600))
	_, err = numpy.Load(pointer)
	assert.ErrorContains(t, err, "a pointer of Git LFS")
	_, err = numpy.LoadNpz(pointer)
	assert.ErrorContains(t, err, "a pointer of Git LFS")
	for path, reads := range map[string]string{
		"../serialization/testdata/golden/tensor.pt": "torch/serialization",
		"../jit/testdata/goldens/values.pt":          "torch/jit",
	} {
		_, err = numpy.OpenNpz(path)
		require.ErrorIs(t, err, torch.ErrUnsupported, path)
		assert.ErrorContains(t, err, reads)
	}
}

// A small archive that decompresses to a large one is refused, unless MaxInflated allows
// its size.
func TestInflation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "zeros.npz")
	torch.Scope(func() {
		require.NoError(t,
			numpy.SavezCompressed(map[string]*torch.Tensor{"x": torch.Zeros(torch.Shape{1 << 20})}, path))
		_, err := numpy.LoadNpz(path, numpy.MaxInflated(1<<20))
		require.ErrorIs(t, err, torch.ErrUnsupported)
		require.ErrorContains(t, err, "MaxInflated")
		all, err := numpy.LoadNpz(path, numpy.MaxInflated(1<<23))
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{1 << 20}, all["x"].Shape())
	})
}
