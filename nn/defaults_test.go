package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A layer is made under the goroutine's default device and dtype.
func TestLayersFollowTheDefaults(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, layer := range map[string]func() nn.Module{
		"Linear":      func() nn.Module { return nn.NewLinear(2, 3) },
		"Conv2d":      func() nn.Module { return nn.NewConv2d(2, 3, 3) },
		"BatchNorm2d": func() nn.Module { return nn.NewBatchNorm2d(3) },
		"LayerNorm":   func() nn.Module { return nn.NewLayerNorm(3) },
		"Embedding":   func() nn.Module { return nn.NewEmbedding(3, 2) },
	} {
		torch.Scope(func() {
			var m nn.Module
			torch.WithDevice(torch.Meta, func() {
				torch.WithDType(torch.Float64, func() { m = layer() })
			})
			for _, p := range nn.Parameters(m) {
				assert.Equal(t, torch.Meta, p.Device(), name)
				assert.Equal(t, torch.Float64, p.DType(), name)
				_ = p.Close()
			}
			for _, b := range nn.Buffers(m) {
				assert.Equal(t, torch.Meta, b.Device(), name)
				_ = b.Close()
			}
		})
	}
}
