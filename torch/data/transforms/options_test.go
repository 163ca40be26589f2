package transforms_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torchtest"
)

// Each option has an effect, alone and after a different value of the same option. Nil
// options are refused.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(1)
	picture := torch.Rand(torch.Shape{3, 8, 11})
	defer func() { _ = picture.Close() }()
	// outcome describes what f does to an image for a few seeds, and the String of f.
	outcome := func(f transforms.Transform) optiontest.Outcome {
		text := ""
		torch.Scope(func() {
			for seed := range uint64(8) {
				torch.ManualSeed(seed)
				x := picture.Clone()
				y := f.Forward(x)
				text += fmt.Sprint(y.Shape(), y.DType(), y.Float().Float32s(), x.Equal(picture))
			}
		})
		return optiontest.Outcome{"result": text, "printed": fmt.Sprint(f)}
	}
	values, refused := optiontest.Values, optiontest.Refused
	chance := []optiontest.Pair{
		values(transforms.P(0), transforms.P(0.75)), refused(transforms.P(-0.1)),
		refused(transforms.P(1.5)),
	}
	fill := []optiontest.Pair{
		values(transforms.Fill(0.5), transforms.Fill(0)), values(transforms.Fills{0.5, 1, 1}, transforms.Fills{1}),
		values(transforms.Fills(nil), transforms.Fill(1)),
	}
	mode := []optiontest.Pair{
		values(transforms.InterpolationBilinear, transforms.InterpolationNearest),
		refused(transforms.Interpolation("box")),
	}
	smooth := []optiontest.Pair{
		values(transforms.InterpolationBicubic, transforms.InterpolationNearestExact),
		refused(transforms.Interpolation("")),
		values(transforms.Antialias(false), transforms.Antialias(true)),
	}
	borders := []optiontest.Pair{
		values(transforms.PaddingModeReflect, transforms.PaddingModeConstant),
		values(transforms.PaddingModeEdge, transforms.PaddingModeSymmetric),
		refused(transforms.PaddingMode("mirror")),
	}
	join := func(lists ...[]optiontest.Pair) (all []optiontest.Pair) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	sometimes := func(f func(opts ...transforms.ProbabilityOption) transforms.Transform) optiontest.Row {
		return optiontest.For(func(opts ...transforms.ProbabilityOption) optiontest.Outcome {
			return outcome(f(opts...))
		}, chance...)
	}
	type T = transforms.Transform
	type O = transforms.ProbabilityOption
	flip, turn := transforms.NewRandomHorizontalFlip(), transforms.NewRandomRotation(30)
	mixing := []optiontest.Pair{
		values(transforms.Alpha(0.3), transforms.Alpha(2)), refused(transforms.Alpha(0)),
		values(transforms.NumClasses(5), transforms.NumClasses(4)), refused(transforms.NumClasses(-1)),
	}
	mixed := func(f func(x, y *torch.Tensor) (*torch.Tensor, *torch.Tensor), text string) optiontest.Outcome {
		out := ""
		torch.Scope(func() {
			torch.ManualSeed(2)
			x, y := f(torch.Rand(torch.Shape{3, 1, 4, 4}), torch.Arange(3))
			out = fmt.Sprint(x.Float32s(), y.Float32s())
		})
		return optiontest.Outcome{"result": out, "printed": text}
	}
	rows := map[string]optiontest.Row{
		"NewResize": optiontest.For(func(opts ...transforms.ResizeOption) optiontest.Outcome {
			return outcome(transforms.NewResize(7, opts...))
		}, join(smooth,
			[]optiontest.Pair{
				values(transforms.MaxSize(8), transforms.MaxSize(0)),
				refused(transforms.MaxSize(7)),
			})...),
		"NewRandomResizedCrop": optiontest.For(func(opts ...transforms.RandomResizedCropOption) optiontest.Outcome {
			return outcome(transforms.NewRandomResizedCrop(4, opts...))
		}, join(smooth, []optiontest.Pair{
			values(transforms.Scale(0, 1), transforms.Scale(0.5, 0.5)), refused(transforms.Scale(1, 0.5)),
			refused(transforms.Scale(-1, 0.5)),
			values(transforms.Ratio(0.5, 0.6), transforms.Ratio(1, 1)), refused(transforms.Ratio(2, 1)),
			refused(transforms.Ratio(0, 1)),
		})...),
		"NewRandomCrop": optiontest.For(func(opts ...transforms.RandomCropOption) optiontest.Outcome {
			// Pad images in every case, because the options about borders have no effect
			// without padding.
			base := []transforms.RandomCropOption{transforms.Padding(2), transforms.PadIfNeeded(true)}
			for _, o := range opts {
				if _, is := o.(transforms.PadIfNeeded); is {
					return outcome(transforms.NewRandomCrop(6, opts...))
				}
			}
			return outcome(transforms.NewRandomCrop([]int{7, 10}, append(base, opts...)...))
		}, join(fill, borders, []optiontest.Pair{
			values(transforms.Padding(0), transforms.Padding(3)),
			values(transforms.Paddings{1, 2}, transforms.Paddings(nil)), refused(transforms.Paddings{1, 2, 3}),
			values(transforms.PadIfNeeded(true), transforms.PadIfNeeded(false)).Hides("result",
				"the image is large enough"),
		})...),
		"NewPad": optiontest.For(func(opts ...transforms.PadOption) optiontest.Outcome {
			return outcome(transforms.NewPad([]int{1, 2}, opts...))
		}, join(fill[:2], borders, []optiontest.Pair{values(transforms.Fills(nil), transforms.Fill(1))})...),
		"NewTenCrop": optiontest.For(func(opts ...transforms.TenCropOption) optiontest.Outcome {
			return outcome(transforms.NewTenCrop(4, opts...))
		}, values(transforms.VerticalFlip(true), transforms.VerticalFlip(false))),
		"NewRandomRotation": optiontest.For(func(opts ...transforms.RotationOption) optiontest.Outcome {
			return outcome(transforms.NewRandomRotation(40, opts...))
		}, join(fill, mode, []optiontest.Pair{
			values(transforms.Expand(true), transforms.Expand(false)),
			values(transforms.Center(0, 0), transforms.Center(2, 3)),
		})...),
		"NewRandomAffine": optiontest.For(func(opts ...transforms.AffineOption) optiontest.Outcome {
			return outcome(transforms.NewRandomAffine(40, opts...))
		}, join(fill, mode, []optiontest.Pair{
			values(transforms.Translate(0.1, 0.9), transforms.Translate(0, 0)), refused(transforms.Translate(-0.1, 0)),
			values(transforms.Scale(1, 2), transforms.Scale(1, 1)), refused(transforms.Scale(0, 1)),
			refused(transforms.Scale(2, 1)),
			values(transforms.Shear(20), transforms.Shear(0)), refused(transforms.Shear(-1)),
			values(transforms.Shears{10, 20, 30, 40}, transforms.Shears(nil)), refused(transforms.Shears{1}),
			refused(transforms.Shears{2, 1}),
			values(transforms.Center(0, 0), transforms.Center(2, 3)),
		})...),
		"NewRandomPerspective": optiontest.For(func(opts ...transforms.PerspectiveOption) optiontest.Outcome {
			return outcome(transforms.NewRandomPerspective(opts...))
		}, join(fill, mode, chance, []optiontest.Pair{
			values(transforms.DistortionScale(0), transforms.DistortionScale(1)),
			refused(transforms.DistortionScale(1.1)),
		})...),
		"NewElasticTransform": optiontest.For(func(opts ...transforms.ElasticOption) optiontest.Outcome {
			return outcome(transforms.NewElasticTransform(append([]transforms.ElasticOption{transforms.Sigma(0.5)},
				opts...)...))
		}, join(fill, mode, []optiontest.Pair{
			values(transforms.Alpha(1), transforms.Alpha(5)), values(transforms.Alphas{1, 2}, transforms.Alphas{2}),
			refused(transforms.Alphas(nil)),
			values(transforms.Sigma(0), transforms.Sigma(0.7)),
			values(transforms.Sigmas{0.5, 0.7}, transforms.Sigmas{0.4}),
			refused(transforms.Sigma(-1)), refused(transforms.Sigmas{1, 0}), refused(transforms.Sigmas{1, 2, 3}),
		})...),
		"NewRandomApply": optiontest.For(func(opts ...O) optiontest.Outcome {
			return outcome(transforms.NewRandomApply([]T{transforms.NewRandomInvert(transforms.P(1))}, opts...))
		}, chance[0].Hides("printed", "Python prints no p here"), chance[1], chance[2]),
		"NewRandomHorizontalFlip": sometimes(func(opts ...O) T { return transforms.NewRandomHorizontalFlip(opts...) }),
		"NewRandomVerticalFlip":   sometimes(func(opts ...O) T { return transforms.NewRandomVerticalFlip(opts...) }),
		"NewRandomGrayscale":      sometimes(func(opts ...O) T { return transforms.NewRandomGrayscale(opts...) }),
		"NewRandomInvert":         sometimes(func(opts ...O) T { return transforms.NewRandomInvert(opts...) }),
		"NewRandomAutocontrast":   sometimes(func(opts ...O) T { return transforms.NewRandomAutocontrast(opts...) }),
		"NewRandomEqualize":       sometimes(func(opts ...O) T { return transforms.NewRandomEqualize(opts...) }),
		"NewRandomPosterize":      sometimes(func(opts ...O) T { return transforms.NewRandomPosterize(2, opts...) }),
		"NewRandomSolarize":       sometimes(func(opts ...O) T { return transforms.NewRandomSolarize(0.5, opts...) }),
		"NewRandomAdjustSharpness": sometimes(func(opts ...O) T {
			return transforms.NewRandomAdjustSharpness(2, opts...)
		}),
		"NewRandomChoice": optiontest.For(func(opts ...transforms.ChoiceOption) optiontest.Outcome {
			return outcome(transforms.NewRandomChoice([]T{flip, turn}, opts...))
		}, values(transforms.Ps{1, 0}, transforms.Ps(nil)), refused(transforms.Ps{1}), refused(transforms.Ps{0, 0}),
			refused(transforms.Ps{2, -1})),
		"NewColorJitter": optiontest.For(func(opts ...transforms.ColorJitterOption) optiontest.Outcome {
			return outcome(transforms.NewColorJitter(opts...))
		}, values(transforms.Brightness(0.5), transforms.Brightness(0)), refused(transforms.Brightness(-1)),
			values(transforms.BrightnessRange{0, 1}, transforms.BrightnessRange{1, 1}),
			refused(transforms.BrightnessRange{2, 1}),
			values(transforms.Contrast(0.5), transforms.Contrast(0)), refused(transforms.Contrast(-1)),
			values(transforms.ContrastRange{0, 1}, transforms.ContrastRange{1, 2}),
			refused(transforms.ContrastRange{-1, 1}),
			values(transforms.Saturation(0.5), transforms.Saturation(0)), refused(transforms.Saturation(-1)),
			values(transforms.SaturationRange{0, 1}, transforms.SaturationRange{1, 2}),
			refused(transforms.SaturationRange{-1, 1}),
			values(transforms.Hue(0.5), transforms.Hue(0)), refused(transforms.Hue(0.6)),
			values(transforms.HueRange{-0.5, 0}, transforms.HueRange{0, 0}), refused(transforms.HueRange{0, 0.7})),
		"NewGrayscale": optiontest.For(func(opts ...transforms.GrayscaleOption) optiontest.Outcome {
			return outcome(transforms.NewGrayscale(opts...))
		}, values(transforms.NumOutputChannels(3), transforms.NumOutputChannels(1)),
			refused(transforms.NumOutputChannels(0))),
		"NewNormalize": optiontest.For(func(opts ...transforms.InplaceOption) optiontest.Outcome {
			return outcome(transforms.NewNormalize([]float64{0.5}, []float64{0.5}, opts...))
		}, values(transforms.Inplace(true), transforms.Inplace(false))),
		"NewRandomErasing": optiontest.For(func(opts ...transforms.ErasingOption) optiontest.Outcome {
			return outcome(transforms.NewRandomErasing(opts...))
		}, join(chance, []optiontest.Pair{
			values(transforms.Scale(0.1, 0.2), transforms.Scale(0.3, 0.3)), refused(transforms.Scale(0.2, 0.1)),
			refused(transforms.Scale(0, 1.1)),
			values(transforms.Ratio(1, 1), transforms.Ratio(0.5, 2)), refused(transforms.Ratio(-1, 1)),
			values(transforms.Value(1), transforms.Value(0)), values(transforms.Values{1, 2, 3}, transforms.Values{2}),
			refused(transforms.Values(nil)),
			values(transforms.ValueRandom, transforms.Value(0)), refused(transforms.ValueWord("noise")),
			values(transforms.Inplace(true), transforms.Inplace(false)),
		})...),
		"NewGaussianBlur": optiontest.For(func(opts ...transforms.BlurOption) optiontest.Outcome {
			return outcome(transforms.NewGaussianBlur(3, opts...))
		}, values(transforms.Sigma(1), transforms.Sigma(2)), refused(transforms.Sigma(0)),
			values(transforms.SigmaRange{1, 2}, transforms.SigmaRange{0.1, 0.2}), refused(transforms.SigmaRange{2, 1})),
		"NewGaussianNoise": optiontest.For(func(opts ...transforms.NoiseOption) optiontest.Outcome {
			return outcome(transforms.NewGaussianNoise(opts...))
		}, values(transforms.Mean(0), transforms.Mean(0.5)), values(transforms.Sigma(0), transforms.Sigma(0.5)),
			refused(transforms.Sigma(-1)),
			values(transforms.Clip(false), transforms.Clip(true))),
		"NewToDType": optiontest.For(func(opts ...transforms.ToDTypeOption) optiontest.Outcome {
			return outcome(transforms.NewToDType(torch.Uint8, opts...))
		}, values(transforms.WithScale(true), transforms.WithScale(false))),
		"NewAutoAugment": optiontest.For(func(opts ...transforms.AutoAugmentOption) optiontest.Outcome {
			return outcome(transforms.NewAutoAugment(append([]transforms.AutoAugmentOption{transforms.PolicySVHN},
				opts...)...))
		}, join(fill, mode,
			[]optiontest.Pair{
				values(transforms.PolicyCIFAR10, transforms.PolicyImageNet),
				refused(transforms.Policy("mnist")),
			})...),
		"NewRandAugment": optiontest.For(func(opts ...transforms.RandAugmentOption) optiontest.Outcome {
			return outcome(transforms.NewRandAugment(opts...))
		}, join(fill, mode, []optiontest.Pair{
			values(transforms.NumOps(0), transforms.NumOps(3)), refused(transforms.NumOps(-1)),
			values(transforms.Magnitude(0), transforms.Magnitude(30)), refused(transforms.Magnitude(31)),
			values(transforms.NumMagnitudeBins(10), transforms.NumMagnitudeBins(12)),
			refused(transforms.NumMagnitudeBins(9)), refused(transforms.NumMagnitudeBins(1)),
		})...),
		"NewTrivialAugmentWide": optiontest.For(func(opts ...transforms.TrivialAugmentOption) optiontest.Outcome {
			return outcome(transforms.NewTrivialAugmentWide(opts...))
		}, join(fill, mode, []optiontest.Pair{
			values(transforms.NumMagnitudeBins(10), transforms.NumMagnitudeBins(12)),
			refused(transforms.NumMagnitudeBins(1)),
		})...),
		"NewAugMix": optiontest.For(func(opts ...transforms.AugMixOption) optiontest.Outcome {
			return outcome(transforms.NewAugMix(opts...))
		}, join(fill, mode, []optiontest.Pair{
			values(transforms.Severity(1), transforms.Severity(10)), refused(transforms.Severity(0)),
			refused(transforms.Severity(11)),
			values(transforms.MixtureWidth(1), transforms.MixtureWidth(2)), refused(transforms.MixtureWidth(0)),
			values(transforms.ChainDepth(-1), transforms.ChainDepth(2)),
			values(transforms.Alpha(0.5), transforms.Alpha(2)), refused(transforms.Alpha(0)),
			values(transforms.AllOps(false), transforms.AllOps(true)),
		})...),
		"NewMixUp": optiontest.For(func(opts ...transforms.MixOption) optiontest.Outcome {
			m := transforms.NewMixUp(append([]transforms.MixOption{transforms.NumClasses(3)}, opts...)...)
			return mixed(m.Forward, m.String())
		}, mixing...),
		"NewCutMix": optiontest.For(func(opts ...transforms.MixOption) optiontest.Outcome {
			m := transforms.NewCutMix(append([]transforms.MixOption{transforms.NumClasses(3)}, opts...)...)
			return mixed(m.Forward, m.String())
		}, mixing...),
	}
	optiontest.Read(t, ".", "internal/opt").Run(t, rows)
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{
		"github.com/gotorch/gotorch/torch/data/transforms",
		"github.com/gotorch/gotorch/torch",
	}}
	s.Accepts(t, "transforms.NewCompose(transforms.NewResize(4), transforms.NewRandomErasing(transforms.ValueRandom))",
		"transforms.NewRandomAffine([]float64{1, 2}, transforms.Shears{1, 2})")
	s.Rejects(t, "transforms.NewResize(4, transforms.P(1))", "transforms.NewRandomHorizontalFlip(0.5)",
		"transforms.NewRandomErasing(transforms.Expand(true))",
		"transforms.NewColorJitter(transforms.Sigma(1))", "transforms.NewRandomCrop(4, transforms.Scale(1, 2))",
		"transforms.NewToDType(torch.Float32, true)")
}
