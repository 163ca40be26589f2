package imageops_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torchtest"
)

// outcome describes what f does to an image: the shape and the values of the result, and
// whether the image changed.
func outcome(picture *torch.Tensor, f function) optiontest.Outcome {
	var o optiontest.Outcome
	torch.Scope(func() {
		x := picture.Clone()
		out := f(x)
		o = optiontest.Outcome{"result": fmt.Sprint(out.Shape(), out.DType(), out.Float().Float32s(), x.Equal(picture))}
	})
	return o
}

// Each option has an effect, alone and after a different value of the same option. Nil
// options are refused.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(1)
	picture := torch.Rand(torch.Shape{3, 6, 9})
	defer func() { _ = picture.Close() }()
	values, with := optiontest.Values, optiontest.Refused
	mode := func(a, b imageops.Interpolation) []optiontest.Pair {
		return []optiontest.Pair{values(a, b), values(b, a), with(imageops.Interpolation("lanczos"))}
	}
	filling := append(mode(imageops.InterpolationBilinear, imageops.InterpolationNearest),
		values(imageops.Fill(0.5), imageops.Fill(0.25)), values(imageops.Fills{0.5, 1, 1}, imageops.Fills{1}),
		values(imageops.Fills(nil), imageops.Fill(1)), with(imageops.Fills{1, 2}))
	resizing := append(mode(imageops.InterpolationBicubic, imageops.InterpolationNearest),
		values(imageops.Antialias(false), imageops.Antialias(true)))
	turning := append(filling, values(imageops.Center(1, 2), imageops.Center(0, 0)))
	rows := map[string]optiontest.Row{
		"Resize": optiontest.For(func(opts ...imageops.ResizeOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return imageops.Resize(x, 4, opts...) })
		}, append(resizing, values(imageops.MaxSize(5), imageops.MaxSize(0)), with(imageops.MaxSize(4)),
			with(imageops.MaxSize(-1)))...),
		"ResizedCrop": optiontest.For(func(opts ...imageops.ResizedCropOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.ResizedCrop(x, 0, 1, 5, 6, 3, opts...)
			})
		}, resizing...),
		"Pad": optiontest.For(func(opts ...imageops.PadOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return imageops.Pad(x, 2, opts...) })
		}, values(imageops.Fill(1), imageops.Fill(0)), values(imageops.Fills{1, 2, 3}, imageops.Fills{1}),
			values(imageops.Fills(nil), imageops.Fill(1)),
			values(imageops.PaddingModeReflect, imageops.PaddingModeConstant),
			values(imageops.PaddingModeSymmetric, imageops.PaddingModeEdge), with(imageops.PaddingMode("circular"))),
		"Rotate": optiontest.For(func(opts ...imageops.RotateOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return imageops.Rotate(x, 20, opts...) })
		}, append(turning, values(imageops.Expand(true), imageops.Expand(false)))...),
		"Affine": optiontest.For(func(opts ...imageops.AffineOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.Affine(x, 20, []float64{1, 2}, 0.7, []float64{3, 4}, opts...)
			})
		}, turning...),
		"Perspective": optiontest.For(func(opts ...imageops.WarpOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.Perspective(x, start, end, opts...)
			})
		}, filling...),
		"PerspectiveWith": optiontest.For(func(opts ...imageops.WarpOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.PerspectiveWith(x, []float64{1.2, 0.1, 1, 0.2, 0.9, 0.5, 0.001, 0.002}, opts...)
			})
		}, filling...),
		"Elastic": optiontest.For(func(opts ...imageops.WarpOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.Elastic(x, shifts(x), opts...)
			})
		}, filling...),
		"TenCrop": optiontest.For(func(opts ...imageops.TenCropOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return stacked(imageops.TenCrop(x, 3, opts...))
			})
		}, values(imageops.VerticalFlip(true), imageops.VerticalFlip(false))),
		"RGBToGrayscale": optiontest.For(func(opts ...imageops.GrayscaleOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return imageops.RGBToGrayscale(x, opts...) })
		}, values(imageops.NumOutputChannels(3), imageops.NumOutputChannels(1)), with(imageops.NumOutputChannels(2)),
			with(imageops.NumOutputChannels(0))),
		"AdjustGamma": optiontest.For(func(opts ...imageops.GammaOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.AdjustGamma(x, 1.3, opts...)
			})
		}, values(imageops.Gain(0), imageops.Gain(1))),
		"GaussianBlur": optiontest.For(func(opts ...imageops.BlurOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return imageops.GaussianBlur(x, 3, opts...) })
		}, values(imageops.Sigma(1), imageops.Sigma(2)), values(imageops.Sigmas{1, 2}, imageops.Sigmas{2}),
			with(imageops.Sigma(0)), with(imageops.Sigmas{1, -1}), with(imageops.Sigmas{1, 1, 1}),
			with(imageops.Sigmas(nil))),
		"GaussianNoise": optiontest.For(func(opts ...imageops.NoiseOption) optiontest.Outcome {
			torch.ManualSeed(3)
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return imageops.GaussianNoise(x, opts...) })
		}, values(imageops.Mean(0.3), imageops.Mean(0)), values(imageops.Sigma(0), imageops.Sigma(0.5)),
			values(imageops.Clip(false), imageops.Clip(true)), with(imageops.Sigma(-1))),
		"Normalize": optiontest.For(func(opts ...imageops.InplaceOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.Normalize(x, []float64{0.5}, []float64{2}, opts...)
			})
		}, values(imageops.Inplace(true), imageops.Inplace(false))),
		"Erase": optiontest.For(func(opts ...imageops.InplaceOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.Erase(x, 1, 1, 2, 2, torch.Ones(torch.Shape{1}), opts...)
			})
		}, values(imageops.Inplace(true), imageops.Inplace(false))),
		"ToDType": optiontest.For(func(opts ...imageops.ToDTypeOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return imageops.ToDType(x, torch.Uint8, opts...)
			})
		}, values(imageops.WithScale(true), imageops.WithScale(false))),
	}
	optiontest.Read(t, ".", "../internal/opt").Run(t, rows)
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/torch",
			"tf github.com/gotorch/gotorch/torch/data/transforms/imageops",
			"F github.com/gotorch/gotorch/nn/functional",
		},
		Decls: "var x *torch.Tensor",
	}
	s.Accepts(t, "tf.Resize(x, 3, tf.Antialias(true))", "tf.Rotate(x, 3, tf.Center(1, 2))",
		"tf.Pad(x, 3, tf.Fills{1, 2})")
	s.Rejects(t, "tf.Resize(x, 3, tf.Fill(1))", "tf.Resize(x, 3, F.ModeBilinear)",
		"tf.Rotate(x, 3, tf.Antialias(true))",
		"tf.Affine(x, 1, nil, 1, nil, tf.Expand(true))", "tf.Pad(x, 3, tf.InterpolationNearest)",
		"tf.ToDType(x, torch.Uint8, torch.Copy(true))")
}
