package imageops_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torchtest"
)

type function = func(x *torch.Tensor) *torch.Tensor

// stacked stacks the results in list, and frees them.
func stacked(list []*torch.Tensor) *torch.Tensor {
	out := torch.Stack(list)
	for _, t := range list {
		_ = t.Close()
	}
	return out
}

// each returns the first numbers of list, one for each channel of x.
func each(x *torch.Tensor, list ...float64) []float64 { return list[:x.Size(-3)] }

// shifts returns the displacement that the tests pass to Elastic for the image x.
func shifts(x *torch.Tensor) *torch.Tensor {
	h, w := x.Size(-2), x.Size(-1)
	return torch.Tidy(func() *torch.Tensor { return torch.Linspace(-0.3, 0.4, h*w*2).View(1, h, w, 2) })
}

var (
	start = [][]int64{{0, 0}, {5, 0}, {5, 5}, {0, 5}}
	end   = [][]int64{{1, 0}, {4, 1}, {5, 5}, {0, 4}}
)

// functions returns the functions that testdata/make_functional.py runs, by name.
func functions() map[string]function {
	type T = *torch.Tensor
	return map[string]function{
		"Resize/5":       func(x T) T { return imageops.Resize(x, 5) },
		"Resize/13":      func(x T) T { return imageops.Resize(x, []int{13}) },
		"Resize/4x5":     func(x T) T { return imageops.Resize(x, []int64{4, 5}) },
		"Resize/bicubic": func(x T) T { return imageops.Resize(x, torch.Shape{4, 5}, imageops.InterpolationBicubic) },
		"Resize/bicubic/rough": func(x T) T {
			return imageops.Resize(x, []int{12, 5}, imageops.InterpolationBicubic, imageops.Antialias(false))
		},
		"Resize/rough":   func(x T) T { return imageops.Resize(x, []int{4, 5}, imageops.Antialias(false)) },
		"Resize/nearest": func(x T) T { return imageops.Resize(x, []int{4, 5}, imageops.InterpolationNearest) },
		"Resize/exact": func(x T) T {
			return imageops.Resize(x, []int{4, 11}, imageops.InterpolationNearestExact)
		},
		"Resize/max":        func(x T) T { return imageops.Resize(x, int64(5), imageops.MaxSize(6)) },
		"Resize/none":       func(x T) T { return imageops.Resize(x, nil, imageops.MaxSize(5)) },
		"Crop":              func(x T) T { return imageops.Crop(x, 1, 2, 4, 3) },
		"Crop/outside":      func(x T) T { return imageops.Crop(x, -2, 3, 5, 12) },
		"CenterCrop":        func(x T) T { return imageops.CenterCrop(x, []int{3, 4}) },
		"CenterCrop/wider":  func(x T) T { return imageops.CenterCrop(x, []int{4, 15}) },
		"CenterCrop/larger": func(x T) T { return imageops.CenterCrop(x, []int{14, 15}) },
		"ResizedCrop":       func(x T) T { return imageops.ResizedCrop(x, 1, 1, 4, 5, []int{7, 3}) },
		"FiveCrop":          func(x T) T { return stacked(imageops.FiveCrop(x, []int{4, 3})) },
		"TenCrop":           func(x T) T { return stacked(imageops.TenCrop(x, []int{4, 3})) },
		"TenCrop/vertical": func(x T) T {
			return stacked(imageops.TenCrop(x, []int{4, 3}, imageops.VerticalFlip(true)))
		},
		"HFlip":    imageops.HFlip,
		"VFlip":    imageops.VFlip,
		"Pad/2":    func(x T) T { return imageops.Pad(x, 2) },
		"Pad/fill": func(x T) T { return imageops.Pad(x, []int{1, 2}, imageops.Fill(3.7)) },
		"Pad/fills": func(x T) T {
			return imageops.Pad(x, []int{1, 2, 0, 3}, imageops.Fills(each(x, 1.9, 2.9, 3.9)))
		},
		"Pad/negative": func(x T) T { return imageops.Pad(x, []int{1, -2, -1, 3}) },
		"Pad/edge":     func(x T) T { return imageops.Pad(x, []int{1, 2, 3, 0}, imageops.PaddingModeEdge) },
		"Pad/reflect": func(x T) T {
			return imageops.Pad(x, []int{1, 2, 3, 0}, imageops.PaddingModeReflect)
		},
		"Pad/symmetric": func(x T) T {
			return imageops.Pad(x, []int{1, 2, 3, -1}, imageops.PaddingModeSymmetric)
		},
		"Rotate/30":          func(x T) T { return imageops.Rotate(x, 30) },
		"Rotate/30/bilinear": func(x T) T { return imageops.Rotate(x, 30, imageops.InterpolationBilinear) },
		"Rotate/fill":        func(x T) T { return imageops.Rotate(x, -73, imageops.Fill(0.5)) },
		"Rotate/fill/bilinear": func(x T) T {
			return imageops.Rotate(x, -73, imageops.InterpolationBilinear, imageops.Fill(0.5))
		},
		"Rotate/fills": func(x T) T { return imageops.Rotate(x, 45, imageops.Fills(each(x, 0.1, 0.2, 0.3))) },
		"Rotate/center": func(x T) T {
			return imageops.Rotate(x, 25, imageops.Center(2, 1.5), imageops.InterpolationBilinear)
		},
		"Rotate/expand": func(x T) T { return imageops.Rotate(x, 33, imageops.Expand(true)) },
		"Rotate/expand/bilinear": func(x T) T {
			return imageops.Rotate(x, 250, imageops.Expand(true), imageops.InterpolationBilinear)
		},
		"Rotate/0":           func(x T) T { return imageops.Rotate(x, 360) },
		"Rotate/90":          func(x T) T { return imageops.Rotate(x, 90, imageops.Expand(true)) },
		"Rotate/90/bilinear": func(x T) T { return imageops.Rotate(x, 90, imageops.InterpolationBilinear) },
		"Rotate/180":         func(x T) T { return imageops.Rotate(x, -180) },
		"Affine":             func(x T) T { return imageops.Affine(x, 20, []float64{1, 2}, 0.9, []float64{5, 3}) },
		"Affine/bilinear": func(x T) T {
			return imageops.Affine(x, -20, []float64{1.5, -2}, 1.3, []float64{5, 0}, imageops.InterpolationBilinear,
				imageops.Fill(0.25))
		},
		"Affine/center": func(x T) T {
			return imageops.Affine(x, 10, []float64{0, 0}, 1, []float64{30}, imageops.Center(0, 0),
				imageops.InterpolationBilinear)
		},
		"Perspective": func(x T) T { return imageops.Perspective(x, start, end) },
		"Perspective/nearest": func(x T) T {
			return imageops.Perspective(x, start, end, imageops.InterpolationNearest, imageops.Fill(0.5))
		},
		"RGBToGrayscale":       func(x T) T { return imageops.RGBToGrayscale(x) },
		"RGBToGrayscale/3":     func(x T) T { return imageops.RGBToGrayscale(x, imageops.NumOutputChannels(3)) },
		"GrayscaleToRGB":       imageops.GrayscaleToRGB,
		"AdjustBrightness":     func(x T) T { return imageops.AdjustBrightness(x, 1.3) },
		"AdjustContrast":       func(x T) T { return imageops.AdjustContrast(x, 0.6) },
		"AdjustContrast/more":  func(x T) T { return imageops.AdjustContrast(x, 1.7) },
		"AdjustSaturation":     func(x T) T { return imageops.AdjustSaturation(x, 1.4) },
		"AdjustHue":            func(x T) T { return imageops.AdjustHue(x, 0.2) },
		"AdjustHue/back":       func(x T) T { return imageops.AdjustHue(x, -0.37) },
		"AdjustGamma":          func(x T) T { return imageops.AdjustGamma(x, 0.7) },
		"AdjustGamma/gain":     func(x T) T { return imageops.AdjustGamma(x, 2.2, imageops.Gain(1.5)) },
		"AdjustSharpness":      func(x T) T { return imageops.AdjustSharpness(x, 0.3) },
		"AdjustSharpness/more": func(x T) T { return imageops.AdjustSharpness(x, 2) },
		"GaussianBlur":         func(x T) T { return imageops.GaussianBlur(x, 3) },
		"GaussianBlur/5x3": func(x T) T {
			return imageops.GaussianBlur(x, []int{5, 3}, imageops.Sigmas{1.5, 0.7})
		},
		"Invert":                   imageops.Invert,
		"Posterize":                func(x T) T { return imageops.Posterize(x, 3) },
		"Solarize":                 func(x T) T { return imageops.Solarize(x, 0.6) },
		"Autocontrast":             imageops.Autocontrast,
		"Equalize":                 imageops.Equalize,
		"ConvertImageDType/floats": func(x T) T { return imageops.ConvertImageDType(x, torch.Float32) },
		"ConvertImageDType/bytes":  func(x T) T { return imageops.ConvertImageDType(x, torch.Uint8) },
		"ConvertImageDType/ints": func(x T) T {
			return torch.Tidy(func() T {
				if x.IsFloatingPoint() {
					x = x.Double()
				}
				return imageops.ConvertImageDType(x, torch.Int32)
			})
		},
		"ToDType": func(x T) T { return imageops.ToDType(x, torch.Float16) },
		"Erase": func(x T) T {
			return torch.Tidy(func() T {
				return imageops.Erase(x, 1, 2, 3, 2, torch.FromSlice([]float32{0.6}, 1, 1, 1))
			})
		},
		"PermuteChannels": func(x T) T {
			if x.Size(-3) == 1 {
				return imageops.PermuteChannels(x, []int64{0})
			}
			return imageops.PermuteChannels(x, []int64{2, 0, 1})
		},
		"Normalize": func(x T) T { return imageops.Normalize(x, each(x, 0.4, 0.5, 0.6), each(x, 0.2, 0.3, 0.4)) },
		"Elastic":   func(x T) T { return torch.Tidy(func() T { return imageops.Elastic(x, shifts(x)) }) },
		"Elastic/fill": func(x T) T {
			return torch.Tidy(func() T {
				return imageops.Elastic(x, shifts(x), imageops.InterpolationNearest, imageops.Fill(1))
			})
		},
	}
}

var kinds = []string{"bytes", "floats", "gray", "graybytes", "shorts"}

// rounded lists the functions that compute integers in floating point and then round or
// truncate them. The expected results were made with AVX512. Without vector instructions,
// the last bit of a floating-point number may differ, and therefore the integer.
var rounded = []string{
	"Resize", "Adjust", "GaussianBlur", "RGBToGrayscale", "Rotate", "Affine", "Perspective",
	"Autocontrast",
}

var vectors = strings.Contains(torch.BuildInfo(), "CPU capability usage: AVX")

func same(t *testing.T, name string, want, got *torch.Tensor) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape(), name)
	require.Equal(t, want.DType(), got.DType(), name)
	if want.IsFloatingPoint() {
		problem := torchtest.Difference(want, got, torchtest.Rounding(24, torch.Float32, want.DType()))
		assert.Empty(t, problem, name)
		return
	}
	allowed := 0.0
	for _, f := range rounded {
		if strings.HasPrefix(name, f) && !vectors {
			allowed = 1
		}
	}
	assert.LessOrEqual(t, got.Double().Sub(want.Double()).Abs().Max().Item(), allowed, name)
}

// Every function returns the same results as torchvision and leaves its argument unchanged.
// It leaves no tensors behind except its result.
func TestGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/functional.json")
	compared := 0
	for name, f := range functions() {
		for _, kind := range kinds {
			full := name + "/" + kind
			if !g.Has(full) {
				continue
			}
			torch.Scope(func() {
				image := g.Tensor("image/" + kind)
				before := torch.NumLiveTensors()
				got := f(image)
				require.Equal(t, before+1, torch.NumLiveTensors(), "%s leaves temporaries", full)
				require.NotSame(t, image, got, full)
				same(t, full, g.Tensor(full), got)
				require.NoError(t, got.Close())
				require.True(t, image.Equal(g.Tensor("image/"+kind)), "%s changed its argument", full)
			})
			compared++
		}
	}
	assert.Greater(t, compared, 300)
}

// An image in a batch is transformed like a single image.
func TestBatches(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/functional.json")
	for name, f := range functions() {
		torch.Scope(func() {
			image := g.Tensor("image/floats")
			one := f(image.Select(0, 1))
			five := f(image.Unsqueeze(0).Expand(2, -1, -1, -1, -1))
			if five.Dim() != 5 { // the result of FiveCrop and TenCrop has one more dimension
				five = five.Select(0, 3)
				one = one.Select(0, 3)
			}
			same(t, name, one, five.Select(0, 1).Select(0, 1))
		})
	}
}

// A rotated image has the same size as in torchvision, despite rounding errors.
func TestExpanded(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/functional.json")
	var list [][]int64
	g.Decode("expanded", &list)
	for _, c := range list {
		torch.Scope(func() {
			out := imageops.Rotate(torch.Zeros(torch.Shape{1, c[0], c[1]}), float64(c[2]), imageops.Expand(true))
			assert.Equal(t, torch.Shape{1, c[3], c[4]}, out.Shape(), "%v", c)
		})
	}
	var k []float64
	g.Decode("coefficients", &k)
	for i, v := range imageops.PerspectiveCoefficients(start, end) {
		assert.InDelta(t, k[i], v, 8*0x1p-23*math.Max(1, math.Abs(k[i])), "coefficient %d", i)
	}
}

// Only PaddingModeConstant uses the fill value. The other modes ignore it, as in
// torchvision.
func TestFillOfOtherModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Arange(12).Reshape(1, 3, 4)
		for _, mode := range []imageops.PaddingMode{
			imageops.PaddingModeReflect, imageops.PaddingModeEdge,
			imageops.PaddingModeSymmetric,
		} {
			want := imageops.Pad(x, 1, mode).Float64s()
			assert.Equal(t, want, imageops.Pad(x, 1, mode, imageops.Fill(7)).Float64s(), mode)
			assert.Equal(t, want, imageops.Pad(x, 1, mode, imageops.Fills{7}).Float64s(), mode)
		}
	})
}
