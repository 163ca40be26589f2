package data_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// Paths that are not regular files are refused. Reading a pipe could wait forever, and
// reading a device might never end.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "class"), 0o700))
	pipe, zero := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink("/dev/zero", zero))
	for _, path := range []string{dir, pipe, zero, os.DevNull} {
		for name, read := range map[string]func() error{
			"ReadImage":     func() error { _, err := data.ReadImage(path); return err },
			"ReadCSV":       func() error { _, err := data.ReadCSV(path); return err },
			"NewCSVDataset": func() error { _, err := data.NewCSVDataset(path); return err },
			"ReadIDX":       func() error { _, err := data.ReadIDX(path); return err },
			"WebDataset": func() error {
				d, err := data.NewWebDataset([]string{path})
				require.NoError(t, err)
				return d.Samples(data.WorkerInfo{}, func(*data.WebSample) bool { return true })
			},
		} {
			err := read()
			require.ErrorIs(t, err, torch.ErrFormat, "%s %s", name, path)
			assert.ErrorContains(t, err, path+": expected a file, got a ", name)
		}
	}
	require.NoError(t, os.Symlink(pipe, filepath.Join(root, "class", "a.png")))
	require.NoError(t, os.Symlink(pipe, filepath.Join(root, "test_batch.bin")))
	folder, err := data.NewImageFolder(root)
	require.NoError(t, err)
	_, err = folder.TryGet(0)
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "a.png: expected a file, got a pipe")
	_, err = data.CIFAR10(root, data.Train(false))
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "expected a file, got a pipe")
}
