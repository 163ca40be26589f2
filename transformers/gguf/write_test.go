package gguf_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
)

// A file that is read and written again has the same bytes as Python's.
func TestWritesTheSameBytes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, name := range []string{"metadata", "types", "types_f32"} {
		path := filepath.Join("testdata", name+".gguf")
		f := opened(t, path)
		var all []gguf.Data
		torch.Scope(func() {
			for _, tensor := range f.Names() {
				info, err := f.Tensor(tensor)
				require.NoError(t, err)
				if dtype := info.Type.DType(); dtype != 0 {
					x, err := f.Load(tensor, gguf.DType(dtype))
					require.NoError(t, err)
					all = append(all, gguf.FromTensor(tensor, x, info.Type))
					continue
				}
				raw, err := f.Raw(tensor)
				require.NoError(t, err)
				all = append(all, gguf.FromRaw(tensor, info.Type, info.Shape, raw))
			}
			again := filepath.Join(t.TempDir(), "again.gguf")
			require.NoError(t, gguf.Write(f.Metadata(), all, again))
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			got, err := os.ReadFile(again)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got), name)
		})
	}
}

// Python reads the metadata and the tensors of a file that this package wrote.
func TestPythonReadsIt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "gguf")
	path := filepath.Join(t.TempDir(), "f.gguf")
	g := torch.NewGenerator(1)
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{3, 64}, g)
		require.NoError(t, gguf.Write([]gguf.KV{
			{"general.architecture", "llama"},
			{"n", int64(-1)},
			{"x", 0.1},
			{"words", []string{"a", "ß"}},
			{"flags", []bool{true, false}},
			{"general.alignment", uint32(128)},
		}, []gguf.Data{
			gguf.FromTensor("f32", x, gguf.TypeF32), gguf.FromTensor("f16", x, gguf.TypeF16),
			gguf.FromTensor("bf16", x, gguf.TypeBF16), gguf.FromTensor("q8", x.To(torch.BFloat16), gguf.TypeQ8_0),
			gguf.FromTensor("q4", x.T().Contiguous().T(), gguf.TypeQ4_0),
			gguf.FromTensor("i64", torch.Arange(5), gguf.TypeI64), gguf.FromTensor("scalar", x.Sum(), gguf.TypeF32),
		}, path))
	})
	const script = `
import sys
import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize, quantize
r = GGUFReader(sys.argv[1])
print({k: f.contents() for k, f in r.fields.items() if "GGUF" not in k})
t = {x.name: x for x in r.tensors}
x = t["f32"].data
for name in ["f16", "bf16", "q4"]:
    got = t[name].data
    assert (got.view(np.uint8) == quantize(x, t[name].tensor_type).view(np.uint8)).all(), name
b = quantize(dequantize(quantize(x, t["bf16"].tensor_type), t["bf16"].tensor_type), t["q8"].tensor_type)
assert (t["q8"].data == b).all()
print(t["i64"].data.tolist(), t["scalar"].data.shape, [(x.name, x.data_offset % 128) for x in r.tensors])
`
	assert.Equal(t, `{'general.architecture': 'llama', 'n': -1, 'x': 0.1, 'words': ['a', 'ß'], 'flags': [True, False], `+
		`'general.alignment': 128}
[0, 1, 2, 3, 4] () [('f32', 0), ('f16', 0), ('bf16', 0), ('q8', 0), ('q4', 0), ('i64', 0), ('scalar', 0)]
`, pythontest.Script(t, python, "", script, path))
}

// values returns float32 values of all magnitudes, with rows of hard cases.
func values(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]float32, n)
	for i := range list {
		switch i / 256 % 4 {
		case 0:
			list[i] = float32(r.NormFloat64())
		case 1:
			list[i] = float32(r.IntN(255)-127) / 2 // halves, which round away from zero
		case 2:
			list[i] = float32(r.NormFloat64() * math.Pow(10, float64(i/256%80-40)))
		default:
			list[i] = math.Float32frombits(r.Uint32())
		}
	}
	clear(list[256*8 : 256*9])
	return list
}

// Quantize gives the bytes of Python's gguf.quantize.
func TestQuantizeEqualsPython(t *testing.T) {
	python := pythontest.Interpreter(t, "gguf")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	list := values(256 * 400)
	raw, err := gguf.Quantize(gguf.TypeF32, list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(in, raw, 0o600))
	for _, k := range []gguf.Type{gguf.TypeQ8_0, gguf.TypeQ4_0, gguf.TypeBF16, gguf.TypeF16} {
		pythontest.Run(t, python, "", "testdata/make_quantized.py", in, k.String(), out)
		want, err := os.ReadFile(out)
		require.NoError(t, err)
		got, err := gguf.Quantize(k, list)
		require.NoError(t, err)
		require.Len(t, got, len(want))
		size := int(k.BlockBytes())
		for i := 0; i < len(want); i += size {
			w, g := want[i:i+size], got[i:i+size]
			scale := func(b []byte) uint16 { return binary.LittleEndian.Uint16(b) &^ 0x8000 }
			if k != gguf.TypeBF16 && scale(w) > 0x7c00 && scale(g) > 0x7c00 { // the payloads of NaN
				w, g = w[2:], g[2:]
			}
			require.Equal(t, w, g, "%v: block %d of %v", k, i/size, list[i/size*int(k.BlockSize()):][:k.BlockSize()])
		}
	}
}

// Values close to the quantized ones come back.
func TestQuantize(t *testing.T) {
	list := values(256 * 9)[:256]
	for k, tolerance := range map[gguf.Type]float64{
		gguf.TypeF32: 0, gguf.TypeF16: 0.002, gguf.TypeBF16: 0.01, gguf.TypeQ8_0: 0.02, gguf.TypeQ4_0: 0.4,
	} {
		assert.True(t, k.Quantizable())
		raw, err := gguf.Quantize(k, list)
		require.NoError(t, err)
		got := make([]float32, len(list))
		require.NoError(t, gguf.Dequantize(k, raw, got))
		assert.InDeltaSlice(t, list, got, tolerance, "%v", k)
	}
	_, err := gguf.Quantize(gguf.TypeQ8_0, make([]float32, 33))
	require.ErrorIs(t, err, torch.ErrValue)
	_, err = gguf.Quantize(gguf.TypeQ4_K, make([]float32, 256))
	require.ErrorIs(t, err, torch.ErrUnsupported)
}

func TestWriteErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "f.gguf")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 16})
		huge := []int64{1 << 62, 4}
		closed, whole := torch.Ones(torch.Shape{1}), torch.Arange(3)
		require.NoError(t, closed.Close())
		ok := gguf.FromTensor("w", x, gguf.TypeF32)
		for name, c := range map[string]struct {
			metadata []gguf.KV
			tensors  []gguf.Data
			kind     error
		}{
			"key twice":        {[]gguf.KV{{"a", "b"}, {"a", "b"}}, nil, torch.ErrValue},
			"key not UTF-8":    {[]gguf.KV{{"\xff", "b"}}, nil, torch.ErrValue},
			"int":              {[]gguf.KV{{"a", 1}}, nil, torch.ErrValue},
			"nil":              {[]gguf.KV{{"a", nil}}, nil, torch.ErrValue},
			"list of any":      {[]gguf.KV{{"a", []any{1}}}, nil, torch.ErrValue},
			"alignment":        {[]gguf.KV{{"general.alignment", uint32(3)}}, nil, torch.ErrValue},
			"name twice":       {nil, []gguf.Data{ok, ok}, torch.ErrValue},
			"name not UTF-8":   {nil, []gguf.Data{gguf.FromTensor("\xff", x, 0)}, torch.ErrValue},
			"rows of blocks":   {nil, []gguf.Data{gguf.FromTensor("w", x, gguf.TypeQ8_0)}, torch.ErrShape},
			"cannot quantize":  {nil, []gguf.Data{gguf.FromTensor("w", x, gguf.TypeQ4_K)}, torch.ErrUnsupported},
			"unknown type":     {nil, []gguf.Data{gguf.FromTensor("w", x, 4)}, torch.ErrUnsupported},
			"integers to F32":  {nil, []gguf.Data{gguf.FromTensor("w", whole, gguf.TypeF32)}, torch.ErrUnsupported},
			"nil tensor":       {nil, []gguf.Data{gguf.FromTensor("w", nil, 0)}, torch.ErrNil},
			"closed tensor":    {nil, []gguf.Data{gguf.FromTensor("w", closed, 0)}, torch.ErrClosed},
			"meta tensor":      {nil, []gguf.Data{gguf.FromTensor("w", x.To(torch.Meta), 0)}, torch.ErrDevice},
			"raw too short":    {nil, []gguf.Data{gguf.FromRaw("w", gguf.TypeI8, []int64{2}, nil)}, torch.ErrShape},
			"raw of no shape":  {nil, []gguf.Data{gguf.FromRaw("w", gguf.TypeF32, []int64{-1}, nil)}, torch.ErrShape},
			"raw of overflows": {nil, []gguf.Data{gguf.FromRaw("w", gguf.TypeI8, huge, nil)}, torch.ErrShape},
		} {
			require.ErrorIs(t, gguf.Write(c.metadata, c.tensors, path), c.kind, name)
			_, err := os.Stat(path)
			require.ErrorIs(t, err, os.ErrNotExist, name)
		}
	})
	err := gguf.Write(nil, nil, filepath.Join(t.TempDir(), "no", "f.gguf"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorAs(t, err, new(*torch.FileError))
	require.NoError(t, gguf.Write(nil, nil, path))
	f := opened(t, path)
	assert.Empty(t, f.Names())
	assert.Empty(t, f.Metadata())
}

// A file is a source for a module's LoadStateDict.
func TestSource(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := opened(t, "testdata/types.gguf")
	s, err := f.Source(gguf.DType(torch.BFloat16))
	require.NoError(t, err)
	assert.Equal(t, f.Names(), s.Names())
	assert.Equal(t, f.Path(), s.Path())
	torch.Scope(func() {
		x, err := s.Tensor("Q6_K")
		require.NoError(t, err)
		m, err := s.Meta("Q6_K")
		require.NoError(t, err)
		assert.Equal(t, x.Shape(), m.Shape())
		assert.Equal(t, x.DType(), m.DType())
		assert.Equal(t, torch.Meta, m.Device())
	})
	_, err = s.Meta("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
}

func TestTypesAndDevices(t *testing.T) {
	f := opened(t, "testdata/types.gguf")
	require.ErrorIs(t, torch.Try(func() { _, _ = f.Load("F32", nil) }), torch.ErrNil)
	_, err := f.Load("F32", gguf.Device(torch.CUDA.At(99)))
	require.ErrorIs(t, err, torch.ErrDevice)
	x, err := f.Load("F32", gguf.DType(0), gguf.Device(0))
	require.NoError(t, err)
	assert.Equal(t, torch.Float32, x.DType())
	require.NoError(t, x.Close())
	assert.Equal(t, "Q4_K", gguf.TypeQ4_K.String())
	assert.Equal(t, "Type(99)", gguf.Type(99).String())
	k, ok := gguf.TypeOf(torch.BFloat16)
	assert.True(t, ok)
	assert.Equal(t, gguf.TypeBF16, k)
	_, ok = gguf.TypeOf(torch.Complex64)
	assert.False(t, ok)
}

// Reading a file with a vocabulary costs a small multiple of its size.
func TestMemoryOfAVocabulary(t *testing.T) {
	words := make([]string, 10_000)
	for i := range words {
		words[i] = string(rune('a' + i%26))
	}
	path := filepath.Join(t.TempDir(), "f.gguf")
	require.NoError(t, gguf.Write([]gguf.KV{{"tokenizer.ggml.tokens", words}}, nil, path))
	filetest.Costs(t, 1<<20, func() {
		f := opened(t, path)
		list, ok := f.Strings("tokenizer.ggml.tokens")
		assert.True(t, ok)
		assert.Equal(t, words, list)
	})
}
