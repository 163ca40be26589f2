package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// In-place activations give the same results and gradients, and use less memory.
func TestInplaceInSequential(t *testing.T) {
	scoped(t, func() {
		run := func(inplace bool) (out, grads [][]float64) {
			torch.ManualSeed(3)
			m := nn.NewSequential(nn.NewConv2d(2, 3, 3), nn.NewBatchNorm2d(3), nn.NewReLU(nn.Inplace(inplace)),
				nn.NewFlatten(), nn.NewDropout(0.5), nn.NewLinear(48, 4), nn.NewReLU6(nn.Inplace(inplace)))
			defer m.Close()
			torch.Scope(func() {
				live := torch.NumLiveTensors()
				x := torch.Rand(torch.Shape{2, 2, 6, 6})
				y := m.Forward(x)
				assert.Equal(t, live+2, torch.NumLiveTensors(), "x and y")
				y.Sum().Backward()
				out = append(out, y.Detach().Float64s())
				for _, p := range m.Parameters() {
					grads = append(grads, p.Grad().Float64s())
				}
			})
			return out, grads
		}
		out, grads := run(false)
		inplaceOut, inplaceGrads := run(true)
		assert.Equal(t, out, inplaceOut)
		assert.Equal(t, grads, inplaceGrads)
	})
}

// In evaluation a dropout changes nothing, and an in-place dropout returns its input.
func TestInplaceDropout(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{3, 4})
		m := nn.NewDropout(0.5, nn.Inplace(true))
		assert.Same(t, x, m.Forward(x))
		assert.NotEqual(t, 12.0, x.Sum().Item())
		y := torch.Ones(torch.Shape{3, 4})
		m.Eval()
		assert.Same(t, y, m.Forward(y))
		assert.Equal(t, 12.0, y.Sum().Item())
	})
}

// A leaf cannot be modified. The error names the layer.
func TestInplaceLeaf(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
		err := torch.Try(func() { nn.NewReLU(nn.Inplace(true)).Forward(x) })
		require.ErrorIs(t, err, torch.ErrAutograd)
		assert.ErrorContains(t, err, "in layer ReLU")
	})
}
