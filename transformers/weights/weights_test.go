package weights_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/weights"
)

const pickleIndex = "pytorch_model.bin.index.json"

type tensors = map[string]*torch.Tensor

// model returns the tensors of a model.
func model() tensors {
	return tensors{
		"a.weight": torch.Arange(6).To(torch.Float32).Reshape(2, 3), "a.bias": torch.Full(torch.Shape{2}, 0.5),
		"b.weight": torch.Full(torch.Shape{4}, -1, torch.Float32), "n": torch.Full(nil, 7, torch.Int64),
	}
}

// part returns some of the tensors.
func part(all tensors, names ...string) tensors {
	some := tensors{}
	for _, name := range names {
		some[name] = all[name]
	}
	return some
}

func savePickle(t *testing.T, all tensors, path string) {
	t.Helper()
	d := serialization.NewOrderedDict()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d.Set(name, all[name])
	}
	require.NoError(t, serialization.Save(d, path))
}

func saveGGUF(t *testing.T, all tensors, path string, metadata ...gguf.KV) {
	t.Helper()
	var list []gguf.Data
	for _, name := range slices.Sorted(maps.Keys(all)) {
		as, ok := gguf.TypeOf(all[name].DType())
		require.True(t, ok)
		list = append(list, gguf.FromTensor(name, all[name], as))
	}
	require.NoError(t, gguf.Write(metadata, list, path))
}

func write(t *testing.T, path string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

func split(no, count int) []gguf.KV {
	return []gguf.KV{{Key: "split.no", Value: uint16(no)}, {Key: "split.count", Value: uint16(count)}}
}

// layouts are all ways to store a model in a folder.
var layouts = map[string]struct {
	format weights.Format
	path   string // of the result
	save   func(t *testing.T, all tensors, dir string)
}{
	"safetensors": {weights.FormatSafetensors, "model.safetensors", func(t *testing.T, all tensors, dir string) {
		t.Helper()
		require.NoError(t, safetensors.SaveFile(all, filepath.Join(dir, "model.safetensors")))
	}},
	"safetensors in files": {
		weights.FormatSafetensors, "model.safetensors.index.json",
		func(t *testing.T, all tensors, dir string) {
			t.Helper()
			require.NoError(t, safetensors.SaveSharded(all, dir, safetensors.MaxShardSize(16)))
		},
	},
	"pickle": {weights.FormatPyTorch, "pytorch_model.bin", func(t *testing.T, all tensors, dir string) {
		t.Helper()
		savePickle(t, all, filepath.Join(dir, "pytorch_model.bin"))
	}},
	"pickle in files": {weights.FormatPyTorch, pickleIndex, func(t *testing.T, all tensors, dir string) {
		t.Helper()
		savePickle(t, part(all, "a.weight", "n"), filepath.Join(dir, "1.bin"))
		savePickle(t, part(all, "a.bias", "b.weight"), filepath.Join(dir, "2.bin"))
		write(t, filepath.Join(dir, pickleIndex), map[string]any{
			"metadata":   map[string]any{"total_size": 1},
			"weight_map": map[string]string{"a.weight": "1.bin", "n": "1.bin", "a.bias": "2.bin"},
		})
	}},
	"gguf": {weights.FormatGGUF, "any-name.gguf", func(t *testing.T, all tensors, dir string) {
		t.Helper()
		saveGGUF(t, all, filepath.Join(dir, "any-name.gguf"))
	}},
	"gguf in files": {weights.FormatGGUF, "m-00001-of-00002.gguf", func(t *testing.T, all tensors, dir string) {
		t.Helper()
		saveGGUF(t, part(all, "a.weight", "n"), filepath.Join(dir, "m-00001-of-00002.gguf"), split(0, 2)...)
		saveGGUF(t, part(all, "a.bias", "b.weight"), filepath.Join(dir, "m-00002-of-00002.gguf"), split(1, 2)...)
	}},
}

func TestEveryLayout(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, l := range layouts {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			torch.Scope(func() {
				all := model()
				l.save(t, all, dir)
				for _, path := range []string{dir, filepath.Join(dir, l.path)} {
					for _, opts := range [][]weights.OpenOption{
						nil, {weights.Mmap(true)}, {weights.DType(torch.BFloat16), weights.Device(torch.CPU)},
					} {
						w, err := weights.Open(path, opts...)
						require.NoError(t, err)
						assert.Equal(t, l.format, w.Format())
						assert.Equal(t, filepath.Join(dir, l.path), w.Path())
						assert.Equal(t, []string{"a.bias", "a.weight", "b.weight", "n"}, w.Names())
						for name, want := range all {
							x, err := w.Tensor(name)
							require.NoError(t, err)
							m, err := w.Meta(name)
							require.NoError(t, err)
							dtype := want.DType()
							if len(opts) == 2 && name != "n" {
								dtype = torch.BFloat16
							}
							assert.Equal(t, dtype, x.DType(), name)
							assert.Equal(t, dtype, m.DType(), name)
							assert.Equal(t, torch.Meta, m.Device())
							assert.Equal(t, want.Shape(), m.Shape())
							assert.True(t, want.To(dtype).Equal(x), name)
						}
						_, err = w.Tensor("none")
						require.ErrorIs(t, err, torch.ErrNotFound)
						_, err = w.Meta("none")
						require.ErrorIs(t, err, torch.ErrNotFound)
						require.NoError(t, w.Close())
						require.NoError(t, w.Close())
						_, err = w.Tensor("a.bias")
						require.ErrorIs(t, err, torch.ErrClosed)
					}
				}
			})
			assert.Zero(t, mapped.Live())
		})
	}
}

// A module loads quantized weights under its own names.
func TestLoadStateDict(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "m.gguf")
	torch.Scope(func() {
		require.NoError(t, gguf.Write(nil, []gguf.Data{
			gguf.FromTensor("output.weight", torch.Ones(torch.Shape{2, 32}), gguf.TypeQ8_0),
			gguf.FromTensor("output.bias", torch.Ones(torch.Shape{2}), gguf.TypeF32),
		}, path))
	})
	w, err := weights.Open(path)
	require.NoError(t, err)
	layer := nn.NewLinear(32, 2)
	require.NoError(t, layer.LoadStateDict(w, nn.Rename{{"output.*", "*"}}))
	torch.Scope(func() {
		assert.InDeltaSlice(t, []float32{33, 33}, layer.Forward(torch.Ones(torch.Shape{32})).Float32s(), 0.01)
	})
	require.NoError(t, layer.Close())
	require.NoError(t, w.Close())
}

// Python wrote the files with Hugging Face's function for several files.
func TestFilesOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "huggingface_hub", "torch")
	dir := t.TempDir()
	const script = `
import os
import sys
import torch
from huggingface_hub import save_torch_state_dict
state = {"a": torch.arange(6, dtype=torch.float32).reshape(2, 3), "b": torch.full((1000,), 2.0), "c": torch.tensor(3)}
for kind in ["safe", "pickle"]:
    os.mkdir(sys.argv[1] + "/" + kind)
    save_torch_state_dict(state, sys.argv[1] + "/" + kind, max_shard_size="1KB", safe_serialization=kind == "safe")
`
	pythontest.Script(t, python, "", script, dir)
	for _, kind := range []string{"safe", "pickle"} {
		w, err := weights.Open(filepath.Join(dir, kind))
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b", "c"}, w.Names())
		torch.Scope(func() {
			x, err := w.Tensor("a")
			require.NoError(t, err)
			assert.Equal(t, []float32{0, 1, 2, 3, 4, 5}, x.Reshape(-1).Float32s())
		})
		require.NoError(t, w.Close())
	}
}

func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	one := func(name string) tensors { return tensors{name: torch.Ones(torch.Shape{1})} }
	index := func(t *testing.T, dir string, files map[string]string) {
		t.Helper()
		write(t, filepath.Join(dir, pickleIndex), map[string]any{"weight_map": files})
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, dir string)
		kind error
	}{
		"nothing": {func(*testing.T, string) {}, fs.ErrNotExist},
		"two models": {func(t *testing.T, dir string) {
			t.Helper()
			saveGGUF(t, one("a"), filepath.Join(dir, "a.gguf"))
			saveGGUF(t, one("a"), filepath.Join(dir, "b.gguf"))
		}, torch.ErrMismatch},
		"missing file": {func(t *testing.T, dir string) {
			t.Helper()
			index(t, dir, map[string]string{"a": "1.bin"})
		}, fs.ErrNotExist},
		"outside": {func(t *testing.T, dir string) {
			t.Helper()
			index(t, dir, map[string]string{"a": "../1.bin"})
		}, torch.ErrFormat},
		"other file": {func(t *testing.T, dir string) {
			t.Helper()
			index(t, dir, map[string]string{"a": "1.txt"})
		}, torch.ErrFormat},
		"no index": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, pickleIndex), []int{1})
		}, torch.ErrFormat},
		"not in the file": {func(t *testing.T, dir string) {
			t.Helper()
			savePickle(t, one("a"), filepath.Join(dir, "1.bin"))
			index(t, dir, map[string]string{"b": "1.bin"})
		}, torch.ErrMismatch},
		"in two files": {func(t *testing.T, dir string) {
			t.Helper()
			savePickle(t, part(model(), "a.bias", "n"), filepath.Join(dir, "1.bin"))
			savePickle(t, part(model(), "b.weight", "n"), filepath.Join(dir, "2.bin"))
			index(t, dir, map[string]string{"a.bias": "1.bin", "b.weight": "2.bin"})
		}, torch.ErrMismatch},
		"second file is missing": {func(t *testing.T, dir string) {
			t.Helper()
			saveGGUF(t, one("a"), filepath.Join(dir, "m-00001-of-00002.gguf"), split(0, 2)...)
		}, fs.ErrNotExist},
		"second file is another": {func(t *testing.T, dir string) {
			t.Helper()
			saveGGUF(t, one("a"), filepath.Join(dir, "m-00001-of-00002.gguf"), split(0, 2)...)
			saveGGUF(t, one("b"), filepath.Join(dir, "m-00002-of-00002.gguf"))
		}, torch.ErrMismatch},
		"name does not say how many": {func(t *testing.T, dir string) {
			t.Helper()
			saveGGUF(t, one("a"), filepath.Join(dir, "m.gguf"), split(0, 2)...)
		}, torch.ErrMismatch},
		"damaged": {func(t *testing.T, dir string) {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), []byte("x"), 0o600))
		}, torch.ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			torch.Scope(func() { c.make(t, dir) })
			w, err := weights.Open(dir)
			require.ErrorIs(t, err, c.kind)
			require.ErrorAs(t, err, new(*torch.FileError))
			assert.Nil(t, w)
			assert.Zero(t, mapped.Live())
		})
	}
	_, err := weights.Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	path := filepath.Join(t.TempDir(), "x.txt")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = weights.Open(path)
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorIs(t, torch.Try(func() { _, _ = weights.Open(path, nil) }), torch.ErrNil)
	_, err = weights.Open(path, weights.Device(torch.CUDA.At(99)))
	require.ErrorIs(t, err, torch.ErrDevice)
}

func TestMade(t *testing.T) {
	filetest.Made(t, &weights.Weights{}, (*weights.Weights)(nil))
}
