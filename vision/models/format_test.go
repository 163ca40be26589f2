package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/internal/modeltest"
	"github.com/gotorch/gotorch/vision/models"
)

// In the channels-last format, a float64 model returns the same results and gradients as
// in the default format, up to rounding.
func TestChannelsLast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, name := range []string{
		"resnet18", "mobilenet_v3_small", "efficientnet_b0", "convnext_tiny", "densenet121",
		"squeezenet1_1",
	} {
		torch.ManualSeed(0)
		const size = 64
		m, err := models.GetModel(name, models.NumClasses(10))
		require.NoError(t, err)
		m.Eval()
		tolerance := torchtest.Rounding(modeltest.Roundings(m, size), torch.Float32)
		torch.Scope(func() {
			x := modeltest.Images(size).Float()
			run := func(x *torch.Tensor) (y, grad *torch.Tensor) {
				m.ZeroGrad()
				y = m.Forward(x)
				F.CrossEntropy(y, torch.FromSlice([]int64{1, 3}, 2)).Backward()
				return y.Detach(), m.Parameters()[0].Grad().Clone()
			}
			y, grad := run(x)
			m.To(torch.ChannelsLast)
			last := x.To(torch.ChannelsLast)
			require.True(t, last.IsContiguous(torch.ChannelsLast), name)
			yLast, gradLast := run(last)
			torchtest.AllClose(t, y, yLast, tolerance)
			torchtest.AllClose(t, grad.Contiguous(), gradLast.Contiguous(), tolerance)
			m.To(torch.Float64)
			yDouble, _ := run(last.Double())
			torchtest.AllClose(t, y, yDouble, tolerance, torchtest.CheckDType(false))
		})
		assert.NoError(t, m.Close())
	}
}
