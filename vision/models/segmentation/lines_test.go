package segmentation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models/segmentation"
)

// Tensors of a model are attributed to the program's line that calls the model, at any depth of
// layers.
func TestLinesOfModels(t *testing.T) {
	for _, name := range []string{"lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large"} {
		torch.Scope(func() {
			model, err := segmentation.GetModel(name)
			assert.NoError(t, err)
			calls := 0
			hook := nn.RegisterModuleForwardHook(func(_ nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
				for _, x := range memory.LiveTensors() {
					assert.Contains(t, x.Line(), "lines_test.go:", name)
				}
				calls++
				return nil
			})
			defer hook.Remove()
			images := torch.Rand(torch.Shape{1, 3, 64, 64})
			defer memory.TrackTensors(memory.TrackTensors(1))
			model.Eval()
			torch.NoGrad(func() { model.Forward(images) })
			assert.Greater(t, calls, 50, name)
		})
	}
}
