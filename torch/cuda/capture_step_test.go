package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// torch.Capture with inputs on a device records the step as a CUDA graph. Calls copy new
// inputs to the graph and replay it.
func TestCaptureOnCUDA(t *testing.T) {
	dev := needCUDA(t)
	before := memory.Allocated(dev)
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{1000}, dev)
		runs := 0
		g := torch.Capture(func() []*torch.Tensor {
			runs++
			y := torch.Empty(torch.Shape{1000}, dev)
			return []*torch.Tensor{y.Copy_(x)}
		}, torch.Inputs{x}, torch.NumWarmupIters(2))
		assert.Equal(t, 3, runs)
		for _, v := range []float64{3, 8} {
			torch.Scope(func() {
				g.Feed(torch.Full(torch.Shape{1000}, v))
				got := g.Replay()
				cuda.Synchronize()
				assert.EqualValues(t, v, got[0].CPU().Float32s()[999])
				assert.Same(t, got[0], g.Results()[0])
			})
		}
		assert.Zero(t, g.Stats())
		require.NoError(t, g.Close())
		require.NoError(t, g.Close())
		require.ErrorIs(t, torch.Try(func() { g.Replay() }), torch.ErrClosed)

		// A failed recording leaks nothing.
		err := torch.Try(func() {
			torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.CPU()} }, torch.Inputs{x},
				torch.NumWarmupIters(0))
		})
		require.ErrorIs(t, err, torch.ErrRuntime)
		require.ErrorIs(t, torch.Try(func() {
			torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{nil} }, torch.Inputs{x})
		}), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() {
			torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.AddScalar(1)} }, torch.Inputs{x},
				torch.AuditEvery(1))
		}), torch.ErrValue, "graphs on CUDA are not audited")
		assert.False(t, cuda.IsCurrentStreamCapturing())
	})
	assert.Equal(t, before, memory.Allocated(dev))
}
