package serialization_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// For every golden state dict, reading one tensor at a time gives the same tensors as LoadStateDict.
func TestOpenStateDictIsLoadStateDict(t *testing.T) {
	paths, err := filepath.Glob(golden("*"))
	require.NoError(t, err)
	opened := 0
	for _, path := range paths {
		for _, opts := range [][]serialization.StateDictOption{nil, {serialization.Key("model")}} {
			opts = append(opts, serialization.MapLocation(torch.CPU))
			checkLeaks := torchtest.CheckLeaks(t)
			torch.Scope(func() {
				all, err := serialization.LoadStateDict(path, opts...)
				f, lazyErr := serialization.OpenStateDict(path, opts...)
				if err != nil {
					if lazyErr == nil { // or the error occurs only when a tensor is read
						require.NoError(t, f.Close())
					}
					return
				}
				require.NoError(t, lazyErr, path)
				defer func() { require.NoError(t, f.Close()) }()
				assert.Equal(t, all.Names(), f.Names(), path)
				assert.Len(t, f.OtherNames(), all.Other.Len(), path)
				for _, name := range f.Names() {
					x, err := f.Tensor(name)
					require.NoError(t, err, path)
					want := all.Get(name)
					assert.Equal(t, want.RequiresGrad(), x.RequiresGrad())
					assert.Equal(t, want.Layout(), x.Layout())
					if meta, err := f.Meta(name); err == nil {
						assert.Equal(t, want.Shape(), meta.Shape())
						assert.Equal(t, want.Stride(), x.Stride())
						assert.Equal(t, want.DType(), meta.DType())
						assert.Equal(t, torch.Meta, meta.Device())
					} else {
						require.ErrorIs(t, err, torch.ErrUnsupported)
					}
					assert.Equal(t, want.String(), x.String(), "%s: %s", path, name)
				}
				opened++
			})
			checkLeaks()
		}
	}
	assert.Greater(t, opened, 5)
}

func TestOpenStateDict(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const n = 1 << 20
	path := filepath.Join(t.TempDir(), "model.pt")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{4, n})
		require.NoError(t,
			serialization.Save(serialization.NewDict("a", torch.Zeros(torch.Shape{n}), "row", x.Select(0, 1), "rows", x,
				"n", 3), path))
	})
	f, err := serialization.OpenStateDict(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "row", "rows"}, f.Names())
	assert.Equal(t, []string{"n"}, f.OtherNames())
	assert.Equal(t, path, f.Path())
	assert.Equal(t, path+": 3 tensors", f.String())

	peak := func(name string) int64 {
		return memory.Track(name, func() {
			a, err := f.Tensor(name)
			require.NoError(t, err)
			require.NoError(t, a.Close())
		}).PeakGrowth()
	}
	assert.InDelta(t, 4*n, peak("a"), 1<<16, "one tensor")
	assert.InDelta(t, 16*n, peak("row"), 1<<16, "its storage")

	torch.Scope(func() {
		one, err := f.Tensor("row")
		require.NoError(t, err)
		again, err := f.Tensor("row")
		require.NoError(t, err)
		assert.False(t, one.SharesStorage(again))
		_, err = f.Tensor("none")
		require.ErrorIs(t, err, torch.ErrNotFound)
		assert.EqualError(t, err, "pt: "+path+`: tensor "none": the file has no such tensor`)
		_, err = f.Meta("none")
		require.ErrorIs(t, err, torch.ErrNotFound)
		require.NoError(t, f.Close())
		require.NoError(t, f.Close())
		_, err = f.Tensor("a")
		require.ErrorIs(t, err, torch.ErrClosed)
		_, err = f.Meta("a")
		require.ErrorIs(t, err, torch.ErrClosed)
		assert.Equal(t, 1.0, one.Mean().Item(), "tensors stay")
	})
	require.NoError(t, (*serialization.StateDictFile)(nil).Close())

	mapped, err := serialization.OpenStateDict(path, serialization.Mmap(true))
	require.NoError(t, err)
	torch.Scope(func() {
		one, err := mapped.Tensor("rows")
		require.NoError(t, err)
		again, err := mapped.Tensor("row")
		require.NoError(t, err)
		require.NoError(t, mapped.Close())
		assert.Equal(t, 1.0, one.Mean().Item())
		assert.Equal(t, 1.0, again.Mean().Item())
	})
	_, err = serialization.OpenStateDict(filepath.Join(t.TempDir(), "none.pt"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = serialization.OpenStateDict(path, serialization.Key("none"))
	require.ErrorIs(t, err, torch.ErrNotFound)
	_, err = serialization.OpenStateDict(path, serialization.Key("n"))
	require.ErrorIs(t, err, torch.ErrFormat)
}

// If a file is truncated after it was opened, reading a tensor returns an error, even if
// the file is mapped.
func TestStateDictFileThatGotShorter(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, mmap := range []serialization.Mmap{false, true} {
		for _, before := range []bool{false, true} { // whether a tensor is read before the file is truncated
			path := filepath.Join(t.TempDir(), "model.pt")
			torch.Scope(func() {
				x := torch.Ones(torch.Shape{1 << 16})
				require.NoError(t,
					serialization.Save(nn.NewStateDict(map[string]*torch.Tensor{"a": x, "b": x.AddScalar(1)}), path))
			})
			f, err := serialization.OpenStateDict(path, mmap)
			require.NoError(t, err)
			torch.Scope(func() {
				if before {
					a, err := f.Tensor("a")
					require.NoError(t, err)
					assert.Equal(t, 1.0, a.Mean().Item())
				}
				require.NoError(t, os.Truncate(path, 3<<17)) // within b
				_, err = f.Tensor("b")
				require.ErrorIs(t, err, torch.ErrTruncated)
				var e *torch.FileError
				require.ErrorAs(t, err, &e)
				assert.Equal(t, path, e.Path)
				assert.Equal(t, "b", e.Tensor)
				assert.Positive(t, e.Offset)
			})
			require.NoError(t, f.Close())
		}
	}
}

// pickledTensor returns the part of a pickle that describes a name and a tensor of two
// elements.
func pickledTensor(name, key, device string) string {
	text := func(s string) string { return "X" + string(rune(len(s))) + "\x00\x00\x00" + s }
	return text(name) + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" +
		text(key) + text(device) +
		"K\x10tQK\x00K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR"
}

// If a file cannot be loaded into a model completely, loading fails before anything is
// copied. The reason may be an unavailable device, or missing bytes of a tensor.
func TestNothingIsLoadedOfAFileThatIsNotWhole(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := nn.NewLayerNorm(torch.Shape{2})
	m.SetRequiresGrad(false)
	defer m.Close()
	file := func(device string) []byte {
		return archived([]byte("\x80\x02}(" + pickledTensor("weight", "0", "cpu") + pickledTensor("bias", "1", device) +
			"u."))
	}
	lost := file("cpu")
	lost[bytes.Index(lost, []byte("a/data/1"))-30] = 'Q' // damages the header of the entry
	path := filepath.Join(t.TempDir(), "model.pt")
	for what, c := range map[string]struct {
		data []byte
		kind error
	}{
		"nothing": {file("cpu"), nil},
		"device":  {file("cuda:77"), torch.ErrDevice},
		"bytes":   {lost, torch.ErrFormat},
	} {
		m.Weight.Fill_(7)
		require.NoError(t, os.WriteFile(path, c.data, 0o600))
		f, err := serialization.OpenStateDict(path)
		require.NoError(t, err, what)
		report, err := nn.LoadFrom(m, f)
		if c.kind == nil {
			require.NoError(t, err)
			assert.Equal(t, []float32{0, 0}, m.Weight.Float32s())
		} else {
			require.ErrorIs(t, err, c.kind, what)
			var fe *torch.FileError
			require.ErrorAs(t, err, &fe)
			assert.Equal(t, "bias", fe.Tensor, what)
			assert.Empty(t, report.Loaded)
			assert.Equal(t, []float32{7, 7}, m.Weight.Float32s(), what)
		}
		require.NoError(t, f.Close())
	}
}
