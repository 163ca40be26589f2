package export_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torchtest"
)

// Programs from Python go back to Python as they are, with the tensors that Go has trained.
func TestSaveAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	paths, err := filepath.Glob("testdata/*.pt2")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	args := []string{dir}
	for _, path := range paths {
		m, err := export.Load(path)
		require.NoError(t, err)
		torch.NoGrad(func() {
			for _, p := range m.NamedParameters() {
				p.Tensor.Add_(p.Tensor)
			}
		})
		require.NoError(t, m.Save(filepath.Join(dir, filepath.Base(path))))
		require.NoError(t, m.Close())
		full, err := filepath.Abs(path)
		require.NoError(t, err)
		args = append(args, full)
	}
	const script = `
import os, sys, torch
loaded = 0
for path in sys.argv[2:]:
    try:
        a = torch.export.load(path)
    except AttributeError:  # its example inputs are of a class that is not defined here
        continue
    loaded += 1
    b = torch.export.load(os.path.join(sys.argv[1], os.path.basename(path)))
    assert str(a.graph) == str(b.graph), path
    assert a.state_dict.keys() == b.state_dict.keys(), path
    for k, v in a.state_dict.items():
        want = 2 * v if isinstance(v, torch.nn.Parameter) else v
        assert torch.equal(b.state_dict[k], want) and b.state_dict[k].requires_grad == v.requires_grad, (path, k)
    for k, v in a.constants.items():
        assert torch.equal(b.constants[k], v), (path, k)
    if a.example_inputs:
        assert str(a.example_inputs) == str(b.example_inputs), path
assert loaded > len(sys.argv) - 6, loaded
`
	pythontest.Script(t, pythontest.Interpreter(t, "torch"), "", script, args...)
}

func TestSaveRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, err := export.Load("testdata/mlp.pt2")
	require.NoError(t, err)
	m.Double()
	path := filepath.Join(t.TempDir(), "m.pt2")
	err = m.Save(path)
	var fe *torch.FileError
	require.ErrorAs(t, err, &fe)
	require.ErrorIs(t, err, torch.ErrUnsupported)
	assert.ErrorContains(t, err, "fc1.weight")
	assert.NoFileExists(t, path)
	require.ErrorIs(t, m.SaveTo(nil), torch.ErrNil)
	m.Float()
	require.Error(t, m.Save(filepath.Join(path, "none", "m.pt2")))
	require.NoError(t, m.Close())
	require.ErrorIs(t, torch.Try(func() { _ = m.Save(path) }), torch.ErrClosed)
}
