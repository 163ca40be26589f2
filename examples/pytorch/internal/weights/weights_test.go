package weights_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/weights"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torchtest"
)

func TestWeights(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "weights.pt")
	a, b := nn.NewLinear(2, 3), nn.NewLinear(2, 3)
	defer a.Close()
	defer b.Close()
	require.NoError(t, weights.Save(path, a))
	require.NoError(t, weights.Load(path, b))
	assert.Equal(t, a.Weight.Float32s(), b.Weight.Float32s())

	require.NoError(t, weights.Save("", a))
	require.NoError(t, weights.Load("", a))
	assert.ErrorIs(t, weights.Load(path+"x", a), os.ErrNotExist)
	assert.ErrorIs(t, weights.Save(filepath.Join(t.TempDir(), "no", "x"), a), os.ErrNotExist)
}
