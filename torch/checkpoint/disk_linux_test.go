package checkpoint_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

// mounted mounts a small file system for the test and returns its directory. It requires
// root.
func mounted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("mounting a file system needs root, and the right to mount: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// failing saves a tensor of 100 KB and calls hinder. It checks that further saves fail
// with an error of the given kind and errno, and that the first checkpoint is still good.
// Then it calls help and checks that a save succeeds. If background is true, it checks
// Async saves too.
func failing(t *testing.T, dir string, kind error, errno syscall.Errno, background bool, hinder, help func()) {
	t.Helper()
	x := torch.Zeros(torch.Shape{25_000})
	defer func() { _ = x.Close() }()
	state := checkpoint.State{"x": x}
	for _, async := range []bool{false, background} {
		m := open(t, dir, checkpoint.Async(async), checkpoint.Keep(1))
		save := func(step int) error {
			x.Fill_(step)
			if err := m.Save(t.Context(), step, state); err != nil {
				return err
			}
			return m.Wait(t.Context())
		}
		require.NoError(t, save(1))
		first := newest(t, dir)
		hinder()
		for range 2 {
			err := save(2)
			var fe *torch.FileError
			require.ErrorAs(t, err, &fe)
			require.ErrorIs(t, err, kind)
			require.ErrorIs(t, err, errno)
			assert.Equal(t, dir, filepath.Dir(fe.Path))
		}
		if errno == syscall.EROFS { // the read-only mount hides the saved files
			help()
		}
		r, err := m.Resume(state)
		require.NoError(t, err)
		assert.Empty(t, r.Skipped)
		assert.Equal(t, 1, r.Step)
		assert.Equal(t, 1.0, x.Index(3).Item())
		if errno != syscall.EROFS {
			help()
		}
		require.NoError(t, save(3))
		assert.Equal(t, []int{3}, steps(t, dir))
		assert.Equal(t, first+3, newest(t, dir), "each save, even a failed one, uses a new number")
		left, err := filepath.Glob(filepath.Join(dir, "*.pt.*"))
		require.NoError(t, err)
		assert.Empty(t, left, "a failed save leaves no temporary file")
		require.NoError(t, m.Close())
	}
}

// newest returns the number of the newest checkpoint in dir.
func newest(t *testing.T, dir string) int64 {
	t.Helper()
	all, err := checkpoint.List(dir)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all[len(all)-1].Number
}

func TestFullDisk(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := mounted(t)
	other := filepath.Join(dir, "other")
	failing(t, dir, checkpoint.ErrNoSpace, syscall.ENOSPC, true,
		func() { require.NoError(t, os.WriteFile(other, make([]byte, 100_000), 0o600)) },
		func() { require.NoError(t, os.Remove(other)) })
}

func TestFilesTooLarge(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	limit := func(l syscall.Rlimit) func() {
		return func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)) }
	}
	defer limit(was)()
	failing(t, t.TempDir(), checkpoint.ErrNoSpace, syscall.EFBIG, true,
		limit(syscall.Rlimit{Cur: 50_000, Max: was.Max}), limit(was))
}

// Saves fail if the file system becomes read-only. The test mounts a read-only file
// system over the directory.
func TestReadOnlyFileSystem(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := mounted(t)
	failing(t, dir, checkpoint.ErrReadOnly, syscall.EROFS, true,
		func() { require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_RDONLY, "")) },
		func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	for _, d := range []string{dir, filepath.Join(dir, "new")} {
		_, err := checkpoint.Open(d)
		require.ErrorIs(t, err, checkpoint.ErrReadOnly)
	}
	n := 0
	_, err := checkpoint.Resume(dir, checkpoint.State{"n": &n}, checkpoint.RNG(false))
	require.ErrorIs(t, err, torch.ErrNotFound, "reading needs no right to write")
}

// foldersUser makes a directory that this thread's user owns. File modes do not apply to
// root, so if the process runs as root, foldersUser gives the directory and this thread
// to another user. all reports whether all threads run as the owner.
func foldersUser(t *testing.T) (dir string, all bool) {
	t.Helper()
	dir, err := os.MkdirTemp("", "read-only") //nolint:usetesting // t.TempDir is in a directory of this user
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	if os.Geteuid() != 0 {
		return dir, true
	}
	const nobody = 65534
	require.NoError(t, os.Chown(dir, nobody, nobody))
	user := func(uid uintptr) { _, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, uid, 0, 0) } // returns no error
	runtime.LockOSThread()
	user(nobody)
	t.Cleanup(func() {
		user(0)
		runtime.UnlockOSThread()
	})
	return dir, false
}

// Saves fail if the mode of the directory does not allow writing.
func TestReadOnlyFolder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, async := foldersUser(t)
	mode := func(m os.FileMode) func() { return func() { require.NoError(t, os.Chmod(dir, m)) } }
	failing(t, dir, checkpoint.ErrReadOnly, syscall.EACCES, async, mode(0o500), mode(0o700))
	mode(0o500)()
	defer mode(0o700)()
	_, err := checkpoint.Open(filepath.Join(dir, "new"))
	require.ErrorIs(t, err, checkpoint.ErrReadOnly)
}

// Rotation keeps checkpoints that the system cannot read, because they may be good.
func TestUnreadOnesStay(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, _ := foldersUser(t)
	m := open(t, dir, checkpoint.Keep(1))
	n := 0
	for step := range 3 {
		require.NoError(t, m.Save(t.Context(), step, checkpoint.State{"n": &n}))
		if step == 0 {
			require.NoError(t, os.Chmod(filepath.Join(dir, "000001-step-0.pt"), 0))
		}
	}
	require.NoError(t, m.Close())
	names, err := filepath.Glob(filepath.Join(dir, "*.pt"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "000001-step-0.pt"), filepath.Join(dir, "000003-step-2.pt")}, names)
}

// Open returns an error for a path that cannot be a directory.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "x")} {
		_, err := checkpoint.Open(dir)
		var fe *torch.FileError
		require.ErrorAs(t, err, &fe)
		require.ErrorIs(t, err, syscall.ENOTDIR)
	}
}

// Resume returns an error if the system cannot read the newest checkpoint, because that
// checkpoint may be good. It does not load an older checkpoint.
func TestUnreadOnesAreNotSkipped(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, _ := foldersUser(t)
	n := 0
	state := checkpoint.State{"n": &n}
	m := open(t, dir)
	for step := range 2 {
		n = step
		require.NoError(t, m.Save(t.Context(), step, state))
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, nameAt(t, dir, 1)), 0))
	n = 5
	_, err := m.Resume(state)
	require.ErrorIs(t, err, os.ErrPermission)
	assert.Equal(t, 5, n)
	require.NoError(t, m.Close())
}
