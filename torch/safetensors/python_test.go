package safetensors_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// Python's package reads files that this package wrote, and writes them again with the same bytes.
func TestPythonReadsIt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "safetensors")
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.safetensors"), filepath.Join(dir, "second.safetensors")
	g := torch.NewGenerator(1)
	torch.Scope(func() {
		all := tensors{"scalar": torch.FromSlice([]float64{math.Pi}).Reshape(), "empty": torch.Zeros(torch.Shape{3, 0})}
		for _, dtype := range []torch.DType{
			torch.Bool, torch.Uint8, torch.Int8, torch.Int16, torch.Int32, torch.Int64, torch.Uint16, torch.Uint32,
			torch.Uint64,
			torch.Float16, torch.BFloat16, torch.Float32, torch.Float64, torch.Complex64,
			torch.Float8E4M3FN, torch.Float8E5M2, torch.Float8E4M3FNU, torch.Float8E5M2FN,
		} {
			all["some."+dtype.String()] = torch.Rand(torch.Shape{3, 5}, g).MulScalar(100).To(dtype)
		}
		require.NoError(t, safetensors.SaveFile(all, first, safetensors.Metadata{"ключ": "\U0001f600\n\""}))
	})
	const script = `
import sys
from safetensors import safe_open
from safetensors.torch import save_file
with safe_open(sys.argv[1], framework="pt") as f:
    save_file({k: f.get_tensor(k) for k in f.keys()}, sys.argv[2], f.metadata())
`
	pythontest.Script(t, python, "", script, first, second)
	a, err := os.ReadFile(first)
	require.NoError(t, err)
	b, err := os.ReadFile(second)
	require.NoError(t, err)
	assert.Equal(t, string(a), string(b))
}
