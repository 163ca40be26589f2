package gguf_test

import (
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
)

func TestMetadata(t *testing.T) {
	f := opened(t, "testdata/metadata.gguf")
	assert.Equal(t, 3, f.Version())
	assert.Equal(t, "testdata/metadata.gguf", f.Path())
	assert.Equal(t, []gguf.KV{
		{"general.architecture", "test"},
		{"a.uint8", uint8(255)},
		{"a.int8", int8(-128)},
		{"a.uint16", uint16(65535)},
		{"a.int16", int16(-32768)},
		{"a.uint32", uint32(math.MaxUint32)},
		{"a.int32", int32(math.MinInt32)},
		{"a.uint64", uint64(math.MaxUint64)},
		{"a.int64", int64(math.MinInt64)},
		{"a.float32", float32(1.5)},
		{"a.float64", 0.1},
		{"a.true", true},
		{"a.false", false},
		{"a.string", "grüße 😀"},
		{"list.strings", []string{"", "Ġthe", "日本"}},
		{"list.int32", []int32{1, -2, 3}},
		{"list.float32", []float32{0.5, -1}},
		{"list.bool", []bool{true, false}},
		{"list.uint8", []uint8{0, 255}},
		{"list.int8", []int8{-1, 1}},
		{"list.uint16", []uint16{65535}},
		{"list.int16", []int16{-2}},
		{"list.uint32", []uint32{math.MaxUint32}},
		{"list.uint64", []uint64{1 << 63}},
		{"list.int64", []int64{math.MinInt64}},
		{"list.float64", []float64{0.1}},
		{"general.alignment", uint32(64)},
	}, f.Metadata())
}

func TestTypedMetadata(t *testing.T) {
	f := opened(t, "testdata/metadata.gguf")
	for key, want := range map[string]int64{
		"a.uint8": 255, "a.int8": -128, "a.uint16": 65535, "a.int16": -32768, "a.uint32": math.MaxUint32,
		"a.int32": math.MinInt32, "a.int64": math.MinInt64,
	} {
		n, ok := f.Int(key)
		assert.True(t, ok, key)
		assert.Equal(t, want, n, key)
	}
	for key, want := range map[string][]int64{
		"list.int32": {1, -2, 3}, "list.uint8": {0, 255}, "list.int8": {-1, 1}, "list.uint16": {65535},
		"list.int16": {-2}, "list.uint32": {math.MaxUint32}, "list.int64": {math.MinInt64},
	} {
		n, ok := f.Ints(key)
		assert.True(t, ok, key)
		assert.Equal(t, want, n, key)
	}
	for _, key := range []string{"none", "a.uint64", "list.uint64", "a.float32", "a.string", "a.true"} {
		_, ok := f.Int(key)
		assert.False(t, ok, key)
		_, ok = f.Ints(key)
		assert.False(t, ok, key)
	}
	x, ok := f.Float("a.float32")
	assert.True(t, ok && x == 1.5)
	x, ok = f.Float("a.float64")
	assert.True(t, ok && x == 0.1)
	_, ok = f.Float("a.int8")
	assert.False(t, ok)
	s, ok := f.String("a.string")
	assert.True(t, ok && s == "grüße 😀")
	_, ok = f.String("a.int8")
	assert.False(t, ok)
	b, ok := f.Bool("a.true")
	assert.True(t, b && ok)
	b, ok = f.Bool("a.false")
	assert.True(t, !b && ok)
	_, ok = f.Bool("none")
	assert.False(t, ok)
	list, ok := f.Strings("list.strings")
	assert.True(t, ok)
	assert.Equal(t, []string{"", "Ġthe", "日本"}, list)
	bools, ok := f.Bools("list.bool")
	assert.True(t, ok)
	assert.Equal(t, []bool{true, false}, bools)
	xs, ok := f.Floats("list.float32")
	assert.True(t, ok)
	assert.Equal(t, []float64{0.5, -1}, xs)
	xs, ok = f.Floats("list.float64")
	assert.True(t, ok)
	assert.Equal(t, []float64{0.1}, xs)
	v, ok := f.Value("a.int8")
	assert.True(t, ok)
	assert.Equal(t, int8(-128), v)
}

func TestTensorsOfAFile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := opened(t, "testdata/metadata.gguf")
	assert.Equal(t, []string{"matrix", "vector", "empty"}, f.Names())
	info, err := f.Tensor("matrix")
	require.NoError(t, err)
	assert.Equal(t, torch.Shape{2, 3}, info.Shape)
	assert.Equal(t, int64(24), info.Bytes)
	assert.Zero(t, info.Offset%64)
	torch.Scope(func() {
		x, err := f.Load("matrix")
		require.NoError(t, err)
		assert.Equal(t, []float32{0, 1, 2, 3, 4, 5}, x.Reshape(-1).Float32s())
		x, err = f.Load("vector", gguf.DType(torch.Int64))
		require.NoError(t, err)
		assert.Equal(t, []int64{0, 1, 2}, x.Int64s())
		x, err = f.Load("vector")
		require.NoError(t, err)
		assert.Equal(t, []float32{0, 1, 2}, x.Float32s())
		x, err = f.Load("empty")
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{3, 0}, x.Shape())
		x, err = f.RawTensor("vector")
		require.NoError(t, err)
		assert.Equal(t, []uint8{0, 0, 1, 0, 2, 0}, x.Uint8s())
	})
	_, err = f.Tensor("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
	_, err = f.Load("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
	_, err = f.Raw("none")
	require.ErrorIs(t, err, torch.ErrNotFound)
}

// Load converts to every floating-point dtype, without an error that libtorch's conversion
// of the float32 values does not have.
func TestDTypes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := opened(t, "testdata/types.gguf")
	for _, name := range f.Names() {
		for _, dtype := range []torch.DType{torch.BFloat16, torch.Float16, torch.Float64} {
			torch.Scope(func() {
				x, err := f.Load(name)
				require.NoError(t, err)
				got, err := f.Load(name, gguf.DType(dtype), gguf.Device(torch.CPU))
				require.NoError(t, err)
				assert.Equal(t, dtype, got.DType())
				if name == "F64" || name == "I64" || name == "I32" {
					return // not by way of float32
				}
				want := x.To(dtype).To(torch.Float32).Reshape(-1).Float32s()
				equalBits(t, name+" "+dtype.String(), want, got.To(torch.Float32).Reshape(-1).Float32s())
			})
		}
	}
}

// A tensor of the requested dtype shares the mapping, which outlives the file.
func TestMapping(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "f.gguf")
	data, err := os.ReadFile("testdata/metadata.gguf")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := gguf.Open(path)
	require.NoError(t, err)
	x, err := f.Load("matrix")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	assert.Equal(t, int64(1), mapped.Live())
	torch.Scope(func() { x.Add_(torch.Ones(torch.Shape{1})) })
	torch.Scope(func() { assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, x.Reshape(-1).Float32s()) })
	require.NoError(t, x.Close())
	assert.Zero(t, mapped.Live())
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, data, again)
	_, err = f.Load("matrix")
	require.ErrorIs(t, err, torch.ErrClosed)
	_, err = f.Raw("matrix")
	require.ErrorIs(t, err, torch.ErrClosed)
}

// Load reports that a file has been truncated since it was opened.
func TestTruncatedLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.gguf")
	data, err := os.ReadFile("testdata/metadata.gguf")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f := opened(t, path)
	info, err := f.Tensor("vector")
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Offset+2))
	_, err = f.Load("vector")
	require.ErrorIs(t, err, torch.ErrTruncated)
	x, err := f.Load("matrix")
	require.NoError(t, err)
	require.NoError(t, x.Close())
}

// Opening a file of a hundred gigabytes reads and allocates only its header.
func TestOpensOnlyTheHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.gguf")
	require.NoError(t, os.WriteFile(path, headerOf(2, entry("general.name", 8, str("big")),
		tensorInfo("w", 0, 0, 25<<20, 1000)), 0o600))
	if err := os.Truncate(path, 101<<30); err != nil {
		t.Skip("the file system has no sparse files:", err)
	}
	filetest.Costs(t, 1<<20, func() {
		f, err := gguf.Open(path)
		require.NoError(t, err)
		info, err := f.Tensor("w")
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{1000, 25 << 20}, info.Shape)
		x, err := f.Load("w")
		require.NoError(t, err)
		assert.Equal(t, int64(1000*25<<20), x.Numel())
		require.NoError(t, x.Close())
		require.NoError(t, f.Close())
	})
}

func TestClosedWhileRead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 20 {
		f, err := gguf.Open("testdata/types.gguf")
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for range 20 {
					if i == 3 {
						assert.NoError(t, f.Close())
					}
					x, err := f.Load("Q4_K")
					if err != nil {
						assert.ErrorIs(t, err, torch.ErrClosed)
						return
					}
					assert.NoError(t, x.Close())
				}
			})
		}
		wg.Wait()
	}
	assert.Zero(t, mapped.Live())
}

func TestMade(t *testing.T) {
	filetest.Made(t, &gguf.File{}, (*gguf.File)(nil), &gguf.Source{}, (*gguf.Source)(nil))
}
