package wholefile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// Whoever reads an error knows the file that was asked for, and no other.
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
