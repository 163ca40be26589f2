package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Unregister removes a module from all lists and does not close it. If the module has a
// second name, it remains under the second name.
func TestUnregister(t *testing.T) {
	scoped(t, func() {
		relu, norm := nn.NewReLU(), nn.NewBatchNorm1d(2)
		defer norm.Close()
		s := nn.NewSequential(relu, norm)
		weight, mean := norm.Weight, norm.GetBuffer("running_mean")
		defer weight.Close()
		defer mean.Close()

		s.Unregister("0")
		assert.Equal(t, []nn.NamedModule{{Name: "1", Module: norm}}, s.Children())
		norm.Unregister("weight")
		norm.Unregister("running_mean")
		assert.Equal(t, []string{"1.bias", "1.running_var", "1.num_batches_tracked"}, s.StateDict().Names())
		assert.Nil(t, norm.Weight)
		assert.Equal(t, []float32{1, 1}, weight.Float32s())
		assert.Equal(t, []float32{0, 0}, mean.Float32s())

		for _, name := range []string{"0", "weight", "running_mean", ""} {
			assert.ErrorIs(t, torch.Try(func() { s.Unregister(name) }), torch.ErrIndex, name)
			assert.ErrorIs(t, torch.Try(func() { norm.Unregister(name) }), torch.ErrIndex, name)
		}
	})
}
