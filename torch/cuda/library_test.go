package cuda_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// otherLibrary creates a directory with links to the files of libtorch, but without CUDA.
// It returns the directory and the LD_LIBRARY_PATH to use it.
func otherLibrary(t *testing.T) (folder, path string) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	folder = t.TempDir()
	dirs := []string{folder}
	var main string // libtorch's directory
	for _, line := range strings.Split(string(maps), "\n") {
		at := strings.IndexByte(line, '/')
		if at < 0 || !strings.Contains(line, ".so") {
			continue
		}
		file := line[at:]
		dir := filepath.Dir(file)
		if strings.HasPrefix(filepath.Base(file), "libtorch_cpu.so") && dir != main {
			main = dir
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range entries {
				if !strings.HasPrefix(e.Name(), "libtorch_cuda") {
					require.NoError(t, os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(folder, e.Name())))
				}
			}
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == main })
	return folder, strings.Join(dirs, ":")
}

func TestNoSuchLibrary(t *testing.T) {
	if os.Getenv("GOTORCH_CHILD") == "" {
		_, path := otherLibrary(t)
		child(t, "TestNoSuchLibrary", "LD_LIBRARY_PATH="+path)
		return
	}
	assert.False(t, cuda.IsAvailable())
	err := torch.Try(func() { torch.Zeros(torch.Shape{2}, torch.CUDA.At(0)) })
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.Contains(t, err.Error(), "CUDA is not installed: there is no libtorch_cuda.so in ")
	assert.Equal(t, []float32{1, 1}, torch.Ones(torch.Shape{2}).Float32s(), "the CPU is not affected")
}

func TestNoSuchHalfLibrary(t *testing.T) {
	if os.Getenv("GOTORCH_CHILD") == "" {
		folder, path := otherLibrary(t)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "libtorch_cuda.so"), []byte("half of it"), 0o600))
		// gotorch loads the driver first. Any library that can be loaded will do here.
		require.NoError(t, os.Symlink(filepath.Join(folder, "libc10.so"), filepath.Join(folder, "libcuda.so.1")))
		child(t, "TestNoSuchHalfLibrary", "LD_LIBRARY_PATH="+path)
		return
	}
	err := cuda.Init()
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.Contains(t, err.Error(), "CUDA cannot be loaded: ")
	assert.Contains(t, err.Error(), "libtorch_cuda.so")
	assert.Equal(t, err.Error(), cuda.Init().Error(), "the answer stays")
}

// If there is no driver, the error is returned before gigabytes of libraries are loaded.
func TestNoSuchDriver(t *testing.T) {
	if os.Getenv("GOTORCH_CHILD") == "" {
		folder, path := otherLibrary(t)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "libtorch_cuda.so"), []byte("not to be opened"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "libcuda.so.1"), []byte("no driver"), 0o600))
		child(t, "TestNoSuchDriver", "LD_LIBRARY_PATH="+path)
		return
	}
	err := cuda.Init()
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.Contains(t, err.Error(), "device cuda is not available: Found no NVIDIA driver on your system: ")
	assert.Contains(t, err.Error(), "libcuda.so.1")
}
