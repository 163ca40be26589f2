package numpy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

// NumPy reads files that this package wrote. If NumPy writes them again, arrays have the
// same bytes, and archives the same arrays.
func TestPythonReadsIt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "numpy")
	dir := t.TempDir()
	torch.Scope(func() {
		all := tensors{
			"scalar": torch.FromSlice([]float64{2.5}).Reshape(), "empty": torch.Zeros(torch.Shape{3, 0}),
			"ключ": torch.Ones(torch.Shape{1}),
		}
		g := torch.NewGenerator(1)
		for _, dtype := range []torch.DType{
			torch.Bool, torch.Uint8, torch.Int8, torch.Int16, torch.Int32, torch.Int64, torch.Uint16, torch.Uint32,
			torch.Uint64,
			torch.Float16, torch.Float32, torch.Float64, torch.Complex64, torch.Complex128,
		} {
			x := torch.Rand(torch.Shape{2, 3, 4}, g).MulScalar(100).To(dtype)
			all[dtype.String()] = x
			all[dtype.String()+".fortran"] = x.Permute(2, 1, 0)
		}
		for name, x := range all {
			require.NoError(t, numpy.Save(x, filepath.Join(dir, name)))
		}
		require.NoError(t, numpy.Savez(all, filepath.Join(dir, "stored")))
		require.NoError(t, numpy.SavezCompressed(all, filepath.Join(dir, "compressed")))
		const script = `
import glob, os, sys
import numpy as np
os.chdir(sys.argv[1])
arrays = {p[:-4]: np.load(p) for p in glob.glob("*.npy")}
for name, a in arrays.items():
    np.save("again." + name, a)
for kind in ("stored", "compressed"):
    with np.load(kind + ".npz") as z:
        assert sorted(z.files) == sorted(arrays), z.files
        for name, a in arrays.items():
            assert z[name].dtype == a.dtype and z[name].shape == a.shape and (z[name] == a).all(), name
            assert z[name].flags.f_contiguous == a.flags.f_contiguous, name
np.savez("again.npz", **arrays)
`
		pythontest.Script(t, python, "", script, dir)
		again, err := numpy.LoadNpz(filepath.Join(dir, "again.npz"))
		require.NoError(t, err)
		assert.Len(t, again, len(all))
		for name, x := range all {
			assert.True(t, x.Equal(again[name]))
			first, err := os.ReadFile(filepath.Join(dir, name+".npy"))
			require.NoError(t, err)
			second, err := os.ReadFile(filepath.Join(dir, "again."+name+".npy"))
			require.NoError(t, err)
			assert.Equal(t, string(first), string(second), name)
		}
	})
}
