package aperture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/examples/telescope/aperture"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A mask is a disc of frequencies. At every position it lies within the image's
// frequencies.
func TestMask(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	telescope := aperture.New(16, 2, 0)
	defer telescope.Close()
	torch.Scope(func() {
		assert.Equal(t, 13.0, telescope.Mask(0, 0).Sum().Item())
		assert.Equal(t, []float32{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
			telescope.Mask(0, 0).Select(0, 0).Float32s())
		for range 100 {
			y, x := telescope.Place()
			assert.Equal(t, 13.0, telescope.Mask(y, x).Sum().Item(), "at %v, %v", y, x)
		}
	})
}

// Through an aperture that lets all frequencies through, the camera records the image plus
// noise.
func TestMeasure(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, noise := range []float64{0, 0.1} {
		telescope := aperture.New(16, 16, noise)
		torch.Scope(func() {
			image := torch.Rand(torch.Shape{16, 16}).Add_(torch.Ones(torch.Shape{1})).RequiresGrad_()
			seen := telescope.Measure(image, telescope.Mask(0, 0))
			assert.False(t, seen.RequiresGrad())
			off := seen.Sub(image.Detach())
			assert.InDelta(t, noise, off.Std().Item(), 0.3*noise+1e-6)
		})
		telescope.Close()
	}
}

// The gradients of |ifft(fft(image) mask)| agree with finite differences.
func TestGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	telescope := aperture.New(4, 1, 0)
	defer telescope.Close()
	torch.Scope(func() {
		masks := torch.Stack([]*torch.Tensor{telescope.Mask(0, 0), telescope.Mask(1, 0)}).To(torch.Float64)
		image := torch.Rand(torch.Shape{4, 4}, torch.Float64).RequiresGrad_()
		torchtest.GradCheck(t, func(in ...*torch.Tensor) *torch.Tensor {
			return telescope.Amplitudes(in[0], masks)
		}, []*torch.Tensor{image})
	})
}
