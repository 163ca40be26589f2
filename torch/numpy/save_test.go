package numpy_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

type tensors = map[string]*torch.Tensor

func TestWrongTensors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Zeros(torch.Shape{1})
		require.NoError(t, closed.Close())
		for name, c := range map[string]struct {
			x    *torch.Tensor
			kind error
			says string
		}{
			"nil":    {nil, torch.ErrNil, "nil"},
			"closed": {closed, torch.ErrClosed, ": tensor used after Close"},
			"sparse": {torch.Eye(2).ToSparse(), torch.ErrValue, "sparse_coo"},
			"dtype":  {torch.Zeros(torch.Shape{1}, torch.BFloat16), torch.ErrDType, "bfloat16"},
			"meta":   {torch.Zeros(torch.Shape{1}, torch.Meta), torch.ErrDevice, "meta"},
		} {
			dir := t.TempDir()
			for _, err := range []error{
				numpy.Save(c.x, filepath.Join(dir, "x")), numpy.SaveTo(&strings.Builder{}, c.x),
				numpy.Savez(tensors{"a": torch.Ones(torch.Shape{1}), "x": c.x}, filepath.Join(dir, "x")),
				numpy.SavezCompressed(tensors{"x": c.x}, filepath.Join(dir, "x")),
			} {
				require.ErrorIs(t, err, c.kind, name)
				var e *torch.Error
				require.ErrorAs(t, err, &e, name)
				assert.ErrorContains(t, err, c.says, name)
			}
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, files, name)
		}
		for _, name := range []string{"\xff", "a\x00b", strings.Repeat("n", 1<<16)} {
			require.ErrorIs(t, numpy.Savez(tensors{name: torch.Ones(torch.Shape{1})}, filepath.Join(t.TempDir(), "x")),
				torch.ErrValue)
		}
	})
	_, err := numpy.LoadFrom(nil)
	require.EqualError(t, err, "torch: numpy.LoadFrom: argument r: a nil reader")
	require.ErrorIs(t, err, torch.ErrNil)
	err = numpy.SaveTo(nil, nil)
	require.EqualError(t, err, "torch: numpy.SaveTo: argument w: a nil writer")
	require.ErrorIs(t, err, torch.ErrNil)
}

func TestErrorsOfTheSystem(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		for _, read := range []func(string) error{
			func(p string) error { _, err := numpy.Load(p); return err },
			func(p string) error { _, err := numpy.OpenNpz(p); return err },
			func(p string) error { _, err := numpy.LoadNpz(p); return err },
			func(p string) error { return numpy.Save(x, filepath.Join(p, "x.npy")) },
			func(p string) error { return numpy.Savez(tensors{"x": x}, filepath.Join(p, "x.npz")) },
		} {
			err := read(filepath.Join(dir, "none"))
			require.ErrorIs(t, err, fs.ErrNotExist)
			var e *torch.FileError
			require.ErrorAs(t, err, &e)
			assert.Contains(t, e.Path, "none")
		}
		_, err := numpy.Load(dir)
		require.ErrorIs(t, err, torch.ErrFormat)
		_, err = numpy.OpenNpz(dir)
		require.ErrorIs(t, err, torch.ErrFormat)
		broken := errors.New("broken")
		require.ErrorIs(t, numpy.SaveTo(failing{broken}, x), broken)
		_, err = numpy.LoadFrom(failing{broken})
		require.ErrorIs(t, err, broken)
	})
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Read([]byte) (int, error)  { return 0, f.err }

// Save appends the suffix to the path as Python does. Views are saved like other tensors.
func TestSaved(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		x := torch.Arange(0, 12, 1).View(3, 4)
		g := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		c := torch.Complex(torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2}))
		require.NoError(t, numpy.Save(x.T(), filepath.Join(dir, "x")))
		back, err := numpy.Load(filepath.Join(dir, "x.npy"))
		require.NoError(t, err)
		assert.True(t, x.T().Equal(back))
		assert.Equal(t, x.T().Stride(), back.Stride())
		for _, save := range []func(tensors, string) error{numpy.Savez, numpy.SavezCompressed} {
			what := tensors{
				"x": x, "part": x.Narrow(1, 1, 2), "grad": g, "conj": c.Conj(), "b.npy": x,
				"wide": x.Expand(2, 3, 4),
			}
			require.NoError(t, save(what, filepath.Join(dir, "all.npz")))
			f, err := numpy.OpenNpz(filepath.Join(dir, "all.npz"))
			require.NoError(t, err)
			assert.Equal(t, []string{"b.npy", "conj", "grad", "part", "wide", "x"}, f.Names())
			all, err := f.Tensors()
			require.NoError(t, err)
			for name, x := range what {
				assert.True(t, x.Detach().ResolveConj().Equal(all[name]))
			}
			require.NoError(t, f.Close())
		}
	})
}

func TestMappedTensorOutlivesNothingElse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "x.npy")
	torch.Scope(func() {
		require.NoError(t, numpy.Save(torch.Arange(0, 6, 1), path))
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		x, err := numpy.Load(path, numpy.Mmap(true))
		require.NoError(t, err)
		assert.Equal(t, int64(1), mapped.Live())
		x.Fill_(7)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, before, after, "the file is as it was")
		require.NoError(t, x.Close())
	})
	assert.Zero(t, mapped.Live())
}

// In a NumPy file, a bool that is true may be stored as 2.
func TestBoolsAreZeroOrOne(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "x.npy")
	torch.Scope(func() {
		require.NoError(t, numpy.Save(torch.FromSlice([]bool{true, false, true}), path))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		data[len(data)-1] = 2
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for _, mmap := range []numpy.Mmap{false, true} {
			x, err := numpy.Load(path, mmap)
			require.NoError(t, err)
			assert.Equal(t, []uint8{1, 0, 1}, x.ViewDType(torch.Uint8).Uint8s())
		}
	})
}

// LoadFrom reads a large array even if the length of the reader is unknown.
func TestLargeFromReader(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Arange(0, 1<<19, 1)
		var b strings.Builder
		require.NoError(t, numpy.SaveTo(&b, x))
		back, err := numpy.LoadFrom(strings.NewReader(b.String()))
		require.NoError(t, err)
		assert.True(t, x.Equal(back))
		_, err = numpy.LoadFrom(strings.NewReader(b.String()[:b.Len()-1]))
		require.ErrorIs(t, err, torch.ErrTruncated)
	})
}

// Goroutines read arrays while another one calls Close. Each read returns a tensor or
// ErrClosed.
func TestNpzConcurrent(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f, err := numpy.OpenNpz(goldenPath("every_compressed.npz"))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 10 {
				x, err := f.Tensor("float32")
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrClosed)
					continue
				}
				assert.Equal(t, torch.Shape{2, 3}, x.Shape())
				assert.NoError(t, x.Close())
			}
			if i == 0 {
				assert.NoError(t, f.Close())
			}
		})
	}
	wg.Wait()
	_, err = f.Tensor("float32")
	require.ErrorIs(t, err, torch.ErrClosed)
	_, err = f.Tensors()
	require.ErrorIs(t, err, torch.ErrClosed)
	assert.Len(t, f.Names(), 14)
	require.NoError(t, f.Close())
	require.NoError(t, (*numpy.NpzFile)(nil).Close())
}

func TestNamesThatAreNotThere(t *testing.T) {
	f, err := numpy.OpenNpz(goldenPath("every_stored.npz"))
	require.NoError(t, err)
	_, err = f.Tensor("other")
	require.ErrorIs(t, err, torch.ErrNotFound)
	assert.ErrorContains(t, err, `"other"`)
	_, err = f.Info("other")
	require.ErrorIs(t, err, torch.ErrNotFound)
	require.NoError(t, f.Close())
	_, err = f.Info("bool")
	require.ErrorIs(t, err, torch.ErrClosed)
	_, err = numpy.ReadInfo("missing.npy")
	require.ErrorIs(t, err, os.ErrNotExist)
}
