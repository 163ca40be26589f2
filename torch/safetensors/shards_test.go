package safetensors_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

const manyIndex = "testdata/shards/many/model.safetensors.index.json"

// state returns the tensors of testdata/shards.py.
func state() tensors {
	tied := torch.Arange(0, 6, 1).To(torch.Float32)
	return tensors{
		"a.weight": torch.Arange(0, 12, 1).To(torch.Float32).View(3, 4),
		"b.bias":   torch.Arange(0, 3, 1),
		"c.large":  torch.Arange(0, 40, 1).To(torch.Float32),
		"d.half":   torch.Arange(0, 5, 1).To(torch.BFloat16),
		"e.embed":  tied,
		"f.head":   tied.View(2, 3),
		"g.t":      torch.Arange(0, 6, 1).To(torch.Float32).View(2, 3).T(),
	}
}

func TestShardsOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, path := range []string{manyIndex, "testdata/shards/many", "testdata/shards/one"} {
		torch.Scope(func() {
			s, err := safetensors.OpenSharded(path)
			require.NoError(t, err)
			defer func() { assert.NoError(t, s.Close()) }()
			assert.Equal(t, []string{"a.weight", "b.bias", "c.large", "d.half", "e.embed", "g.t"}, s.Names())
			assert.Equal(t, "test", s.Metadata()["source"])
			assert.Equal(t, "e.embed", s.Metadata()["f.head"])
			all, err := s.Tensors()
			require.NoError(t, err)
			for name, want := range state() {
				if name != "f.head" {
					same(t, values(want), values(all[name]), name)
					one, err := s.Tensor(name)
					require.NoError(t, err)
					same(t, values(want), values(one), name)
				}
			}
			part, err := s.Slice("g.t", 1)
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 4}, part.Float32s())
			info, err := s.Info("d.half")
			require.NoError(t, err)
			assert.Equal(t, torch.BFloat16, info.DType)
			f, err := s.File("d.half")
			require.NoError(t, err)
			assert.Contains(t, f.Names(), "e.embed")

			for _, missing := range []func() error{
				func() error { _, err := s.Tensor("f.head"); return err },
				func() error { _, err := s.Info("f.head"); return err },
				func() error { _, err := s.Slice("f.head"); return err },
			} {
				require.ErrorIs(t, missing(), torch.ErrNotFound)
			}
			loaded, err := safetensors.LoadSharded(path, safetensors.BackendPread)
			require.NoError(t, err)
			assert.Equal(t, s.Names(), slices.Sorted(maps.Keys(loaded)))
		})
	}
	s, err := safetensors.OpenSharded(manyIndex)
	require.NoError(t, err)
	assert.Equal(t, "290", s.Metadata()["total_size"])
	assert.Equal(t, manyIndex+": 6 tensors in 4 files", s.String())
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.NoError(t, (*safetensors.Sharded)(nil).Close())
	assert.Zero(t, mapped.Live())
}

// SaveSharded writes the same files as huggingface_hub.
func TestSaveShardedWritesPythonsFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := filepath.Join(t.TempDir(), "made", "here")
	torch.Scope(func() {
		require.NoError(t,
			safetensors.SaveSharded(state(), dir, safetensors.MaxShardSize(64), safetensors.Metadata{"source": "test"}))
	})
	want, err := filepath.Glob("testdata/shards/many/*")
	require.NoError(t, err)
	got, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, filepath.Base(want[i]), filepath.Base(got[i]))
		a, err := os.ReadFile(want[i])
		require.NoError(t, err)
		b, err := os.ReadFile(got[i])
		require.NoError(t, err)
		if filepath.Ext(want[i]) == ".json" {
			assert.JSONEq(t, string(a), string(b))
			continue
		}
		assert.Equal(t, string(a), string(b), got[i])
	}

	// A single file replaces a set. No file of the earlier set remains.
	keep := filepath.Join(dir, "model-1.safetensors")
	require.NoError(t, os.WriteFile(keep, nil, 0o600))
	torch.Scope(func() { require.NoError(t, safetensors.SaveSharded(state(), dir)) })
	got, err = filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{keep, filepath.Join(dir, "model.safetensors")}, got)
}

// If SaveSharded cannot write a file, the earlier set stays unchanged.
func TestFailedSetLeavesTheOldOne(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		require.NoError(t,
			safetensors.SaveSharded(tensors{"a": x, "b": torch.Ones(torch.Shape{2})}, dir, safetensors.MaxShardSize(8)))
		zero := aten.UnderEfficientzerotensor([]int64{2}, torch.Float32, torch.Strided, nil, nil)
		err := safetensors.SaveSharded(tensors{"a": torch.Zeros(torch.Shape{2}), "b": zero}, dir,
			safetensors.MaxShardSize(8))
		require.ErrorIs(t, err, torch.ErrValue)
		all, err := safetensors.LoadSharded(dir)
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 1}, all["a"].Float32s())
	})
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 3, "and nothing else")
}

func TestSplit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/shards/splits.json")
	require.NoError(t, err)
	var splits []struct {
		Sizes []int64
		Most  int64
		Files map[string][]string
	}
	require.NoError(t, json.Unmarshal(text, &splits))
	for _, c := range splits {
		dir := t.TempDir()
		torch.Scope(func() {
			what := tensors{}
			for i, n := range c.Sizes {
				what[fmt.Sprintf("t%02d", i)] = torch.Zeros(torch.Shape{n}, torch.Uint8)
			}
			require.NoError(t, safetensors.SaveSharded(what, dir, safetensors.MaxShardSize(c.Most)))
			for name, want := range c.Files {
				f, err := safetensors.Open(filepath.Join(dir, name))
				require.NoError(t, err, "%v", c)
				assert.Equal(t, want, f.Names(), "%v", c)
				require.NoError(t, f.Close())
			}
		})
		files, err := filepath.Glob(filepath.Join(dir, "*.safetensors"))
		require.NoError(t, err)
		assert.Len(t, files, len(c.Files))
	}
	dir := t.TempDir()
	require.NoError(t, safetensors.SaveSharded(nil, dir))
	all, err := safetensors.LoadSharded(dir)
	require.NoError(t, err)
	assert.Empty(t, all)
}

// An invalid index is refused, and so is an index that lists files outside of its
// directory.
func TestDamagedIndexes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for name, c := range map[string]struct {
			text   string
			kind   error
			tensor string
		}{
			"empty":            {"", torch.ErrTruncated, ""},
			"no JSON":          {"{", torch.ErrFormat, ""},
			"list":             {"[]", torch.ErrFormat, ""},
			"no UTF-8":         {"{\"\xff\":1}", torch.ErrFormat, ""},
			"no map":           {`{"metadata":{}}`, torch.ErrFormat, ""},
			"map is list":      {`{"weight_map":[]}`, torch.ErrFormat, ""},
			"map twice":        {`{"weight_map":{},"weight_map":{}}`, torch.ErrFormat, ""},
			"number":           {`{"weight_map":{"a":1}}`, torch.ErrFormat, ""},
			"tensor twice":     {`{"weight_map":{"a":"one.safetensors","a":"two.safetensors"}}`, torch.ErrFormat, ""},
			"metadata is list": {`{"metadata":[],"weight_map":{}}`, torch.ErrFormat, ""},
			"above":            {`{"weight_map":{"a":"../one.safetensors"}}`, torch.ErrFormat, "a"},
			"above, later":     {`{"weight_map":{"a":"x/../../one.safetensors"}}`, torch.ErrFormat, "a"},
			"absolute":         {`{"weight_map":{"a":"/one.safetensors"}}`, torch.ErrFormat, "a"},
			"drive":            {`{"weight_map":{"a":"C:one.safetensors"}}`, torch.ErrFormat, "a"},
			"backslash":        {`{"weight_map":{"a":"..\\one.safetensors"}}`, torch.ErrFormat, "a"},
			"no name":          {`{"weight_map":{"a":""}}`, torch.ErrFormat, "a"},
			"zero byte":        {`{"weight_map":{"a":"one\u0000.safetensors"}}`, torch.ErrFormat, "a"},
			"another format":   {`{"weight_map":{"a":"one.bin"}}`, torch.ErrFormat, "a"},
			"not in its file": {
				`{"weight_map":{"a":"one.safetensors","c":"one.safetensors"}}`, torch.ErrMismatch,
				"c",
			},
			"in two files": {`{"weight_map":{"a":"one.safetensors","c":"two.safetensors"}}`, torch.ErrMismatch, "b"},
			"no such file": {`{"weight_map":{"a":"none.safetensors"}}`, os.ErrNotExist, ""},
		} {
			dir := t.TempDir()
			one := torch.Zeros(torch.Shape{1})
			require.NoError(t,
				safetensors.SaveFile(tensors{"a": one, "b": torch.Zeros(torch.Shape{1})},
					filepath.Join(dir, "one.safetensors")))
			require.NoError(t,
				safetensors.SaveFile(tensors{"c": one, "b": torch.Zeros(torch.Shape{1})},
					filepath.Join(dir, "two.safetensors")))
			path := filepath.Join(dir, "model.safetensors.index.json")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := safetensors.LoadSharded(path)
			require.ErrorIs(t, err, c.kind, name)
			e := stringOf(err)
			assert.Equal(t, c.tensor, e.Tensor, name)
			assert.True(t, e.Offset >= 0 || e.Tensor != "" || e.Err != nil, "%s: %v", name, err)
		}
	})
	assert.Zero(t, mapped.Live())
}

// If an index has a number in place of an object, the error contains the number.
func TestIndexWithANumberForAnObject(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.index.json")
	for text, got := range map[string]string{
		`{"weight_map":5}`: "got 5", `{"weight_map":{"a":5}}`: "got 5",
		`5`: "got 5",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := safetensors.OpenSharded(path)
		assert.ErrorContains(t, err, got, text)
	}
}

// Tensors that are in the files but not in the index are included. Files may be in
// subdirectories.
func TestMoreThanTheIndex(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	torch.Scope(func() {
		require.NoError(t,
			safetensors.SaveFile(tensors{"a": torch.Zeros(torch.Shape{1}), "b": torch.Ones(torch.Shape{1})},
				filepath.Join(dir, "sub", "one.safetensors")))
		path := filepath.Join(dir, "x.index.json")
		require.NoError(t,
			os.WriteFile(path,
				[]byte(`{"other":[1,{"x":2}],"weight_map":{"a":"sub/one.safetensors"},`+
					`"metadata":{"n":[1, 2],"s":"é","t":null}}`), 0o600))
		s, err := safetensors.OpenSharded(path)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, s.Names())
		assert.Equal(t, map[string]string{"n": "[1, 2]", "s": "é", "t": "null"}, s.Metadata())
		require.NoError(t, s.Close())
	})
}
