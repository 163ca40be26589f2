package wholefile

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// WriteDurable writes the bytes to the disk before the file gets its name, and the name
// to the disk before it returns. If a step fails, the path still names a complete file,
// either the old or the new one.
func TestDurable(t *testing.T) {
	for _, failing := range []string{"", "sync file", "rename", "sync folder"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		require.NoError(t, WriteDurable(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "old")
			return err
		}))
		var did []string
		step := func(name string) error {
			did = append(did, name)
			if name == failing {
				return syscall.EIO
			}
			return nil
		}
		err := put(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "new")
			return err
		}, system{
			sync: func(f *os.File) error {
				if f.Name() == dir {
					return step("sync folder")
				}
				text, err := os.ReadFile(f.Name())
				require.NoError(t, err)
				assert.Equal(t, "new", string(text), "nothing is left in a buffer")
				return step("sync file")
			},
			rename: func(from, to string) error {
				if err := step("rename"); err != nil {
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
				}
				return os.Rename(from, to)
			},
		})
		all := []string{"sync file", "rename", "sync folder"}
		want := "old"
		switch failing {
		case "":
			require.NoError(t, err)
			want = "new"
		case "sync folder":
			want = "new"
			fallthrough
		default:
			require.ErrorIs(t, err, syscall.EIO, failing)
		}
		for i, name := range all {
			if name == failing {
				all = all[:i+1]
				break
			}
		}
		assert.Equal(t, all, did)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(text), failing)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, files, 1, "nothing is left over")
	}
}

// makeFolder writes the name of each directory that it creates to the disk, beginning
// with the outermost directory.
func TestMakeFolder(t *testing.T) {
	dir := t.TempDir()
	var synced []string
	sys := system{sync: func(f *os.File) error {
		synced = append(synced, f.Name())
		return nil
	}}
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	require.NoError(t, makeFolder(at("a", "b", "c")+"/", sys))
	assert.Equal(t, []string{dir, at("a"), at("a", "b")}, synced)
	assert.DirExists(t, at("a", "b", "c"))
	synced = nil
	require.NoError(t, makeFolder(at("a", "b"), sys))
	assert.Empty(t, synced, "it was there")
	t.Chdir(dir)
	require.NoError(t, makeFolder("x/y", sys))
	assert.Equal(t, []string{".", "x"}, synced)
	require.NoError(t, os.WriteFile(at("f"), nil, 0o600))
	require.ErrorIs(t, MakeFolder(at("f", "x")), syscall.ENOTDIR)
	sys.sync = func(*os.File) error { return syscall.EIO }
	require.ErrorIs(t, makeFolder(at("z"), sys), syscall.EIO)
}

// Prepare writes a file under a temporary name, and Place gives it the final name. So a
// caller can prepare several files before it places any of them, or discard them all.
func TestPrepared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	one, err := Prepare(path, text("one"))
	require.NoError(t, err)
	two, err := Prepare(path, text("two"))
	require.NoError(t, err)
	assert.NoFileExists(t, path)
	require.NoError(t, one.Place())
	two.Discard()
	two.Discard()
	one.Discard()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "one", string(got))
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1)
	null, err := Prepare(os.DevNull, text("x"))
	require.NoError(t, err)
	require.NoError(t, null.Place())
}

// On some file systems, directories cannot be synchronized. This is not an error.
func TestFoldersWithoutSync(t *testing.T) {
	for _, err := range []error{syscall.EINVAL, syscall.ENOTSUP} {
		sys := system{sync: func(*os.File) error { return err }}
		assert.NoError(t, sys.folder(t.TempDir()))
	}
	sys := system{sync: func(*os.File) error { return syscall.EIO }}
	require.ErrorIs(t, sys.folder(t.TempDir()), syscall.EIO)
	require.ErrorIs(t, sys.folder(filepath.Join(t.TempDir(), "none")), os.ErrNotExist)
}
