package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// An eps of 0 is not the default: even a very small x is scaled to a mean square of 1.
func TestEpsOfZero(t *testing.T) {
	scoped(t, func() {
		x := torch.FromSlice([]float32{1e-4, -1e-4, 3e-4, -3e-4}, 1, 4)
		none := nn.Eps(0.0)
		for name, c := range map[string]struct{ given, not nn.Layer }{
			"LayerNorm": {nn.NewLayerNorm(torch.Shape{4}, none), nn.NewLayerNorm(torch.Shape{4})},
			"RMSNorm":   {nn.NewRMSNorm(torch.Shape{4}, none), nn.NewRMSNorm(torch.Shape{4})},
			"GroupNorm": {nn.NewGroupNorm(1, 4, none), nn.NewGroupNorm(1, 4)},
		} {
			y, z := c.given.Forward(x), c.not.Forward(x)
			assert.InDelta(t, 1, y.Mul(y).Sum().Item()/4, 1e-3, name)
			assert.Less(t, z.Mul(z).Sum().Item()/4, 0.8, name)
			assert.Contains(t, c.given.String(), "eps=0.0", name)
			assert.NoError(t, c.given.Close())
			assert.NoError(t, c.not.Close())
		}
		assert.InDelta(t, -1, F.CosineSimilarity(x.MulScalar(1e-6), x.MulScalar(-1e-6), F.Eps(0)).Item(), 1e-5)
		assert.InDelta(t, 0, F.CosineSimilarity(x.MulScalar(1e-6), x.MulScalar(-1e-6)).Item(), 0.1)
	})
}
