package imageops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torchtest"
)

// Every function refuses a tensor that is not an image. The error names the function and the
// argument.
func TestNoImages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Ones(torch.Shape{3, 4, 4})
		_ = closed.Close()
		rgb := torch.Ones(torch.Shape{3, 12, 12})
		for name, f := range everyFunction() {
			assert.NoError(t, torch.Try(func() { f(rgb.Clone()) }), name)
			before := torch.NumLiveTensors()
			for _, c := range []struct {
				image *torch.Tensor
				kind  error
				text  string
			}{
				{nil, torch.ErrNil, "imageops." + name},
				{closed, torch.ErrClosed, "imageops." + name},
				{rgb.Select(0, 0).Select(0, 0), torch.ErrShape, "argument image: expected (..., "},
				{rgb.Bool(), torch.ErrDType, "got bool"},
				{rgb.To(torch.Complex64), torch.ErrDType, "got complex64"},
			} {
				err := torch.Try(func() { f(c.image) })
				assert.ErrorIs(t, err, c.kind, name)
				assert.ErrorContains(t, err, c.text, name)
			}
			assert.Equal(t, before+4, torch.NumLiveTensors(), "%s leaves tensors behind after a panic", name)
		}
	})
}

// everyFunction returns a call of each function in the package that takes an image.
func everyFunction() map[string]func(x *torch.Tensor) {
	type T = *torch.Tensor
	closed := func(f function) func(T) { return func(x T) { _ = f(x).Close() } }
	list := func(f func(T) []T) func(T) {
		return func(x T) {
			for _, t := range f(x) {
				_ = t.Close()
			}
		}
	}
	return map[string]func(x *torch.Tensor){
		"Resize":           closed(func(x T) T { return imageops.Resize(x, 5) }),
		"Crop":             closed(func(x T) T { return imageops.Crop(x, 0, 0, 1, 1) }),
		"CenterCrop":       closed(func(x T) T { return imageops.CenterCrop(x, 1) }),
		"ResizedCrop":      closed(func(x T) T { return imageops.ResizedCrop(x, 0, 0, 1, 1, 2) }),
		"FiveCrop":         list(func(x T) []T { return imageops.FiveCrop(x, 1) }),
		"TenCrop":          list(func(x T) []T { return imageops.TenCrop(x, 1) }),
		"HFlip":            closed(imageops.HFlip),
		"VFlip":            closed(imageops.VFlip),
		"Pad":              closed(func(x T) T { return imageops.Pad(x, 1) }),
		"Rotate":           closed(func(x T) T { return imageops.Rotate(x, 1) }),
		"Affine":           closed(func(x T) T { return imageops.Affine(x, 1, []float64{0, 0}, 1, []float64{0}) }),
		"Perspective":      closed(func(x T) T { return imageops.Perspective(x, start, end) }),
		"PerspectiveWith":  closed(func(x T) T { return imageops.PerspectiveWith(x, make([]float64, 8)) }),
		"RGBToGrayscale":   closed(func(x T) T { return imageops.RGBToGrayscale(x) }),
		"GrayscaleToRGB":   closed(imageops.GrayscaleToRGB),
		"AdjustBrightness": closed(func(x T) T { return imageops.AdjustBrightness(x, 1) }),
		"AdjustContrast":   closed(func(x T) T { return imageops.AdjustContrast(x, 1) }),
		"AdjustSaturation": closed(func(x T) T { return imageops.AdjustSaturation(x, 1) }),
		"AdjustHue":        closed(func(x T) T { return imageops.AdjustHue(x, 0.1) }),
		"AdjustGamma":      closed(func(x T) T { return imageops.AdjustGamma(x, 1) }),
		"AdjustSharpness":  closed(func(x T) T { return imageops.AdjustSharpness(x, 1) }),
		"GaussianBlur":     closed(func(x T) T { return imageops.GaussianBlur(x, 3) }),
		"GaussianNoise":    closed(func(x T) T { return imageops.GaussianNoise(x) }),
		"Invert":           closed(imageops.Invert),
		"Posterize":        closed(func(x T) T { return imageops.Posterize(x, 1) }),
		"Solarize":         closed(func(x T) T { return imageops.Solarize(x, 1) }),
		"Autocontrast":     closed(imageops.Autocontrast),
		"Equalize":         closed(imageops.Equalize),
		"Normalize":        closed(func(x T) T { return imageops.Normalize(x, []float64{1}, []float64{1}) }),
		"PermuteChannels":  closed(func(x T) T { return imageops.PermuteChannels(x, []int64{0, 1, 2}) }),
	}
}

// If an argument is invalid, the error has a kind. Its message says what was expected, and
// what the argument was.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, one := torch.Ones(torch.Shape{3, 4, 5}), torch.Ones(torch.Shape{1})
		two, empty := torch.Ones(torch.Shape{2, 4, 5}), torch.Ones(torch.Shape{3, 0, 5})
		bytes := x.Byte()
		before := torch.NumLiveTensors()
		huge := int64(1) << 62
		for text, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"argument size: expected positive numbers up to": {torch.ErrValue, func() {
				imageops.Resize(x, 0)
			}},
			"size: expected positive numbers up to 1099511627776, got [-3 4]": {torch.ErrValue, func() {
				imageops.Resize(x, []int{-3, 4})
			}},
			"an image of 1048577 x 1048577 pixels is too large": {torch.ErrValue, func() {
				imageops.Resize(x, []int{1<<20 + 1, 1<<20 + 1})
			}},
			"got [4611686018427387904]": {torch.ErrValue, func() {
				imageops.Resize(x, huge)
			}},
			"expected an int or a slice of ints, got string": {torch.ErrType, func() {
				imageops.Resize(x, "5")
			}},
			"expected a list of length 1 or 2, got length 3": {torch.ErrValue, func() {
				imageops.Resize(x, []int{1, 2, 3})
			}},
			"argument size: must not be nil without a MaxSize": {torch.ErrValue, func() {
				imageops.Resize(x, nil)
			}},
			"MaxSize: can only be combined with a size of one number": {torch.ErrValue, func() {
				imageops.Resize(x, []int{1, 2}, imageops.MaxSize(3))
			}},
			"MaxSize: expected more than the size 4, got 4": {torch.ErrValue, func() {
				imageops.Resize(x, 4, imageops.MaxSize(4))
			}},
			"expected pixels, got an image of 0 x 5": {torch.ErrShape, func() {
				imageops.Resize(empty, 4)
			}},
			"shorter side of an image of 4 x 5 would have no pixels": {torch.ErrValue, func() {
				imageops.Resize(x, nil, imageops.MaxSize(1))
			}},
			"expected one of nearest, nearest-exact, bilinear, bicubic, got \"box\"": {torch.ErrValue, func() {
				imageops.Resize(x, 3, imageops.Interpolation("box"))
			}},
			"expected one of nearest, bilinear, got \"bicubic\"": {torch.ErrValue, func() {
				imageops.Rotate(x, 3, imageops.InterpolationBicubic)
			}},
			"height: expected a height and width of 0 or more, got -1 and 2": {torch.ErrValue, func() {
				imageops.Crop(x, 0, 0, -1, 2)
			}},
			"top: expected top and left from -": {torch.ErrValue, func() {
				imageops.Crop(x, huge, 0, 1, 2)
			}},
			"imageops.Crop: argument height: an image of": {torch.ErrValue, func() {
				imageops.Crop(x, 0, 0, huge, 2)
			}},
			"expected a crop with pixels, got 0 x 2": {torch.ErrValue, func() {
				imageops.ResizedCrop(x, 0, 0, 0, 2, 4)
			}},
			"imageops.CenterCrop: argument outputSize: expected positive": {torch.ErrValue, func() {
				imageops.CenterCrop(x, 0)
			}},
			"FiveCrop: argument size: a crop of 5 x 5 is larger than the image of 4 x 5": {torch.ErrValue, func() {
				imageops.FiveCrop(x, 5)
			}},
			"TenCrop: argument size: a crop of 2 x 6": {torch.ErrValue, func() {
				imageops.TenCrop(x, []int{2, 6})
			}},
			"expected a list of length 1, 2 or 4, got length 3": {torch.ErrValue, func() {
				imageops.Pad(x, []int{1, 2, 3})
			}},
			"padding: removes more pixels than the image has: -2 x -1 would be left": {torch.ErrValue, func() {
				imageops.Pad(x, -3)
			}},
			"padding: expected numbers from -": {torch.ErrValue, func() {
				imageops.Pad(x, huge)
			}},
			"several numbers need PaddingModeConstant, got mode edge": {torch.ErrValue, func() {
				imageops.Pad(x, 1, imageops.PaddingModeEdge, imageops.Fills{1, 2, 3})
			}},
			"Fills: expected one number or 3, got 2": {torch.ErrValue, func() {
				imageops.Pad(x, 1, imageops.Fills{1, 2})
			}},
			"symmetric padding mirrors at most the 4 x 5 pixels of the image": {torch.ErrValue, func() {
				imageops.Pad(x, 6, imageops.PaddingModeSymmetric)
			}},
			"Padding size should be less than": {torch.ErrShape, func() {
				imageops.Pad(x, 5, imageops.PaddingModeReflect)
			}},
			"angle: expected finite numbers, got NaN": {torch.ErrValue, func() {
				imageops.Rotate(x, nan)
			}},
			"scale: expected a positive number, got 0": {torch.ErrValue, func() {
				imageops.Affine(x, 1, []float64{0, 0}, 0, []float64{0})
			}},
			"translate: expected a list of length 2, got length 1": {torch.ErrValue, func() {
				imageops.Affine(x, 1, []float64{0}, 1, []float64{0})
			}},
			"shear: expected a list of length 1 or 2, got length 0": {torch.ErrValue, func() {
				imageops.Affine(x, 1, []float64{0, 0}, 1, nil)
			}},
			"startpoints: expected four points, got 3": {torch.ErrValue, func() {
				imageops.Perspective(x, start[:3], end)
			}},
			"endpoints: expected points {x, y}, got [1]": {torch.ErrValue, func() {
				imageops.Perspective(x, start, [][]int64{{1}, {1, 2}, {1, 2}, {1, 2}})
			}},
			"coefficients: expected a list of length 8, got length 2": {torch.ErrValue, func() {
				imageops.PerspectiveWith(x, []float64{1, 2})
			}},
			"displacement: expected (1, 4, 5, 2), got (1,)": {torch.ErrShape, func() {
				imageops.Elastic(x, one)
			}},
			"argument displacement": {torch.ErrNil, func() { imageops.Elastic(x, nil) }},
			"RGBToGrayscale: argument image: expected 1 or 3 channels, got 2": {torch.ErrShape, func() {
				imageops.RGBToGrayscale(two)
			}},
			"GrayscaleToRGB: argument image: expected 1 or at least 3": {torch.ErrShape, func() {
				imageops.GrayscaleToRGB(two)
			}},
			"brightnessFactor: expected 0 or more, got -1": {torch.ErrValue, func() {
				imageops.AdjustBrightness(x, -1)
			}},
			"contrastFactor: expected 0 or more, got NaN": {torch.ErrValue, func() {
				imageops.AdjustContrast(x, nan)
			}},
			"saturationFactor: expected": {torch.ErrValue, func() {
				imageops.AdjustSaturation(x, -2)
			}},
			"sharpnessFactor: expected": {torch.ErrValue, func() {
				imageops.AdjustSharpness(x, -2)
			}},
			"hueFactor: expected a number from -0.5 to 0.5, got 0.6": {torch.ErrValue, func() {
				imageops.AdjustHue(x, 0.6)
			}},
			"gamma: expected 0 or more, got -1": {torch.ErrValue, func() {
				imageops.AdjustGamma(x, -1)
			}},
			"kernelSize: expected odd positive numbers, got [4 4]": {torch.ErrValue, func() {
				imageops.GaussianBlur(x, 4)
			}},
			"an image of 4 x 5 is too small for a kernel of 11 x 11": {torch.ErrShape, func() {
				imageops.GaussianBlur(x, 11)
			}},
			"bits: expected a number from 0 to 8, got 9": {torch.ErrValue, func() {
				imageops.Posterize(x, 9)
			}},
			"threshold: expected at most 1, the largest value of float32, got 2": {torch.ErrValue, func() {
				imageops.Solarize(x, 2)
			}},
			"expected floating-point numbers or bytes, got int64": {torch.ErrDType, func() {
				imageops.GaussianNoise(x.To(torch.Int64))
			}},
			"numbers, got uint8; use ToTensor or ToDType first": {torch.ErrDType, func() {
				imageops.Normalize(bytes, []float64{1}, []float64{1})
			}},
			"mean: expected one number or 3, got 2": {torch.ErrValue, func() {
				imageops.Normalize(x, []float64{1, 2}, []float64{1})
			}},
			"std: expected numbers other than 0": {torch.ErrValue, func() {
				imageops.Normalize(x, []float64{1}, []float64{0})
			}},
			"3 x 2 pixels at (2, 0) exceed the image of 4 x 5": {torch.ErrIndex, func() {
				imageops.Erase(x, 2, 0, 3, 2, one)
			}},
			"argument v": {torch.ErrNil, func() { imageops.Erase(x, 0, 0, 1, 1, nil) }},
			"dtype: float32 cannot represent every int64": {torch.ErrDType, func() {
				imageops.ConvertImageDType(x, torch.Int64)
			}},
			"ToDType: argument dtype: expected floating-point numbers or integers, got bool": {torch.ErrDType, func() {
				imageops.ToDType(x, torch.Bool)
			}},
			"permutation: expected a list of length 3, got length 1": {torch.ErrValue, func() {
				imageops.PermuteChannels(x, []int64{1})
			}},
			"permutation: 3 is out of range for 3 channels": {torch.ErrIndex, func() {
				imageops.PermuteChannels(x, []int64{1, 2, 3})
			}},
			"argument pic: a nil image": {torch.ErrNil, func() {
				imageops.ToTensor(nil)
			}},
			"pic: expected 1, 3 or 4 channels (C, H, W), got (2, 4, 5)": {torch.ErrShape, func() {
				imageops.ToPILImage(two)
			}},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, text)
			assert.ErrorContains(t, err, text)
		}
		assert.Equal(t, before+1, torch.NumLiveTensors(), "only the result of x.To is left")
	})
}

// If two arguments are invalid, the error always names the first.
func TestTheFirstMistakeIsNamed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3, 4, 5})
		for range 50 {
			assert.ErrorContains(t, torch.Try(func() {
				imageops.Normalize(x, []float64{1, 2}, []float64{1, 2})
			}), "argument mean: expected")
			assert.ErrorContains(t, torch.Try(func() { imageops.PerspectiveCoefficients(nil, nil) }),
				"argument startpoints: expected")
		}
	})
}
