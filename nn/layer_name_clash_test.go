package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type twoLayers struct {
	nn.Base
	a, b *nn.Linear
	c    nn.Linear
}

// If As gives two layers the same name, the first gets the name of its field. The error
// for a layer copied by value says that it is a copy.
func TestLayersThatClash(t *testing.T) {
	scoped(t, func() {
		n := new(twoLayers)
		n.Init(n)
		n.a = nn.NewLinear(2, 2, n.As("fc"))
		n.b = nn.NewLinear(2, 2, n.As("fc"))
		assert.Equal(t, []string{"fc.weight", "fc.bias", "a.weight", "a.bias"}, n.StateDict().Names())

		n.c = *n.b //nolint:govet // the mistake
		err := torch.Try(func() { n.Parameters() })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err,
			"argument n.c: is a copy of a Linear and shares its parameters with the original: use a pointer instead")
		require.NoError(t, n.Close())
	})
}
