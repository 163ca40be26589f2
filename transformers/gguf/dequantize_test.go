package gguf_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
)

// equalBits compares float32 values bit for bit, except for the payloads of NaN.
func equalBits(t *testing.T, name string, want, got []float32) {
	t.Helper()
	require.Len(t, got, len(want), name)
	for i := range want {
		w, g := math.Float32bits(want[i]), math.Float32bits(got[i])
		if w != g && (want[i] == want[i] || got[i] == got[i]) {
			t.Fatalf("%s[%d]: got %v (%#x), expected %v (%#x)", name, i, got[i], g, want[i], w)
		}
	}
}

func opened(t testing.TB, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f
}

// compare compares each tensor of a file with the float32 tensor of another file.
func compare(t *testing.T, types, floats string) {
	t.Helper()
	f, want := opened(t, types), opened(t, floats)
	require.Equal(t, want.Names(), f.Names())
	for _, name := range f.Names() {
		torch.Scope(func() {
			w, err := want.Load(name)
			require.NoError(t, err)
			got, err := f.Load(name)
			require.NoError(t, err)
			assert.Equal(t, w.Shape(), got.Shape(), name)
			assert.Equal(t, torch.Float32, got.DType(), name)
			equalBits(t, name, w.Reshape(-1).Float32s(), got.Reshape(-1).Float32s())

			info, err := f.Tensor(name)
			require.NoError(t, err)
			raw, err := f.Raw(name)
			require.NoError(t, err)
			assert.Len(t, raw, int(info.Bytes), name)
			dst := make([]float32, w.Numel())
			require.NoError(t, gguf.Dequantize(info.Type, raw, dst))
			equalBits(t, name, w.Reshape(-1).Float32s(), dst)
		})
	}
}

// The values of every type equal those of Python's package.
func TestValuesOfEveryType(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	compare(t, "testdata/types.gguf", "testdata/types_f32.gguf")
}

// It is the same with other blocks, and many of them.
func TestValuesOfManyBlocks(t *testing.T) {
	python := pythontest.Interpreter(t, "gguf")
	dir := t.TempDir()
	types, floats := filepath.Join(dir, "a.gguf"), filepath.Join(dir, "b.gguf")
	pythontest.Run(t, python, "", "testdata/make_types.py", types, floats, "65536", "2")
	compare(t, types, floats)
}

func TestDequantizeErrors(t *testing.T) {
	for _, c := range []struct {
		t    gguf.Type
		raw  int
		dst  int
		kind error
	}{
		{gguf.TypeQ4_0, 17, 32, torch.ErrValue},
		{gguf.TypeQ4_0, 18, 31, torch.ErrValue},
		{gguf.TypeQ4_0, 0, 32, torch.ErrValue},
		{gguf.TypeIQ1M, 56, 256, torch.ErrUnsupported},
		{gguf.Type(4), 18, 32, torch.ErrUnsupported},
	} {
		require.ErrorIs(t, gguf.Dequantize(c.t, make([]byte, c.raw), make([]float32, c.dst)), c.kind, "%v", c)
	}
	require.NoError(t, gguf.Dequantize(gguf.TypeQ4_0, nil, nil))
}

// The kernels convert gigabytes per second, counting the float32 values.
func BenchmarkDequantize(b *testing.B) {
	for _, k := range []gguf.Type{
		gguf.TypeF16, gguf.TypeBF16, gguf.TypeQ4_0, gguf.TypeQ4_1, gguf.TypeQ5_0, gguf.TypeQ5_1, gguf.TypeQ8_0,
		gguf.TypeQ2_K, gguf.TypeQ3_K, gguf.TypeQ4_K, gguf.TypeQ5_K, gguf.TypeQ6_K, gguf.TypeQ8_K, gguf.TypeIQ4NL,
		gguf.TypeIQ4XS,
	} {
		b.Run(k.String(), func(b *testing.B) {
			const n = 1 << 22
			raw, dst := make([]byte, n/k.BlockSize()*k.BlockBytes()), make([]float32, n)
			for i := range raw {
				raw[i] = byte(i*7919>>3) & 0x3f
			}
			b.SetBytes(4 * n)
			for b.Loop() {
				if err := gguf.Dequantize(k, raw, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
