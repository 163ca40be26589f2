package gguf_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
)

func u32(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

func str(s string) []byte { return append(u64(uint64(len(s))), s...) }

func entry(key string, kind uint32, value []byte) []byte {
	return slices.Concat(str(key), u32(kind), value)
}

// tensorInfo describes a tensor. The dimensions are in the order of the file.
func tensorInfo(name string, kind uint32, offset uint64, dims ...uint64) []byte {
	b := slices.Concat(str(name), u32(uint32(len(dims))))
	for _, d := range dims {
		b = append(b, u64(d)...)
	}
	return slices.Concat(b, u32(kind), u64(offset))
}

// counted returns the start of a file that claims to have some tensors and keys.
func counted(tensors, keys uint64) []byte {
	return slices.Concat([]byte("GGUF"), u32(3), u64(tensors), u64(keys))
}

// headerOf returns a header of a version with a key and a tensor.
func headerOf(version uint32, entry, info []byte) []byte {
	return slices.Concat([]byte("GGUF"), u32(version), u64(1), u64(1), entry, info)
}

// nested returns an array of arrays of arrays, and so on.
func nested(depth int) []byte {
	b := slices.Concat(u32(4), u64(0))
	for range depth {
		b = slices.Concat(u32(9), u64(1), b)
	}
	return b
}

type hostile struct {
	data []byte
	kind error
}

func hostileFiles() map[string]hostile {
	ok, scalar := entry("a", 4, u32(1)), tensorInfo("w", 0, 0)
	two := func(a, b []byte) []byte { return slices.Concat(counted(2, 0), a, b, make([]byte, 500)) }
	one := func(a []byte) []byte { return slices.Concat(counted(1, 0), a, make([]byte, 500)) }
	key := func(a []byte) []byte { return slices.Concat(counted(0, 1), a) }
	const most, many = math.MaxUint64, 20_000
	keys, names := counted(1, many), counted(many+1, 0)
	for i := range many {
		keys = append(keys, entry(string(rune('0'+i)), 0, []byte{1})...)
		names = append(names, tensorInfo(string(rune('0'+i)), 0, 0)...)
	}
	return map[string]hostile{
		"empty":                {nil, torch.ErrTruncated},
		"magic only":           {[]byte("GGUF"), torch.ErrTruncated},
		"half of the magic":    {[]byte("GG"), torch.ErrTruncated},
		"other format":         {[]byte("PK\x03\x04 and more of it"), torch.ErrFormat},
		"git lfs pointer":      {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), torch.ErrFormat},
		"version 1":            {headerOf(1, ok, tensorInfo("w", 0, 0, 1)), torch.ErrUnsupported},
		"version 4":            {headerOf(4, ok, tensorInfo("w", 0, 0, 1)), torch.ErrUnsupported},
		"big endian":           {slices.Concat([]byte("GGUF\x00\x00\x00\x03"), make([]byte, 16)), torch.ErrUnsupported},
		"big endian magic":     {slices.Concat([]byte("FUGG\x00\x00\x00\x03"), make([]byte, 16)), torch.ErrUnsupported},
		"many keys":            {counted(0, most), torch.ErrTruncated},
		"many tensors":         {counted(most, 0), torch.ErrTruncated},
		"a million keys":       {slices.Concat(counted(0, 1<<20), make([]byte, 1000)), nil},
		"long key":             {key(u64(most)), torch.ErrTruncated},
		"key of 2^63":          {key(u64(1 << 63)), torch.ErrTruncated},
		"long string":          {key(slices.Concat(str("a"), u32(8), u64(1<<40))), torch.ErrTruncated},
		"long array":           {key(slices.Concat(str("a"), u32(9), u32(0), u64(most))), torch.ErrTruncated},
		"array that overflows": {key(slices.Concat(str("a"), u32(9), u32(12), u64(1<<61+1))), torch.ErrTruncated},
		"array of strings":     {key(slices.Concat(str("a"), u32(9), u32(8), u64(1<<30))), torch.ErrTruncated},
		"array of arrays":      {key(slices.Concat(str("a"), u32(9), u32(9), u64(1<<30))), torch.ErrTruncated},
		"array unknown":        {key(slices.Concat(str("a"), u32(9), u32(13), u64(0))), torch.ErrUnsupported},
		"many small keys":      {keys, torch.ErrTruncated},
		"many small tensors":   {names, torch.ErrTruncated},
		"empty arrays": {
			key(slices.Concat(str("a"), u32(9), u32(9), u64(many), make([]byte, 12*many-1))), torch.ErrTruncated,
		},
		"deep array":           {key(slices.Concat(str("a"), u32(9), nested(1000))), torch.ErrUnsupported},
		"kind unknown":         {key(entry("a", 13, u32(0))), torch.ErrUnsupported},
		"kind -1":              {key(entry("a", math.MaxUint32, u32(0))), torch.ErrUnsupported},
		"bool 2":               {key(entry("a", 7, []byte{2})), torch.ErrFormat},
		"bool 2 in an array":   {key(entry("a", 9, slices.Concat(u32(7), u64(2), []byte{0, 2}))), torch.ErrFormat},
		"key twice":            {slices.Concat(counted(0, 2), ok, ok), torch.ErrFormat},
		"key not utf-8":        {key(entry("\xff", 4, u32(1))), torch.ErrFormat},
		"name not utf-8":       {one(tensorInfo("\xff", 0, 0, 1)), torch.ErrFormat},
		"name twice":           {two(tensorInfo("w", 0, 0, 1), tensorInfo("w", 0, 32, 1)), torch.ErrFormat},
		"many dimensions":      {one(slices.Concat(str("w"), u32(math.MaxUint32))), torch.ErrUnsupported},
		"65 dimensions":        {one(tensorInfo("w", 0, 0, slices.Repeat([]uint64{1}, 65)...)), torch.ErrUnsupported},
		"negative dimension":   {one(tensorInfo("w", 0, 0, most)), torch.ErrFormat},
		"shape overflows":      {one(tensorInfo("w", 0, 0, 1<<32, 1<<32)), torch.ErrFormat},
		"shape 0 and huge":     {one(tensorInfo("w", 0, 0, 0, 1<<62, 1<<62)), torch.ErrFormat},
		"type 4":               {one(tensorInfo("w", 4, 0, 1)), torch.ErrUnsupported},
		"type unknown":         {one(tensorInfo("w", math.MaxUint32, 0, 1)), torch.ErrUnsupported},
		"half a block":         {one(tensorInfo("w", 2, 0, 16)), torch.ErrFormat},
		"blocks across rows":   {one(tensorInfo("w", 2, 0, 16, 2)), torch.ErrFormat},
		"scalar of blocks":     {one(tensorInfo("w", 2, 0)), torch.ErrFormat},
		"offset unaligned":     {one(tensorInfo("w", 0, 4, 1)), torch.ErrFormat},
		"offset -32":           {one(tensorInfo("w", 0, most-31, 1)), torch.ErrFormat},
		"offset 2^63-32":       {one(tensorInfo("w", 0, 1<<63-32, 1)), torch.ErrTruncated},
		"beyond the end":       {one(tensorInfo("w", 0, 512, 1)), torch.ErrTruncated},
		"larger than the file": {one(tensorInfo("w", 0, 0, 1<<40)), torch.ErrTruncated},
		"overlap":              {two(tensorInfo("v", 0, 0, 16), tensorInfo("w", 0, 32, 16)), torch.ErrFormat},
		"one in the other":     {two(tensorInfo("v", 0, 0, 64), tensorInfo("w", 0, 32, 1)), torch.ErrFormat},
		"same place":           {two(tensorInfo("v", 0, 0, 8), tensorInfo("w", 0, 0, 8)), torch.ErrFormat},
		"alignment 0":          {headerOf(3, entry("general.alignment", 4, u32(0)), scalar), torch.ErrFormat},
		"alignment 33":         {headerOf(3, entry("general.alignment", 4, u32(33)), scalar), torch.ErrFormat},
		"alignment int32":      {headerOf(3, entry("general.alignment", 5, u32(32)), scalar), torch.ErrFormat},
		"alignment 2^31":       {headerOf(3, entry("general.alignment", 4, u32(1<<31)), scalar), torch.ErrTruncated},
	}
}

func TestHostileFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	limit := filetest.Limit{Bytes: 256 << 10, Times: 20}
	for name, h := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.gguf")
			require.NoError(t, os.WriteFile(path, h.data, 0o600))
			filetest.Refused(t, path, int64(len(h.data)), h.kind, limit, func() error {
				f, err := gguf.Open(path)
				assert.Nil(t, f)
				return err
			})
		})
	}
}

// A file that was cut off at any byte is refused or lacks only padding.
func TestCutOff(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	data, err := os.ReadFile("testdata/metadata.gguf")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "f.gguf")
	for n := range data {
		require.NoError(t, os.WriteFile(path, data[:n], 0o600))
		if f, err := gguf.Open(path); err != nil {
			require.ErrorIs(t, err, torch.ErrTruncated, "%d", n)
		} else {
			assert.Greater(t, n, len(data)-128, "the end of the last tensor with elements")
			require.NoError(t, f.Close())
		}
	}
}

func TestNotAFile(t *testing.T) {
	_, err := gguf.Open(t.TempDir())
	require.ErrorIs(t, err, torch.ErrFormat)
	_, err = gguf.Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Each input opens or gives a *torch.FileError. What opens can be read and written again.
func FuzzOpen(f *testing.F) {
	for _, h := range hostileFiles() {
		f.Add(h.data)
	}
	data, err := os.ReadFile("testdata/metadata.gguf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(slices.Concat(headerOf(3, entry("a", 9, nested(3)), tensorInfo("w", 12, 0, 256)), make([]byte, 300)))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path, again := filepath.Join(dir, "f.gguf"), filepath.Join(dir, "again.gguf")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		live := torch.NumLiveTensors()
		g, err := gguf.Open(path)
		var e *torch.FileError
		if err != nil {
			if !errors.As(err, &e) || e.Offset > int64(len(data)) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var all []gguf.Data
		for _, name := range g.Names() {
			info, err := g.Tensor(name)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := g.Raw(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, gguf.FromRaw(name, info.Type, info.Shape, raw))
			x, err := g.Load(name)
			if err != nil && !errors.Is(err, torch.ErrUnsupported) {
				t.Fatal(err)
			}
			_ = x.Close()
		}
		if n, _ := g.Int("general.alignment"); n > 1<<12 {
			_ = g.Close()
			return // it would be a large file
		}
		if err := gguf.Write(g.Metadata(), all, again); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		h, err := gguf.Open(again)
		if err != nil || len(h.Metadata()) != len(g.Metadata()) || !slices.Equal(h.Names(), g.Names()) {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if torch.NumLiveTensors() != live || mapped.Live() != 0 {
			t.Fatal("tensors or mappings are left")
		}
	})
}
