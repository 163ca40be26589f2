package jit_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

func TestSaveAndLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name := range goldens(t) {
		torch.Scope(func() {
			m := load(t, name)
			var b bytes.Buffer
			require.NoError(t, m.SaveTo(&b), name)
			path := filepath.Join(t.TempDir(), "m.pt")
			require.NoError(t, m.Save(path), name)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Len(t, data, b.Len(), name)
			again, err := jit.LoadFrom(bytes.NewReader(b.Bytes()), int64(b.Len()))
			require.NoError(t, err, name)
			assert.Equal(t, m.String(), again.String())
			assert.Equal(t, m.Training(), again.Training())
			assert.ElementsMatch(t, m.Methods(), again.Methods())
			ours := m.StateDict()
			for i, n := range again.StateDict() {
				assert.Equal(t, ours[i].Name, n.Name)
				torchtest.AllClose(t, ours[i].Tensor.Detach(), n.Tensor.Detach())
			}
			require.NoError(t, again.Close())
			require.NoError(t, m.Close())
		})
	}
}

func TestExtraFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	want := jit.ExtraFiles{"notes.txt": "", "empty": "?", "none": "stays"}
	m := load(t, "mlp_training", want)
	assert.Equal(t, jit.ExtraFiles{"notes.txt": "made by golden.py", "empty": "", "none": "stays"}, want)
	path := filepath.Join(t.TempDir(), "m.pt")
	large := string(bytes.Repeat([]byte("ab\x00"), 100_000))
	require.NoError(t, m.Save(path, jit.ExtraFiles{"a/b.json": "{}", "large": large}))
	got := jit.ExtraFiles{"a/b.json": "", "large": "", "notes.txt": ""}
	again, err := jit.Load(path, got, jit.MapLocation(torch.CPU))
	require.NoError(t, err)
	assert.Equal(t, jit.ExtraFiles{"a/b.json": "{}", "large": large, "notes.txt": ""}, got)
	require.NoError(t, again.Close())
	require.ErrorIs(t, torch.Try(func() { _ = m.Save(path, jit.ExtraFiles{"": ""}) }), torch.ErrValue)
	require.NoError(t, m.Close())
}

type broken struct{}

// Write implements io.Writer.
func (broken) Write([]byte) (int, error) { return 0, fs.ErrPermission }

func TestSaveErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "mlp_scripted")
	path := filepath.Join(t.TempDir(), "none", "m.pt")
	err := m.Save(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	var e *torch.FileError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, path, e.Path)
	require.ErrorIs(t, m.SaveTo(broken{}), fs.ErrPermission)
	require.ErrorIs(t, m.SaveTo(nil), torch.ErrNil)
	require.NoError(t, m.Close())
	require.ErrorIs(t, torch.Try(func() { _ = m.Save(path) }), torch.ErrClosed)
}

// Python loads modules that were trained and saved here, and computes the same numbers.
func TestPythonReadsIt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	program := pythontest.Interpreter(t, "torch")
	torch.Scope(func() {
		m := load(t, "conv")
		torch.NoGrad(func() {
			for _, p := range m.Parameters() {
				p.MulScalar_(1.5)
			}
		})
		x := torch.Arange(0, 50, 1).To(torch.Float32).View(2, 1, 5, 5).DivScalar(25)
		want := m.Forward(x).Detach()
		dir := t.TempDir()
		for name, m := range map[string]*jit.Module{"plain": m, "frozen": m.Freeze()} {
			path, out := filepath.Join(dir, name+".pt"), filepath.Join(dir, name+".out.pt")
			require.NoError(t, m.Save(path, jit.ExtraFiles{"who": "Go"}))
			const script = `
import sys, torch
extra = {"who": ""}
m = torch.jit.load(sys.argv[1], _extra_files=extra)
assert extra["who"] == b"Go", extra
x = torch.arange(50.0).view(2, 1, 5, 5) / 25
torch.save(m(x).detach(), sys.argv[2])
`
			pythontest.Script(t, program, "", script, path, out)
			theirs, err := serialization.Load(out)
			require.NoError(t, err)
			torchtest.AllClose(t, want, theirs.(*torch.Tensor), torchtest.RTol(1e-5), torchtest.ATol(1e-6))
			require.NoError(t, m.Close())
		}
	})
}

// A torchvision network gives the same results here as in Python, whether scripted or
// traced.
func TestResNet18(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	program := pythontest.Interpreter(t, "torchvision")
	dir := t.TempDir()
	const script = `
import sys, torch, torchvision
torch.manual_seed(0)
m = torchvision.models.resnet18(weights=None).eval()
x = torch.linspace(-1, 1, 3 * 64 * 64).view(1, 3, 64, 64)
for name, s in (("scripted", torch.jit.script(m)), ("traced", torch.jit.trace(m, x)),
                ("frozen", torch.jit.freeze(torch.jit.script(m)))):
    torch.jit.save(s, f"{sys.argv[1]}/{name}.pt")
torch.save({"x": x, "y": m(x).detach()}, sys.argv[1] + "/logits.pt")
`
	pythontest.Script(t, program, "", script, dir)
	torch.Scope(func() {
		logits, err := serialization.LoadStateDict(filepath.Join(dir, "logits.pt"))
		require.NoError(t, err)
		x, want := logits.Map()["x"], logits.Map()["y"]
		for _, name := range []string{"scripted", "traced", "frozen"} {
			m, err := jit.Load(filepath.Join(dir, name+".pt"))
			require.NoError(t, err)
			torch.InferenceMode(func() {
				for range 3 {
					torchtest.AllClose(t, want, m.Forward(x), torchtest.RTol(1e-4), torchtest.ATol(1e-4))
				}
			})
			if name == "scripted" {
				assert.Len(t, m.Parameters(), 62)
				assert.Len(t, nn.Modules(m), 68)
				fast := m.Freeze().OptimizeForInference()
				torch.InferenceMode(func() {
					torchtest.AllClose(t, want, fast.Forward(x), torchtest.RTol(1e-4), torchtest.ATol(1e-4))
				})
				require.NoError(t, fast.Close())
			}
			require.NoError(t, m.Close())
		}
	})
}

// LoadFrom returns the error of its reader, and Load returns an error for an unavailable
// device.
func TestReaderErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	_, err := jit.LoadFrom(failing{}, 1000)
	var e *torch.FileError
	require.ErrorAs(t, err, &e)
	assert.True(t, errors.Is(err, fs.ErrInvalid), err)
	_, err = jit.LoadFrom(bytes.NewReader([]byte("PK\x03\x04")), -5)
	require.ErrorIs(t, err, torch.ErrTruncated)
	_, err = jit.Load(goldenPath("values"), jit.MapLocation(torch.DeviceOf(1<<8|100)))
	require.ErrorIs(t, err, torch.ErrDevice)
}

type failing struct{}

// ReadAt implements io.ReaderAt.
func (failing) ReadAt([]byte, int64) (int, error) { return 0, fs.ErrInvalid }
