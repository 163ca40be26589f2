package transforms_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torchtest"
)

// list returns the transforms that testdata/make_transforms.py runs, by name.
func list() map[string]transforms.Transform {
	flip, turn := transforms.NewRandomHorizontalFlip(), transforms.NewRandomRotation(30)
	both := []transforms.Transform{flip, turn}
	return map[string]transforms.Transform{
		"Resize": transforms.NewResize(6),
		"Resize/pair": transforms.NewResize([]int{6, 7}, transforms.InterpolationNearest,
			transforms.Antialias(false)),
		"Resize/max":         transforms.NewResize(6, transforms.MaxSize(7)),
		"Resize/none":        transforms.NewResize(nil, transforms.MaxSize(7)),
		"CenterCrop":         transforms.NewCenterCrop(5),
		"RandomCrop":         transforms.NewRandomCrop(6),
		"RandomCrop/padding": transforms.NewRandomCrop([]int{7, 9}, transforms.Padding(2), transforms.Fill(0.5)),
		"RandomCrop/needed": transforms.NewRandomCrop(14, transforms.PadIfNeeded(true),
			transforms.PaddingModeReflect),
		"RandomCrop/paddings": transforms.NewRandomCrop([]int{9, 10}, transforms.Paddings{1, 2},
			transforms.PaddingModeEdge),
		"RandomResizedCrop": transforms.NewRandomResizedCrop(6),
		"RandomResizedCrop/options": transforms.NewRandomResizedCrop([]int{4, 7}, transforms.Scale(0.3, 0.9),
			transforms.Ratio(0.5, 2),
			transforms.InterpolationBicubic, transforms.Antialias(false)),
		"RandomResizedCrop/wide": transforms.NewRandomResizedCrop(5, transforms.Scale(0.9, 1),
			transforms.Ratio(3, 4)),
		"RandomResizedCrop/high": transforms.NewRandomResizedCrop(5, transforms.Scale(0.9, 1),
			transforms.Ratio(0.2, 0.3)),
		"FiveCrop":              transforms.NewFiveCrop(4),
		"TenCrop":               transforms.NewTenCrop([]int{4, 3}, transforms.VerticalFlip(true)),
		"Pad":                   transforms.NewPad(1),
		"Pad/options":           transforms.NewPad([]int{1, 2, 3, 4}, transforms.Fills{1, 0.5, 2}),
		"Pad/symmetric":         transforms.NewPad([]int{1, 2}, transforms.PaddingModeSymmetric),
		"RandomHorizontalFlip":  transforms.NewRandomHorizontalFlip(),
		"RandomVerticalFlip":    transforms.NewRandomVerticalFlip(transforms.P(0.3)),
		"RandomGrayscale":       transforms.NewRandomGrayscale(transforms.P(0.6)),
		"RandomInvert":          transforms.NewRandomInvert(),
		"RandomPosterize":       transforms.NewRandomPosterize(3, transforms.P(0.7)),
		"RandomSolarize":        transforms.NewRandomSolarize(0.4),
		"RandomAdjustSharpness": transforms.NewRandomAdjustSharpness(2),
		"RandomAutocontrast":    transforms.NewRandomAutocontrast(transforms.P(1)),
		"RandomEqualize":        transforms.NewRandomEqualize(),
		"RandomRotation":        transforms.NewRandomRotation(40),
		"RandomRotation/options": transforms.NewRandomRotation([]float64{-90, 10}, transforms.InterpolationBilinear,
			transforms.Expand(true), transforms.Fills{0.1, 0.2, 0.3}),
		"RandomRotation/center": transforms.NewRandomRotation(10, transforms.Center(2, 3.5)),
		"RandomAffine":          transforms.NewRandomAffine(20),
		"RandomAffine/options": transforms.NewRandomAffine([]float64{0, 30}, transforms.Translate(0.2, 0.3),
			transforms.Scale(0.8, 1.2), transforms.Shear(10), transforms.InterpolationBilinear, transforms.Fill(1)),
		"RandomAffine/shears": transforms.NewRandomAffine(0, transforms.Shears{-5, 5, 3, 4},
			transforms.Center(0, 1)),
		"RandomPerspective": transforms.NewRandomPerspective(),
		"RandomPerspective/options": transforms.NewRandomPerspective(transforms.DistortionScale(0.3), transforms.P(0.8),
			transforms.InterpolationNearest, transforms.Fill(0.25)),
		"ElasticTransform": transforms.NewElasticTransform(transforms.Alpha(20), transforms.Sigma(1)),
		"ElasticTransform/options": transforms.NewElasticTransform(transforms.Alphas{10, 30},
			transforms.Sigmas{0.5, 1.5}, transforms.InterpolationNearest, transforms.Fill(1)),
		"ColorJitter": transforms.NewColorJitter(transforms.Brightness(0.4), transforms.Contrast(0.3),
			transforms.Saturation(0.2), transforms.Hue(0.1)),
		"ColorJitter/ranges": transforms.NewColorJitter(transforms.BrightnessRange{0.5, 1},
			transforms.SaturationRange{1, 3}, transforms.HueRange{-0.3, 0.5}),
		"ColorJitter/none":         transforms.NewColorJitter(transforms.Contrast(0)),
		"Grayscale":                transforms.NewGrayscale(),
		"Grayscale/3":              transforms.NewGrayscale(transforms.NumOutputChannels(3)),
		"RGB":                      transforms.NewRGB(),
		"RandomChannelPermutation": transforms.NewRandomChannelPermutation(),
		"ToDType":                  transforms.NewToDType(torch.Float32, transforms.WithScale(true)),
		"ConvertImageDType":        transforms.NewConvertImageDType(torch.Uint8),
		"RandomErasing":            transforms.NewRandomErasing(),
		"RandomErasing/options": transforms.NewRandomErasing(transforms.P(1), transforms.Scale(0.1, 0.2),
			transforms.Ratio(0.5, 1.5), transforms.Values{1, 2, 3}),
		"RandomErasing/none": transforms.NewRandomErasing(transforms.P(1), transforms.Scale(1, 1)),
		"RandomErasing/random": transforms.NewRandomErasing(transforms.P(1), transforms.ValueRandom,
			transforms.Inplace(true)),
		"GaussianBlur":         transforms.NewGaussianBlur(3),
		"GaussianBlur/options": transforms.NewGaussianBlur([]int{5, 3}, transforms.Sigma(1.5)),
		"GaussianNoise":        transforms.NewGaussianNoise(transforms.Mean(0.1), transforms.Sigma(0.2)),
		"Normalize":            transforms.NewNormalize([]float64{0.4, 0.5, 0.6}, []float64{0.2, 0.3, 0.25}),
		"Identity":             transforms.NewIdentity(),
		"Compose": transforms.NewCompose(transforms.NewRandomResizedCrop(6), transforms.NewRandomHorizontalFlip(),
			transforms.NewColorJitter(transforms.Brightness(0.2), transforms.Hue(0.1)), transforms.NewRandomErasing()),
		"RandomApply": transforms.NewRandomApply(both, transforms.P(0.7)),
		"RandomChoice": transforms.NewRandomChoice([]transforms.Transform{
			flip, turn,
			transforms.NewCenterCrop(5),
		}),
		"RandomChoice/p": transforms.NewRandomChoice(both, transforms.Ps{1, 3}),
		"RandomOrder": transforms.NewRandomOrder(turn, transforms.NewRandomCrop(8),
			transforms.NewRandomInvert()),
		"AutoAugment": transforms.NewAutoAugment(),
		"AutoAugment/cifar10": transforms.NewAutoAugment(transforms.PolicyCIFAR10, transforms.InterpolationBilinear,
			transforms.Fill(0.5)),
		"AutoAugment/svhn": transforms.NewAutoAugment(transforms.PolicySVHN),
		"RandAugment":      transforms.NewRandAugment(),
		"RandAugment/options": transforms.NewRandAugment(transforms.NumOps(3), transforms.Magnitude(4),
			transforms.NumMagnitudeBins(7), transforms.Fills{0.1, 0.2, 0.3}),
		"TrivialAugmentWide": transforms.NewTrivialAugmentWide(),
		"AugMix":             transforms.NewAugMix(),
		"AugMix/options": transforms.NewAugMix(transforms.Severity(5), transforms.MixtureWidth(2),
			transforms.ChainDepth(2), transforms.Alpha(0.5),
			transforms.AllOps(false)),
		"v1/RandomCrop":           transforms.NewRandomCrop(6),
		"v1/RandomResizedCrop":    transforms.NewRandomResizedCrop(6),
		"v1/RandomHorizontalFlip": transforms.NewRandomHorizontalFlip(),
		"v1/RandomAffine":         transforms.NewRandomAffine(20, transforms.Translate(0.2, 0.2), transforms.Shear(10)),
		"v1/RandomErasing":        transforms.NewRandomErasing(),
	}
}

// run is torchvision's result for one image and one seed.
type run struct {
	Kind string
	Seed uint64
	Y    *torchtest.Value
	Sum  float64
	Next float64
}

var vectors = strings.Contains(torch.BuildInfo(), "CPU capability usage: AVX")

// compare compares a result with torchvision's. Applying several functions in sequence
// may double a rounding error. The expected results were made with vector instructions;
// without them, an integer may differ.
func compare(t *testing.T, what string, want, got *torch.Tensor) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape(), what)
	require.Equal(t, want.DType(), got.DType(), what)
	if want.IsFloatingPoint() {
		assert.Empty(t, torchtest.Difference(want, got, torchtest.Rounding(64, want.DType())), what)
		return
	}
	allowed := 0.0
	if !vectors {
		allowed = 2
	}
	assert.LessOrEqual(t, got.Double().Sub(want.Double()).Abs().Max().Item(), allowed, what)
}

// With the same seed, each transform returns the same images as torchvision and draws the
// same number of random numbers. It leaves no tensors behind except its result.
func TestGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/transforms.json")
	for name, f := range list() {
		var golden struct {
			Runs []run
			Text string
		}
		g.Decode(name, &golden)
		require.NotEmpty(t, golden.Runs, name)
		if golden.Text != "" {
			assert.Equal(t, golden.Text, fmt.Sprint(f))
		}
		for _, r := range golden.Runs {
			what := fmt.Sprintf("%s of %s after seed %d", name, r.Kind, r.Seed)
			torch.Scope(func() {
				image := g.Tensor("image/" + r.Kind)
				before := torch.NumLiveTensors()
				torch.ManualSeed(r.Seed)
				got := f.Forward(image)
				if got != image { // changed in place
					require.Equal(t, before+1, torch.NumLiveTensors(), "%s leaves temporaries", what)
					assert.True(t, image.Equal(g.Tensor("image/"+r.Kind)), "%s changed the image", what)
				}
				assert.InDelta(t, r.Next, torch.Rand(torch.Shape{1}).Item(), 1e-8,
					"%s draws more or fewer random numbers", what)
				if r.Y != nil {
					want, err := r.Y.Tensor()
					require.NoError(t, err)
					compare(t, what, want, got)
				} else if vectors {
					assert.InDelta(t, r.Sum, got.Double().Sum().Item(), 1e-5*(1+math.Abs(r.Sum)), what)
				}
			})
		}
	}
}

// Images and labels of a batch are mixed as in torchvision.
func TestMixGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/transforms.json")
	type mixed struct {
		Runs []struct {
			Seed           uint64
			Images, Labels torchtest.Value
			Next           float64
		}
		Text string
	}
	var golden struct {
		Images, Labels, Probabilities torchtest.Value
		MixUp, CutMix                 mixed
	}
	g.Decode("mix", &golden)
	up, cut := transforms.NewMixUp(transforms.NumClasses(3)), transforms.NewCutMix(transforms.Alpha(0.4))
	assert.Equal(t, golden.MixUp.Text, up.String())
	assert.Equal(t, golden.CutMix.Text, cut.String())
	torch.Scope(func() {
		tensor := func(v torchtest.Value) *torch.Tensor {
			x, err := v.Tensor()
			require.NoError(t, err)
			return x
		}
		images, labels, probabilities := tensor(golden.Images), tensor(golden.Labels), tensor(golden.Probabilities)
		for name, c := range map[string]struct {
			f      func(x, y *torch.Tensor) (*torch.Tensor, *torch.Tensor)
			labels *torch.Tensor
			golden mixed
		}{"MixUp": {up.Forward, labels, golden.MixUp}, "CutMix": {cut.Forward, probabilities, golden.CutMix}} {
			for _, r := range c.golden.Runs {
				what := fmt.Sprintf("%s after seed %d", name, r.Seed)
				before := torch.NumLiveTensors()
				torch.ManualSeed(r.Seed)
				x, y := c.f(images, c.labels)
				assert.Equal(t, before+2, torch.NumLiveTensors(), what)
				assert.InDelta(t, r.Next, torch.Rand(torch.Shape{1}).Item(), 1e-8, what)
				compare(t, what, tensor(r.Images), x)
				compare(t, what, tensor(r.Labels), y)
			}
		}
	})
}

func TestLinearTransformation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/transforms.json")
	var golden struct{ Matrix, Mean, X, Y torchtest.Value }
	g.Decode("linear", &golden)
	torch.Scope(func() {
		var ts []*torch.Tensor
		for _, v := range []torchtest.Value{golden.Matrix, golden.Mean, golden.X, golden.Y} {
			x, err := v.Tensor()
			require.NoError(t, err)
			ts = append(ts, x)
		}
		l := transforms.NewLinearTransformation(ts[0], ts[1])
		assert.Equal(t, "LinearTransformation()", l.String())
		compare(t, "LinearTransformation", ts[3], l.Forward(ts[2]))
	})
}
