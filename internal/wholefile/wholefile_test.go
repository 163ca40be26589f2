package wholefile_test

import (
	"errors"
	"io"
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
