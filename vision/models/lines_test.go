package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

// Tensors of a model are attributed to the program's line that calls the model, at any
// depth of layers.
func TestLinesOfModels(t *testing.T) {
	names := []string{
		"squeezenet1_1", "mobilenet_v2", "mobilenet_v3_small", "resnet18", "densenet121",
		"efficientnet_b0", "convnext_tiny", "vit_b_16",
	}
	if thorough.Asked() {
		names = models.ListModels()
	}
	for _, name := range names {
		torch.Scope(func() {
			model, err := models.GetModel(name)
			require.NoError(t, err)
			calls := 0
			hook := nn.RegisterModuleForwardHook(func(_ nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
				for _, x := range memory.LiveTensors() {
					assert.Contains(t, x.Line(), "lines_test.go:", name)
				}
				calls++
				return nil
			})
			defer hook.Remove()
			images := torch.Rand(torch.Shape{1, 3, 224, 224})
			defer memory.TrackTensors(memory.TrackTensors(1))
			model.ModuleBase().Eval()
			torch.NoGrad(func() { model.Forward(images) })
			assert.NotZero(t, calls, name)
		})
	}
}
