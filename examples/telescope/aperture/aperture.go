// Package aperture simulates a telescope with a small movable aperture. Far from an object,
// its light is the object's Fourier transform. The aperture lets a disc of this transform
// through. A camera behind the aperture records the resulting image, but not the phases of
// the light.
package aperture

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/fft"
)

// Telescope is an aperture and a camera.
type Telescope struct {
	size          int64
	radius, noise float64
	y, x          *torch.Tensor // frequencies of the rows (size, 1) and columns (1, size)
}

// New returns a telescope for images of size x size pixels. The radius of the aperture is
// in units of the step between two frequencies of the Fourier transform, and noise is the
// standard deviation of the camera's noise. The telescope belongs to no scope. Close
// frees it; if you do not call it, the garbage collector does.
func New(size int64, radius, noise float64) *Telescope {
	t := &Telescope{size: size, radius: radius, noise: noise}
	torch.Scope(func() {
		steps := fft.FFTFreq(size, 1/float64(size))
		t.y, t.x = torch.Disown(steps.View(-1, 1)), torch.Disown(steps.View(1, -1))
	})
	return t
}

// Close frees the telescope's tensors.
func (t *Telescope) Close() {
	_ = t.y.Close()
	_ = t.x.Close()
}

// Place draws a random position for the aperture, uniformly among the positions where the
// whole aperture is within the frequencies of the image. The coordinates are whole
// numbers of steps, counted from frequency 0.
func (t *Telescope) Place() (y, x float64) {
	u := torch.Tidy(func() *torch.Tensor { return torch.Rand(torch.Shape{2}) }).Float32s()
	far := (float64(t.size)/2 - 1 - t.radius) * math.Sqrt(float64(u[0]))
	sin, cos := math.Sincos(2 * math.Pi * float64(u[1]))
	return math.RoundToEven(far * cos), math.RoundToEven(far * sin)
}

// Mask returns the aperture at a position as a new tensor (size, size): 1 where the
// aperture lets light through, otherwise 0.
func (t *Telescope) Mask(y, x float64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		distance := t.y.SubScalar(y).Square().Add(t.x.SubScalar(x).Square())
		return distance.LeScalar(t.radius * t.radius).To(torch.Float32)
	})
}

// Amplitudes returns the camera's recordings, without noise, of image (size, size)
// through each of the masks (N, size, size). The result is a new tensor with the shape of
// masks. Gradients flow to image.
func (t *Telescope) Amplitudes(image, masks *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		light := fft.FFT2(image, fft.NormOrtho).Mul(masks)
		return fft.IFFT2(light, fft.NormOrtho).Abs()
	})
}

// Measure returns the camera's recording, with noise, of image through mask. The result
// is a new tensor (size, size) without gradients.
func (t *Telescope) Measure(image, mask *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		noise := torch.Randn(torch.Shape{t.size, t.size}).MulScalar(t.noise)
		return t.Amplitudes(image.Detach(), mask).Add(noise).ClampMin(0)
	})
}
