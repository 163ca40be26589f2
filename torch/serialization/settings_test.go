package serialization_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/nested"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// settings are global settings that may be active when a program reads or writes a file.
var settings = map[string]func(fn func()){
	"inference mode":    torch.InferenceMode,
	"no gradients":      torch.NoGrad,
	"another device":    func(fn func()) { torch.WithDevice(torch.Meta, fn) },
	"another dtype":     func(fn func()) { torch.WithDType(torch.Float64, fn) },
	"autocast":          func(fn func()) { amp.Autocast(torch.CPU, torch.BFloat16, fn) },
	"one thread":        func(fn func()) { torch.WithNumThreads(1, fn) },
	"a generator":       func(fn func()) { torch.WithGenerator(torch.NewGenerator(torch.CPU), fn) },
	"a scope in a mode": func(fn func()) { torch.InferenceMode(func() { torch.Scope(fn) }) },
	"deterministic": func(fn func()) {
		torch.UseDeterministicAlgorithms(true)
		defer torch.UseDeterministicAlgorithms(false)
		fn()
	},
}

// copies reads every file that Python wrote for the tests of packages that read files,
// and writes its contents again. It returns the checksums of the written files, by path.
func copies(t *testing.T) map[string][sha256.Size]byte {
	t.Helper()
	out := map[string][sha256.Size]byte{}
	note := func(path string, b []byte, err error) {
		require.NoError(t, err, path)
		out[path] = sha256.Sum256(b)
	}
	paths := []string{}
	for _, pattern := range []string{
		"testdata/golden/*", "../numpy/testdata/golden/*",
		"../safetensors/testdata/goldens/*",
	} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		paths = append(paths, found...)
	}
	for _, path := range paths {
		var b bytes.Buffer
		torch.Scope(func() {
			switch filepath.Ext(path) {
			case ".pt", ".pth":
				for _, mmap := range []serialization.Mmap{false, true} {
					v, err := serialization.Load(path, mmap)
					if err != nil {
						require.True(t, bool(mmap) && strings.Contains(path, "legacy"), "%s: %v", path, err)
						continue
					}
					note(path, nil, serialization.SaveTo(&b, v, serialization.ArchiveName("x")))
				}
			case ".npy":
				for _, mmap := range []numpy.Mmap{false, true} {
					x, err := numpy.Load(path, mmap)
					require.NoError(t, err, path)
					note(path, nil, numpy.SaveTo(&b, x))
				}
			case ".npz":
				all, err := numpy.LoadNpz(path)
				require.NoError(t, err, path)
				to := filepath.Join(t.TempDir(), "x.npz")
				require.NoError(t, numpy.SavezCompressed(all, to))
				text, err := os.ReadFile(to)
				require.NoError(t, err)
				b.Write(text)
			case ".safetensors":
				for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
					all, err := safetensors.LoadFile(path, backend)
					if err != nil {
						require.ErrorIs(t, err, torch.ErrUnsupported, path)
						continue
					}
					text, err := safetensors.Save(all)
					require.NoError(t, err, path)
					b.Write(text)
				}
			}
		})
		note(path, b.Bytes(), nil)
	}
	return out
}

// Saving a tensor that a format does not support returns an error. It leaves no partial
// file.
func TestTensorsOfNoFile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for name, x := range map[string]*torch.Tensor{
			"quantized": aten.QuantizePerTensor(torch.Ones(torch.Shape{2}), 0.5, 0, torch.QInt8),
			"nested":    nested.NestedTensor([]*torch.Tensor{torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})}),
			"zero":      aten.UnderEfficientzerotensor([]int64{3}, torch.Float32, torch.Strided, nil, nil),
			"mkldnn":    aten.ToMkldnn(torch.Ones(torch.Shape{4}), 0),
		} {
			dir := t.TempDir()
			for format, err := range map[string]error{
				"pt":  serialization.Save(map[string]any{"x": x}, filepath.Join(dir, "x.pt")),
				"npy": numpy.Save(x, filepath.Join(dir, "x.npy")),
				"npz": numpy.Savez(map[string]*torch.Tensor{"x": x}, filepath.Join(dir, "x.npz")),
				"safetensors": safetensors.SaveFile(map[string]*torch.Tensor{"x": x},
					filepath.Join(dir, "x.safetensors")),
			} {
				var e *torch.Error
				assert.ErrorAs(t, err, &e, "%s %s", name, format)
			}
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, left, name)
		}
	})
}

// Files are read and written in the same way under all global settings.
func TestSettings(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	want := copies(t)
	for name, with := range settings {
		var got map[string][sha256.Size]byte
		with(func() { got = copies(t) })
		for path := range want {
			assert.Equal(t, want[path], got[path], "%s: %s", name, path)
		}
	}
}
