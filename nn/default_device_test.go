package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// The parameters of a new layer have the goroutine's default device and dtype.
func TestLayersFollowTheDefaults(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, layer := range map[string]func() nn.Module{
		"Linear":      func() nn.Module { return nn.NewLinear(2, 3) },
		"Conv2d":      func() nn.Module { return nn.NewConv2d(2, 3, 3) },
		"BatchNorm2d": func() nn.Module { return nn.NewBatchNorm2d(3) },
		"LayerNorm":   func() nn.Module { return nn.NewLayerNorm(torch.Shape{3}) },
		"Embedding":   func() nn.Module { return nn.NewEmbedding(3, 2) },
	} {
		torch.Scope(func() {
			var m nn.Module
			torch.WithDevice(torch.Meta, func() {
				torch.WithDType(torch.Float64, func() { m = layer() })
			})
			for _, p := range m.Parameters() {
				assert.Equal(t, torch.Meta, p.Device(), name)
				assert.Equal(t, torch.Float64, p.DType(), name)
			}
			if b, ok := m.(*nn.BatchNorm2d); ok {
				assert.Equal(t, torch.Meta, b.RunningMean.Device())
				assert.Equal(t, torch.Float64, b.RunningVar.DType())
				assert.Equal(t, torch.Int64, b.NumBatchesTracked.DType())
			}
			assert.NoError(t, m.Close())
		})
	}
}
