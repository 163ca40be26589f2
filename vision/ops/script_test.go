package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

// Scripts and exported programs find the operators.
func TestScripts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	script, err := jit.Load("testdata/script.pt")
	require.NoError(t, err)
	defer script.Close()
	program, err := export.Load("testdata/program.pt2")
	require.NoError(t, err)
	defer program.Close()
	torch.Scope(func() {
		boxes := torch.FromSlice([]float32{0, 0, 2, 2, 0, 0, 2, 3, 5, 5, 6, 6}, 3, 4)
		scores := torch.FromSlice([]float32{1, 2, 3})
		best := script.Run(boxes, scores)
		assert.Equal(t, []float32{5, 5, 6, 6, 0, 0, 2, 3}, best.(*torch.Tensor).Float32s())
		x := torch.Arange(16.0).Reshape(1, 1, 4, 4)
		rois := torch.FromSlice([]float32{0, 0, 0, 4, 4, 0, 2, 1, 6, 8}, 2, 5)
		want := ops.ApplyRoIAlign(x, rois, 2, ops.SpatialScale(0.5), ops.SamplingRatio(1))
		assert.True(t, want.Equal(program.Run(x, rois).(*torch.Tensor)))
	})
}
