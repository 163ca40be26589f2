package wholefile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/wholefile"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write := func(text string, err error) error {
		return wholefile.Write(path, func(w io.Writer) error {
			_, e := io.WriteString(w, text)
			return errors.Join(e, err)
		})
	}
	holds := func(want string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, files, 1, "nothing is left over")
	}
	require.NoError(t, write("one", nil))
	holds("one")
	require.ErrorIs(t, write("two", io.ErrClosedPipe), io.ErrClosedPipe)
	holds("one")
	assert.Panics(t, func() { _ = wholefile.Write(path, func(io.Writer) error { panic("oops") }) })
	holds("one")
	require.NoError(t, write("three", nil))
	holds("three")
	require.ErrorIs(t, wholefile.Write(filepath.Join(dir, "none", "f"), nil), os.ErrNotExist)
}

// Errors name the path that the caller passed, not the temporary file.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	for what, path := range map[string]string{
		"no folder": filepath.Join(dir, "none", "f"),
		"a folder":  dir,
	} {
		err := wholefile.Write(path, func(io.Writer) error { return nil })
		var e *fs.PathError
		if assert.ErrorAs(t, err, &e, what) {
			assert.Equal(t, path, e.Path, what)
		}
	}
	path := filepath.Join(dir, "f")
	err := wholefile.Write(path, func(w io.Writer) error {
		files, err := filepath.Glob(path + ".*")
		require.NoError(t, err)
		require.Len(t, files, 1)
		return &fs.PathError{Op: "write", Path: files[0], Err: io.ErrShortWrite}
	})
	assert.EqualError(t, err, "write "+path+": short write")
	require.ErrorIs(t, err, io.ErrShortWrite)
}

// Write replaces a regular file, but writes directly to a device or a pipe.
func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan string)
	go func() {
		text, err := os.ReadFile(pipe)
		got <- fmt.Sprint(string(text), err)
	}()
	require.NoError(t, wholefile.Write(pipe, text("through")))
	assert.Equal(t, "through<nil>", <-got)

	null := filepath.Join(dir, "null")
	require.NoError(t, os.Symlink(os.DevNull, null))
	require.NoError(t, wholefile.Write(null, text("nowhere")))
	to, err := os.Readlink(null)
	require.NoError(t, err)
	assert.Equal(t, os.DevNull, to)
	require.ErrorIs(t, wholefile.Write(null, func(io.Writer) error { return io.ErrShortWrite }), io.ErrShortWrite)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 2, "nothing is left over")
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// A new file has the permissions that the umask allows. A file that replaces an old file
// keeps the old file's permissions.
func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	mode := func() fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o666))
	info, err := os.Stat(plain)
	require.NoError(t, err)
	require.NoError(t, wholefile.Write(path, text("one")))
	assert.Equal(t, info.Mode(), mode(), "what the umask leaves")
	for _, want := range []fs.FileMode{0o600, 0o640, 0o777} {
		require.NoError(t, os.Chmod(path, want))
		require.NoError(t, wholefile.Write(path, text("two")))
		assert.Equal(t, want, mode())
	}
}

// Write replaces a symbolic link, not its target. A file name may be as long as the
// system allows.
func TestLinksAndNames(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))
	require.NoError(t, os.Symlink(target, link))
	require.NoError(t, wholefile.Write(link, text("new")))
	for path, want := range map[string]string{target: "old", link: "new"} {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	t.Chdir(dir)
	long := strings.Repeat("x", 255)
	require.NoError(t, wholefile.Write(long, text("long")))
	got, err := os.ReadFile(long)
	require.NoError(t, err)
	assert.Equal(t, "long", string(got))
	require.ErrorIs(t, wholefile.Write(long+"x", text("longer")), syscall.ENAMETOOLONG)
	require.Error(t, wholefile.Write("", text("nowhere")))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 3)
}
