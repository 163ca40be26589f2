package serialization_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

func malformedPath(name string) string { return filepath.Join("testdata", "malformed", name+".pt") }

func TestInspectListsWhatWouldHaveRun(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	found, err := serialization.Inspect(malformedPath("unsafe_system"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "os.system", found[0].Name)
	assert.False(t, found[0].Allowed)
	assert.Equal(t, []string{"os.system('echo hi')"}, found[0].Calls)
	assert.Equal(t, 1, found[0].Count)
	assert.Positive(t, found[0].Offset)

	found, err = serialization.Inspect(malformedPath("unsafe_getattr"))
	require.NoError(t, err)
	assert.Equal(t, "builtins.getattr(os.path, 'join')", found[0].Calls[0])
	assert.Equal(t, "os.path", found[1].Name)
	assert.Empty(t, found[1].Calls, "it is only named")

	found, err = serialization.Inspect(golden("state.pt"))
	require.NoError(t, err)
	for _, g := range found {
		assert.True(t, g.Allowed, g.Name)
	}
	assert.Equal(t, "collections.OrderedDict", found[0].Name)

	found, err = serialization.Inspect(malformedPath("legacy_unsafe"))
	require.NoError(t, err)
	assert.Equal(t, "os.system('x')", found[0].Calls[0])

	_, err = serialization.Inspect(malformedPath("empty"))
	require.ErrorIs(t, err, torch.ErrTruncated)
	_, err = serialization.Inspect("testdata/none")
	require.ErrorContains(t, err, "no such file")
}

func TestRefusedNamesSayWhatPythonWouldDo(t *testing.T) {
	_, err := serialization.Load(malformedPath("unsafe_system"))
	r := (*serialization.RefusedError)(nil)
	require.ErrorAs(t, err, &r)
	assert.Equal(t, "os.system", r.Global)
	assert.Equal(t, "os.system('echo hi')", r.Call)
	assert.ErrorContains(t, err, "torch.load(weights_only=False) would call os.system('echo hi')")
}

func TestOpaqueKeepsNamesAndArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		v, err := serialization.Load(malformedPath("unsafe_system"), serialization.Opaque(true))
		require.NoError(t, err)
		o, ok := v.(*serialization.Object)
		require.True(t, ok)
		assert.Equal(t, "os.system", o.Global)
		assert.True(t, o.Called)
		assert.Equal(t, serialization.Tuple{"echo hi"}, o.Args)
		assert.Equal(t, "os.system('echo hi')", o.String())
		assert.ErrorContains(t, serialization.Save(v, filepath.Join(t.TempDir(), "x.pt")),
			"which PyTorch's files do not support")
	})
}

// Opaque reads the module of a TorchScript archive as an object, and runs nothing.
func TestOpaqueReadsTorchScript(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const path = "../jit/testdata/goldens/mlp_scripted.pt"
	_, err := serialization.Load(path)
	require.ErrorIs(t, err, torch.ErrUnsupported)
	torch.Scope(func() {
		v, err := serialization.Load(path, serialization.Opaque(true))
		require.NoError(t, err)
		module := v.(*serialization.Object)
		assert.Equal(t, "__torch__.MLP", module.Global)
		layer, ok := module.State.(*serialization.Dict).Get("fc1")
		require.True(t, ok)
		w, ok := layer.(*serialization.Object).State.(*serialization.Dict).Get("weight")
		require.True(t, ok)
		assert.Equal(t, torch.Shape{8, 4}, w.(*torch.Tensor).Shape())
	})
}
