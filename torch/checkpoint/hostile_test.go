package checkpoint_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

// A view that conjugates or negates the values in memory is saved separately from other
// tensors that share its memory.
func TestLazyBits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, async := range []bool{false, true} {
		torch.Scope(func() {
			x := torch.Arange(4, torch.Float32).Reshape(2, 2).ViewAsComplex()
			im := x.Imag()
			state := checkpoint.State{"x": x, "conj": x.Conj(), "imag": im, "neg": x.Conj().Imag()}
			dir := t.TempDir()
			m := open(t, dir, checkpoint.Async(async))
			require.NoError(t, m.Save(t.Context(), 1, state))
			require.NoError(t, m.Close())
			loaded := checkpoint.State{}
			for name, v := range state {
				loaded[name] = torch.ZerosLike(v.(*torch.Tensor))
			}
			_, err := checkpoint.Resume(dir, loaded)
			require.NoError(t, err)
			for name, v := range state {
				assert.True(t, loaded[name].(*torch.Tensor).Equal(v.(*torch.Tensor)), "%s: %v", name, loaded[name])
			}
		})
	}
}

// If a pipe is named like a checkpoint, reading it fails immediately.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "000001-step-1.pt")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	n := int64(0)
	_, err := checkpoint.Load(path, checkpoint.State{"n": &n})
	require.ErrorIs(t, err, torch.ErrFormat)
	err = checkpoint.Verify(path)
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, path+": expected a file, got a pipe")
}

// A Manager writes only to its directory: if the name of its lock file is a link to a
// file elsewhere, that file stays unchanged.
func TestLockIsNoLink(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("keep"), 0o600))
	for what, plant := range map[string]func(path string) error{
		"a link":             func(path string) error { return os.Symlink(other, path) },
		"a link to nothing":  func(path string) error { return os.Symlink(other+"-new", path) },
		"a pipe":             func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to a device": func(path string) error { return os.Symlink("/dev/null", path) },
	} {
		dir := t.TempDir()
		require.NoError(t, plant(filepath.Join(dir, "LOCK")), what)
		_, err := checkpoint.Open(dir)
		require.ErrorIs(t, err, torch.ErrFormat, what)
		require.ErrorContains(t, err, "LOCK: expected a file, got ", what)
	}
	b, err := os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, "keep", string(b))
	assert.NoFileExists(t, other+"-new")
}

// A small file may refer to the same bytes many times. Loading it takes little memory.
func TestBytesAgainAndAgain(t *testing.T) {
	const mib, many = 1 << 20, 2000
	pickle := "\x80\x03}X\x01\x00\x00\x00nB\x00\x00\x10\x00" + strings.Repeat("k", mib) + "q\x000](" +
		strings.Repeat("h\x00", many) + "es."
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "a/data.pkl", Method: zip.Store})
	require.NoError(t, err)
	_, err = w.Write([]byte(pickle))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "a.pt")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	var n [][]byte
	filetest.Costs(t, 64*mib, func() { _, err = checkpoint.Import(path, checkpoint.State{"n": &n}) })
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "more values than the file's")
}

// After a checkpoint with the largest number that fits in a name, Save returns an error.
func TestNumbersEnd(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "999999999999999998-step-1.pt"), nil, 0o600))
	m := open(t, dir)
	n := int64(0)
	require.NoError(t, m.Save(t.Context(), 2, checkpoint.State{"n": &n}))
	err := m.Save(t.Context(), 3, checkpoint.State{"n": &n})
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "largest possible number")
	r, err := m.Resume(checkpoint.State{"n": &n})
	require.NoError(t, err)
	assert.Equal(t, 2, r.Step)
	require.NoError(t, m.Close())
}

// Load checks that all tensors can be written to before it changes any of them.
func TestTensorsThatCannotBeWritten(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		dir := t.TempDir()
		one := torch.Ones(torch.Shape{2})
		both := func(x, y *torch.Tensor) checkpoint.State {
			return checkpoint.State{"s": nn.StateDict{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}}
		}
		m := open(t, dir)
		require.NoError(t, m.Save(t.Context(), 1, both(one, one)))
		require.NoError(t, m.Close())
		var inference *torch.Tensor
		torch.InferenceMode(func() { inference = torch.Zeros(torch.Shape{2}) })
		closed := torch.Zeros(torch.Shape{2})
		require.NoError(t, closed.Close())
		for name, y := range map[string]*torch.Tensor{
			"expanded": torch.Zeros(torch.Shape{1}).Expand(2), "inference": inference, "closed": closed,
			"sparse": torch.Zeros(torch.Shape{2}).ToSparse(), "integers": torch.Zeros(torch.Shape{2}, torch.Int64),
		} {
			x := torch.Zeros(torch.Shape{2})
			_, err := checkpoint.Resume(dir, both(x, y))
			require.Error(t, err, name)
			assert.Zero(t, x.Sum().Item(), "%s: %v", name, err)
		}
	})
}

// Save returns an error for two tensors with the same name.
func TestTensorsOfOneName(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := open(t, t.TempDir())
		x, y := torch.Zeros(torch.Shape{2}), torch.Ones(torch.Shape{2})
		err := m.Save(t.Context(), 1,
			checkpoint.State{"s": nn.StateDict{{Name: "x", Tensor: x}, {Name: "x", Tensor: y}}})
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, `two tensors are named "x"`)
		require.NoError(t, m.Close())
	})
}
