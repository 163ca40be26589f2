package files_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/files"
)

// Open opens only regular files. For a pipe it fails immediately.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("four"), 0o600))
	require.NoError(t, os.Symlink("file", at("link")))
	require.NoError(t, os.Symlink("nothing", at("dangling")))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	socket, err := net.Listen("unix", at("socket"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, socket.Close()) }()
	for _, name := range []string{"file", "link"} {
		f, size, err := files.Open(at(name))
		require.NoError(t, err)
		assert.Equal(t, int64(4), size)
		require.NoError(t, f.Close())
	}
	for path, text := range map[string]string{
		dir: "a folder", at("pipe"): "a pipe", os.DevNull: "a device", "/dev/zero": "a device",
		at("socket"): "something of mode S",
	} {
		_, _, err := files.Open(path)
		require.ErrorAs(t, err, new(*files.NotRegularError))
		assert.ErrorContains(t, err, path+": expected a file, got "+text)
		_, err = files.Read(path, 10)
		require.ErrorAs(t, err, new(*files.NotRegularError))
	}
	for _, path := range []string{at("none"), at("dangling"), "", at("file") + "\x00"} {
		_, _, err := files.Open(path)
		var e *fs.PathError
		require.ErrorAs(t, err, &e, path)
		assert.Equal(t, path, e.Path)
		assert.True(t, path == "" || path[len(path)-1] == 0 || assert.ErrorIs(t, err, fs.ErrNotExist))
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("four"), 0o600))
	b, err := files.Read(path, 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(b))
	_, err = files.Read(path, 3)
	require.ErrorAs(t, err, new(*files.TooLargeError))
	assert.EqualError(t, err, path+": the file has 4 bytes, more than 3")
}

// Open checks the kind of file twice: before and after opening. If a pipe replaces the
// file between the checks, Open does not wait for the pipe.
func TestOpenOfWhatChanges(t *testing.T) {
	dir := t.TempDir()
	path, pipe, file := filepath.Join(dir, "path"), filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("four"), 0o600))
	turn := func(from string) {
		next := filepath.Join(dir, "next")
		assert.NoError(t, os.Link(from, next))
		assert.NoError(t, os.Rename(next, path))
	}
	turn(file)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				turn(pipe)
				turn(file)
			}
		}
	}()
	for range 5000 {
		f, size, err := files.Open(path)
		if err != nil {
			assert.ErrorAs(t, err, new(*files.NotRegularError))
			continue
		}
		assert.Equal(t, int64(4), size)
		require.NoError(t, f.Close())
	}
	close(stop)
	<-done
}
