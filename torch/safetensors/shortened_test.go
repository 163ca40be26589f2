package safetensors_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// A file is truncated while a program computes with its tensors on two threads. Tensors
// that were read earlier stay valid; reading other tensors returns an error. The test runs
// in a child process, because access to a truncated mapping would end the process.
func TestFileIsShortenedUnderAReader(t *testing.T) {
	if !again.With(t, "GOTORCH_CHILD=shortened") {
		return
	}
	torch.SetNumThreads(2)
	const n = 4 << 20
	path := filepath.Join(t.TempDir(), "model.safetensors")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{n})
		require.NoError(t,
			safetensors.SaveFile(map[string]*torch.Tensor{"a": x, "b": x.AddScalar(1), "c": x.AddScalar(2)}, path))
	})
	torch.Scope(func() {
		f, err := safetensors.Open(path)
		require.NoError(t, err)
		all, err := safetensors.LoadFile(path)
		require.NoError(t, err)
		a, err := f.Tensor("a")
		require.NoError(t, err)
		rows, err := f.Slice("b", torch.Slice(n/2, n))
		require.NoError(t, err)
		info, err := f.Info("b")
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, info.Offset+100))

		assert.InDelta(t, n, a.Sum().Item(), 0)
		assert.InDelta(t, n, rows.Sum().Item(), 0)
		assert.InDelta(t, 6*n, all["a"].Add(all["b"]).Add(all["c"]).Sum().Item(), 0)
		for _, name := range []string{"b", "c"} {
			_, err = f.Tensor(name)
			require.ErrorIs(t, err, torch.ErrTruncated)
		}
		require.NoError(t, f.Close())
		_, err = safetensors.LoadFile(path)
		require.ErrorIs(t, err, torch.ErrTruncated)
	})
}
