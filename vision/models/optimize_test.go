package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models"
)

// Optimized graphs of models compute what the models do, within rounding.
func TestOptimize(t *testing.T) {
	for name, make := range map[string]func() nn.Layer{
		"ResNet18":         func() nn.Layer { return models.NewResNet18() },
		"MobileNetV3Large": func() nn.Layer { return models.NewMobileNetV3Large() },
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				torch.ManualSeed(1)
				m := make()
				m.Eval()
				torch.NoGrad(func() {
					x := torch.Randn(torch.Shape{1, 3, 224, 224})
					g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{m.Forward(x)} }, torch.Inputs{x},
						torch.Optimize(true))
					defer g.Close()
					r := g.Report()
					require.Empty(t, r.Reason)
					assert.LessOrEqual(t, r.MaxDifference, 1e-4*r.MaxResult)
					t.Log(r)
				})
			})
		})
	}
}
