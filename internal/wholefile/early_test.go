package wholefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// While a large file is written, the system is asked to begin writing it to the disk.
// Each request begins where the previous request ended, and covers only bytes that are
// already in the file. Less than one piece is left for the end.
func TestTheDiskBeginsEarly(t *testing.T) {
	for _, sizes := range [][]int{{}, {1}, {piece}, {piece - 1, 1}, {3*piece + 5}, {100, 2 * piece, 100, piece}} {
		var all []byte
		var told int64
		path := filepath.Join(t.TempDir(), "f")
		require.NoError(t, put(path, func(w io.Writer) error {
			for i, n := range sizes {
				b := bytes.Repeat([]byte{byte(i + 1), byte(n), 7}, n/3+1)[:n]
				all = append(all, b...)
				k, err := w.Write(b)
				require.NoError(t, err)
				require.Equal(t, n, k)
			}
			return nil
		}, system{
			begin: func(f *os.File, from, n int64) {
				require.Equal(t, told, from)
				require.GreaterOrEqual(t, n, int64(piece))
				told += n
				info, err := f.Stat()
				require.NoError(t, err)
				require.GreaterOrEqual(t, info.Size(), told)
				begin(f, from, n)
			},
			sync: func(f *os.File) error {
				if f.Name() != filepath.Dir(path) {
					assert.Less(t, int64(len(all))-told, int64(piece), "%v", sizes)
				}
				return f.Sync()
			},
			rename: os.Rename,
		}))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(all, got), "%v", sizes)
	}
}

// If a large write fails, Write returns the error and the number of bytes that were
// written before it.
func TestEarlyWriteFails(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer func() { require.NoError(t, f.Close()) }()
	e := &early{f: f, start: func(*os.File, int64, int64) { t.Error("nothing was written") }}
	n, err := e.Write(make([]byte, 2*piece))
	assert.Zero(t, n)
	require.ErrorIs(t, err, syscall.ENOSPC)
}

// begin is only a request. If the system cannot fulfill it, for example for a pipe, there
// is no error.
func TestBeginPromisesNothing(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	begin(w, 0, 1)
	require.NoError(t, r.Close())
	require.NoError(t, w.Close())
	begin(w, 0, 1)
}
