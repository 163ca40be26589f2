package safetensors_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// saved writes a file with two tensors and returns its path. The tensor "count" has the
// values 0 to 11 in shape (3, 4), and the tensor "bytes" has the values 0 to 4.
func saved(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	torch.Scope(func() {
		require.NoError(t, safetensors.SaveFile(map[string]*torch.Tensor{
			"count": torch.Arange(0, 12, 1).To(torch.Float32).Reshape(3, 4),
			"bytes": torch.Arange(0, 5, 1).To(torch.Uint8),
		}, path, safetensors.Metadata{"format": "pt"}))
	})
	return path
}

func open(t testing.TB, path string, opts ...safetensors.OpenOption) *safetensors.File {
	t.Helper()
	f, err := safetensors.Open(path, opts...)
	require.NoError(t, err)
	return f
}

func TestTensorIsTheMapping(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := saved(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	f := open(t, path, safetensors.BackendMmap)
	a, err := f.Tensor("count")
	require.NoError(t, err)
	b, err := f.Tensor("count")
	require.NoError(t, err)
	assert.Equal(t, a.DataPtr(), b.DataPtr(), "nothing is copied")
	assert.Equal(t, int64(1), mapped.Live())
	torch.Scope(func() { a.Fill_(7) })
	assert.Equal(t, float32(7), b.Float32s()[11])
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the file is as it was")

	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	assert.Equal(t, float32(7), a.Float32s()[0], "a tensor outlives its file")
	_, err = f.Tensor("count")
	require.ErrorIs(t, err, torch.ErrClosed)
	assert.Equal(t, []string{"bytes", "count"}, f.Names(), "the header was read")
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	assert.Zero(t, mapped.Live())
	require.NoError(t, (*safetensors.File)(nil).Close())
}

// Open maps a file into memory only with BackendMmap.
func TestTensorsAreRead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := open(t, saved(t))
	a, err := f.Tensor("count")
	require.NoError(t, err)
	b, err := f.Tensor("count")
	require.NoError(t, err)
	assert.NotEqual(t, a.DataPtr(), b.DataPtr())
	assert.Zero(t, mapped.Live())
	require.NoError(t, f.Close())
	_, err = f.Tensor("count")
	require.ErrorIs(t, err, torch.ErrClosed)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
}

func TestInfo(t *testing.T) {
	f := open(t, saved(t))
	defer func() { assert.NoError(t, f.Close()) }()
	info, err := f.Info("count")
	require.NoError(t, err)
	assert.Equal(t, "F32", info.Code)
	assert.Equal(t, torch.Float32, info.DType)
	assert.Equal(t, torch.Shape{3, 4}, info.Shape)
	assert.Equal(t, int64(48), info.Bytes)
	stat, err := os.Stat(saved(t))
	require.NoError(t, err)
	assert.Equal(t, stat.Size()-48-5, info.Offset)
	info.Shape[0] = 100
	again, err := f.Info("count")
	require.NoError(t, err)
	assert.Equal(t, torch.Shape{3, 4}, again.Shape, "a copy")
	f.Metadata()["format"] = "x"
	assert.Equal(t, map[string]string{"format": "pt"}, f.Metadata(), "a copy")
	assert.Equal(t, []string{"count", "bytes"}, f.OffsetNames())
	_, err = f.Info("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
	require.EqualError(t, err, `safetensors: `+stringOf(err).Path+`: tensor "none": the file has no such tensor`)
	_, err = f.Tensor("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
	_, err = f.Slice("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
}

func stringOf(err error) *torch.FileError {
	return err.(*torch.FileError) //nolint:errorlint // of this package alone
}

// A file may contain tensors of a dtype that libtorch does not have. They are listed, and
// only reading them is an error.
func TestUnsupportedIsListed(t *testing.T) {
	f := open(t, filepath.Join("testdata", "malformed", "unsupported_f6_e2m3.safetensors"))
	defer func() { assert.NoError(t, f.Close()) }()
	info, err := f.Info("a")
	require.NoError(t, err)
	assert.Equal(t, "F6_E2M3", info.Code)
	assert.Zero(t, info.DType)
	assert.Equal(t, int64(3), info.Bytes)
	_, err = f.Tensor("a")
	require.ErrorIs(t, err, torch.ErrUnsupported)
}

func TestSlice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
		torch.Scope(func() {
			f := open(t, saved(t), backend)
			defer func() { assert.NoError(t, f.Close()) }()
			rows, err := f.Slice("count", torch.Slice(1, 3))
			require.NoError(t, err)
			assert.Equal(t, "[[4 5 6 7] [8 9 10 11]]", fmt.Sprint(rows.ToList()))
			column, err := f.Slice("count", torch.All, 2)
			require.NoError(t, err)
			assert.Equal(t, "[2 6 10]", fmt.Sprint(column.ToList()))
			picked, err := f.Slice("count", []int{2, 0}, torch.SliceStep(0, 4, 2))
			require.NoError(t, err)
			assert.Equal(t, "[[8 10] [0 2]]", fmt.Sprint(picked.ToList()))
			if backend == safetensors.BackendMmap {
				whole, err := f.Tensor("count")
				require.NoError(t, err)
				assert.Equal(t, whole.DataPtr()+16, rows.DataPtr(), "a view")
			} else {
				assert.Equal(t, int64(32), rows.StorageBytes(), "the rest is gone")
			}
			whole, err := f.Tensor("count")
			require.NoError(t, err)
			for _, indices := range [][]any{
				{},
				{-1},
				{uint8(2), nil},
				{torch.Ellipsis, 1},
				{torch.Slice(3, 3)},
				{torch.SliceStep(0, 3, 2), torch.Slice(1, 4)},
				{torch.NewAxis, torch.All, torch.Slice(1, 3)},
				{2, 3},
				{true},
				{[]bool{true, false, true}},
			} {
				part, err := f.Slice("count", indices...)
				require.NoError(t, err)
				want := whole.Index(indices...)
				assert.Equal(t, want.Shape(), part.Shape(), "%v", indices)
				assert.Equal(t, want.ToList(), part.ToList(), "%v", indices)
				if backend == safetensors.BackendPread {
					assert.Equal(t, part.NBytes(), part.StorageBytes(), "%v", indices)
				}
			}
			for _, wrong := range [][]any{{5}, {0, 0, 0}, {"x"}} {
				_, err := f.Slice("count", wrong...)
				var e *torch.Error
				require.ErrorAs(t, err, &e)
			}
		})
	}
	assert.Zero(t, mapped.Live())
}

func TestDevice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		f := open(t, saved(t), safetensors.Device(torch.Meta))
		x, err := f.Tensor("count")
		require.NoError(t, err)
		assert.Equal(t, torch.Meta, x.Device())
		part, err := f.Slice("count", 0)
		require.NoError(t, err)
		assert.Equal(t, torch.Meta, part.Device())
		require.NoError(t, f.Close())
		assert.Zero(t, mapped.Live())
		all, err := safetensors.LoadFile(saved(t), safetensors.Device(0))
		require.NoError(t, err)
		assert.Equal(t, torch.CPU, all["count"].Device())
	})
	missing := safetensors.Device(torch.CUDA.At(99))
	for _, open := range []func() error{
		func() error { _, err := safetensors.Open("x", missing); return err },
		func() error { _, err := safetensors.LoadFile("x", missing); return err },
		func() error { _, err := safetensors.OpenSharded("x", missing); return err },
		func() error { _, err := safetensors.LoadSharded("x", missing); return err },
	} {
		require.ErrorIs(t, open(), torch.ErrDevice)
	}
	require.ErrorIs(t, torch.Try(func() { _, _ = safetensors.Open("x", safetensors.Backend("y")) }), torch.ErrValue)
}

// The default device applies to new tensors, but not to the tensors of a file. These are on
// the CPU, as in Python.
func TestDefaultDevice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.WithDevice(torch.Meta, func() {
		for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
			torch.Scope(func() {
				all, err := safetensors.LoadFile(goldenPath("shapes"), backend)
				require.NoError(t, err)
				for name, x := range all {
					assert.Equal(t, torch.CPU, x.Device(), name)
				}
			})
		}
	})
}

// Paths that are not regular files are refused.
func TestNoFile(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing.safetensors")
	for _, open := range []func(string) error{
		func(path string) error { _, err := safetensors.Open(path); return err },
		func(path string) error { _, err := safetensors.LoadFile(path); return err },
		func(path string) error { _, err := safetensors.OpenSharded(path); return err },
		func(path string) error { _, err := safetensors.LoadSharded(path); return err },
	} {
		err := open(missing)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.EqualError(t, err, "safetensors: "+missing+": no such file or directory")
	}
	_, err := safetensors.Open(folder)
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "a folder")

	pipe := filepath.Join(folder, "pipe.safetensors")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = safetensors.Open(pipe)
	require.ErrorIs(t, err, torch.ErrFormat, "nobody waits for a writer")
	_, err = safetensors.OpenSharded(pipe)
	require.ErrorIs(t, err, torch.ErrFormat)
}

// Reading a tensor from a truncated file returns an error and does not end the process.
func TestFileThatGotShorter(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
		path := saved(t)
		f := open(t, path, backend)
		info, err := f.Info("bytes")
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, info.Offset+2))
		for name, take := range map[string]func() error{
			"Tensor":        func() error { _, err := f.Tensor("bytes"); return err },
			"Slice":         func() error { _, err := f.Slice("bytes", torch.All); return err },
			"Slice, listed": func() error { _, err := f.Slice("bytes", []int{0}); return err },
			"Tensors":       func() error { _, err := f.Tensors(); return err },
		} {
			err := take()
			require.ErrorIs(t, err, torch.ErrTruncated, "%s: %s", backend, name)
			assert.Equal(t, "bytes", stringOf(err).Tensor)
			assert.Equal(t, info.Offset+2, stringOf(err).Offset)
			assert.Equal(t, path, stringOf(err).Path)
		}
		whole, err := f.Tensor("count") // "count" comes before the position at which the file was truncated
		require.NoError(t, err)
		assert.Equal(t, float32(11), whole.Float32s()[11])
		require.NoError(t, whole.Close())
		require.NoError(t, f.Close())
		_, err = f.Slice("count", 0)
		require.ErrorIs(t, err, torch.ErrClosed)

		_, err = safetensors.Open(path, backend)
		require.ErrorIs(t, err, torch.ErrTruncated)
	}
}

// If a new file replaces a mapped file, the mapping keeps the old contents.
func TestReplacedWhileMapped(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := saved(t)
	torch.Scope(func() {
		old, err := safetensors.LoadFile(path, safetensors.BackendMmap)
		require.NoError(t, err)
		require.NoError(t, safetensors.SaveFile(map[string]*torch.Tensor{"count": torch.Zeros(torch.Shape{1})}, path))
		assert.Equal(t, float32(11), old["count"].Float32s()[11])
		now, err := safetensors.LoadFile(path, safetensors.BackendMmap)
		require.NoError(t, err)
		assert.Equal(t, []float32{0}, now["count"].Float32s())
	})
}

// If a File becomes unreachable without Close, it is unmapped after its last tensor is
// freed.
func TestDroppedFile(t *testing.T) {
	func() {
		f := open(t, saved(t), safetensors.BackendMmap)
		x, err := f.Tensor("count")
		require.NoError(t, err)
		require.NoError(t, x.Close())
	}()
	for range 1000 { // try again, because the runtime runs the cleanup on another goroutine
		runtime.GC()
		if mapped.Live() == 0 {
			break
		}
		runtime.Gosched()
	}
	assert.Zero(t, mapped.Live())
}

func TestManyGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
		f := open(t, saved(t), backend)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					torch.Scope(func() {
						x, err := f.Tensor("count")
						if assert.NoError(t, err) {
							assert.Equal(t, float32(11), x.Float32s()[11])
						}
						assert.Len(t, f.Names(), 2)
					})
				}
			})
		}
		wg.Wait()
		require.NoError(t, f.Close())
	}
	assert.Zero(t, mapped.Live())
}
