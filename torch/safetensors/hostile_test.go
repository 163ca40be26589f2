package safetensors_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// A tensor that is larger than the memory of any machine is refused.
func TestTensorsLargerThanMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		one := torch.Zeros(torch.Shape{1})
		for name, what := range map[string]tensors{
			"one": {"a": one.Expand(1 << 50)},
			"many": {
				"a": one.Expand(1 << 60), "b": torch.Zeros(torch.Shape{1}).Expand(1 << 60),
				"c": torch.Zeros(torch.Shape{1}).Expand(1 << 60),
			},
		} {
			_, err := safetensors.Save(what, safetensors.ForceContiguous(true))
			require.ErrorIs(t, err, torch.ErrOutOfMemory, name)
			dir := t.TempDir()
			path := filepath.Join(dir, "f.safetensors")
			require.ErrorIs(t, safetensors.SaveFile(what, path, safetensors.ForceContiguous(true)),
				torch.ErrOutOfMemory, name)
			require.ErrorIs(t, safetensors.SaveSharded(what, dir), torch.ErrOutOfMemory, name)
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, files, name)
		}
	})
}

// An index may have only one name for each file. Otherwise the same file would be opened
// many times.
func TestOneFileOfManyNames(t *testing.T) {
	dir := t.TempDir()
	torch.Scope(func() {
		require.NoError(t,
			safetensors.SaveFile(tensors{"w": torch.Zeros(torch.Shape{1})}, filepath.Join(dir, "f.safetensors")))
	})
	for _, name := range []string{"./f.safetensors", "a/../f.safetensors", ".//f.safetensors", "f.safetensors/"} {
		index := filepath.Join(dir, "model.safetensors.index.json")
		require.NoError(t, os.WriteFile(index, []byte(`{"weight_map": {"w": "`+name+`"}}`), 0o600))
		_, err := safetensors.OpenSharded(dir)
		require.ErrorIs(t, err, torch.ErrFormat, name)
	}
}

// With both backends, reading a tensor during Close returns the tensor or ErrClosed.
func TestClosedWhileRead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "f.safetensors")
	torch.Scope(func() {
		require.NoError(t, safetensors.SaveFile(tensors{"w": torch.Ones(torch.Shape{1000})}, path))
	})
	for _, backend := range []safetensors.Backend{safetensors.BackendMmap, safetensors.BackendPread} {
		for range 20 {
			f, err := safetensors.Open(path, backend)
			require.NoError(t, err)
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() {
					for range 20 {
						if i == 5 {
							assert.NoError(t, f.Close())
						}
						x, err := f.Tensor("w")
						if err != nil {
							assert.ErrorIs(t, err, torch.ErrClosed)
							assert.False(t, errors.Is(err, os.ErrClosed),
								"the program's file was closed, not the system's")
							return
						}
						assert.InDelta(t, 1000, sumOf(x), 0)
						assert.NoError(t, x.Close())
					}
				})
			}
			wg.Wait()
		}
	}
}

func sumOf(x *torch.Tensor) (sum float64) {
	torch.Scope(func() { sum = x.Sum().Item() })
	return sum
}
