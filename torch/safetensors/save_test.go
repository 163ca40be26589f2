package safetensors_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

type tensors = map[string]*torch.Tensor

// loaded saves tensors and loads them again.
func loaded(t *testing.T, what tensors, opts ...safetensors.SaveOption) (tensors, map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.safetensors")
	require.NoError(t, safetensors.SaveFile(what, path, opts...))
	f, err := safetensors.Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	got, err := f.Tensors()
	require.NoError(t, err)
	return got, f.Metadata()
}

func TestWrongTensors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Zeros(torch.Shape{1})
		require.NoError(t, closed.Close())
		for name, c := range map[string]struct {
			what tensors
			kind error
			says string
		}{
			"nil":    {tensors{"w": nil}, torch.ErrNil, `tensors["w"]`},
			"closed": {tensors{"w": closed}, torch.ErrClosed, `argument tensors["w"]: tensor used after Close`},
			"sparse": {
				tensors{"w": torch.Eye(2).ToSparse()},
				torch.ErrValue,
				"expected a dense tensor, got layout sparse_coo",
			},
			"dtype": {
				tensors{"w": torch.Zeros(torch.Shape{1}, torch.Complex128)},
				torch.ErrDType,
				"complex128",
			},
			"meta":          {tensors{"w": torch.Zeros(torch.Shape{1}, torch.Meta)}, torch.ErrDevice, "meta"},
			"name":          {tensors{"\xff": torch.Zeros(torch.Shape{1})}, torch.ErrValue, "UTF-8"},
			"metadata name": {tensors{"__metadata__": torch.Zeros(torch.Shape{1})}, torch.ErrValue, "__metadata__"},
			"strided": {
				tensors{"a": torch.Zeros(torch.Shape{1}), "w": torch.Zeros(torch.Shape{2, 3}).T()},
				torch.ErrValue, "ForceContiguous(true)",
			},
		} {
			path := filepath.Join(t.TempDir(), "f.safetensors")
			err := safetensors.SaveFile(c.what, path)
			require.ErrorIs(t, err, c.kind, name)
			var e *torch.Error
			require.ErrorAs(t, err, &e, name)
			assert.ErrorContains(t, err, c.says, name)
			assert.NoFileExists(t, path, name)
			_, err = safetensors.Save(c.what)
			require.ErrorIs(t, err, c.kind, name)
			require.ErrorIs(t, safetensors.SaveSharded(c.what, t.TempDir(), safetensors.ForceContiguous(false)), c.kind,
				name)
		}
		_, err := safetensors.Save(tensors{"w": torch.Zeros(torch.Shape{1})},
			safetensors.Metadata{strings.Repeat("m", 100_000_001): ""})
		require.ErrorIs(t, err, torch.ErrValue)
	})
	require.ErrorIs(t, torch.Try(func() { _, _ = safetensors.Save(nil, safetensors.Metadata{"\xff": ""}) }),
		torch.ErrValue)
}

func TestSharedMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w := torch.Arange(0, 6, 1)
		shared := tensors{"head": w, "embed": w.View(2, 3), "alone": torch.Zeros(torch.Shape{1})}
		_, err := safetensors.Save(shared)
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, `"embed", "head" share memory`)
		got, metadata := loaded(t, shared, safetensors.RemoveDuplicates(true), safetensors.Metadata{"format": "pt"})
		assert.Len(t, got, 2)
		assert.Equal(t, []int64{0, 1, 2, 3, 4, 5}, got["embed"].Flatten().Int64s())
		assert.Equal(t, map[string]string{"format": "pt", "head": "embed"}, metadata)
		assert.False(t, w.IsClosed())

		// An entry in the caller's own metadata is not replaced.
		_, metadata = loaded(t, shared, safetensors.RemoveDuplicates(true), safetensors.Metadata{"head": "mine"})
		assert.Equal(t, map[string]string{"head": "mine"}, metadata)

		// Parts of a storage that do not overlap share no bytes, and an empty tensor has
		// none.
		got, _ = loaded(t,
			tensors{"a": w.Index(torch.Slice(0, 3)), "b": w.Index(torch.Slice(3, 6)), "c": w.Index(torch.Slice(1, 1))})
		assert.Equal(t, []int64{3, 4, 5}, got["b"].Int64s())

		// The tensor that covers the whole storage is kept, whatever its name. If there is
		// no such tensor, Save returns an error.
		got, _ = loaded(t, tensors{"a": w.Index(torch.Slice(0, 3)), "b": w}, safetensors.RemoveDuplicates(true))
		assert.Len(t, got, 1)
		assert.NotNil(t, got["b"])
		_, err = safetensors.Save(tensors{"a": w.Index(torch.Slice(0, 4)), "b": w.Index(torch.Slice(2, 6))},
			safetensors.RemoveDuplicates(true))
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, "none spans all of it")

		// "c" shares bytes with "a". "b" begins between them, but it ends before "c"
		// begins.
		_, err = safetensors.Save(tensors{"a": w, "b": w.Index(torch.Slice(0, 1)), "c": w.Index(torch.Slice(2, 3))})
		require.ErrorContains(t, err, `"a", "b", "c" share memory`)
	})
}

func TestWhatIsWritten(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Arange(0, 6, 1).To(torch.Float32).Reshape(2, 3)
		z := torch.FromSlice([]complex64{1 + 2i, -3i})
		got, _ := loaded(t,
			tensors{"x": x.T(), "z": z.Conj(), "g": torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))},
			safetensors.ForceContiguous(true))
		assert.Equal(t, "[[0 3] [1 4] [2 5]]", fmt.Sprint(got["x"].ToList()))
		assert.Equal(t, []float64{1, -2, 0, 3}, values(got["z"]), "as the tensor is read, not as it lies in memory")
		assert.False(t, got["g"].RequiresGrad())
		part, _ := loaded(t, tensors{"row": x.Index(1)})
		assert.Equal(t, []float32{3, 4, 5}, part["row"].Float32s())
	})
}

// The bits of all values are preserved, including NaN payloads.
func TestBits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		bits := []float32{
			math.Float32frombits(0x7fc12345), math.Float32frombits(0xff812345), float32(math.Inf(-1)), 0,
			math.SmallestNonzeroFloat32,
		}
		got, _ := loaded(t, tensors{"x": torch.FromSlice(bits)})
		for i, f := range got["x"].Float32s() {
			assert.Equal(t, math.Float32bits(bits[i]), math.Float32bits(f))
		}
	})
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := saved(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	torch.Scope(func() {
		require.Error(t, safetensors.SaveFile(tensors{"a": torch.Ones(torch.Shape{2, 2}).T()}, path))
	})
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1)

	err = safetensors.SaveFile(nil, filepath.Join(path, "below"))
	var e *torch.FileError
	require.ErrorAs(t, err, &e)
	assert.Contains(t, err.Error(), "cannot be written")
}
