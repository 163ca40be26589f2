package functional_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	tf "github.com/gotorch/gotorch/torch/data/transforms/functional"
	"github.com/gotorch/gotorch/torchtest"
)

// outcome says what a function made of a picture: its shape and values, and whether the
// picture is another now.
func outcome(picture *torch.Tensor, f function) optiontest.Outcome {
	var o optiontest.Outcome
	torch.Scope(func() {
		x := picture.Clone()
		out := f(x)
		o = optiontest.Outcome{"result": fmt.Sprint(out.Shape(), out.DType(), out.Float().Float32s(), x.Equal(picture))}
	})
	return o
}

// Each option of each function alone, after another value, and beside a nil one.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(1)
	picture := torch.Rand(torch.Shape{3, 6, 9})
	defer func() { _ = picture.Close() }()
	values, with := optiontest.Values, optiontest.Refused
	mode := func(a, b tf.Interpolation) []optiontest.Pair {
		return []optiontest.Pair{values(a, b), values(b, a), with(tf.Interpolation("lanczos"))}
	}
	filling := append(mode(tf.InterpolationBilinear, tf.InterpolationNearest),
		values(tf.Fill(0.5), tf.Fill(0.25)), values(tf.Fills{0.5, 1, 1}, tf.Fills{1}), values(tf.Fills(nil), tf.Fill(1)), with(tf.Fills{1, 2}))
	resizing := append(mode(tf.InterpolationBicubic, tf.InterpolationNearest), values(tf.Antialias(false), tf.Antialias(true)))
	turning := append(filling, values(tf.Center(1, 2), tf.Center(0, 0)))
	rows := map[string]optiontest.Row{
		"Resize": optiontest.For(func(opts ...tf.ResizeOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.Resize(x, 4, opts...) })
		}, append(resizing, values(tf.MaxSize(5), tf.MaxSize(0)), with(tf.MaxSize(4)), with(tf.MaxSize(-1)))...),
		"ResizedCrop": optiontest.For(func(opts ...tf.ResizedCropOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.ResizedCrop(x, 0, 1, 5, 6, 3, opts...) })
		}, resizing...),
		"Pad": optiontest.For(func(opts ...tf.PadOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.Pad(x, 2, opts...) })
		}, values(tf.Fill(1), tf.Fill(0)), values(tf.Fills{1, 2, 3}, tf.Fills{1}), values(tf.Fills(nil), tf.Fill(1)),
			values(tf.PaddingModeReflect, tf.PaddingModeConstant), values(tf.PaddingModeSymmetric, tf.PaddingModeEdge), with(tf.PaddingMode("circular"))),
		"Rotate": optiontest.For(func(opts ...tf.RotateOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.Rotate(x, 20, opts...) })
		}, append(turning, values(tf.Expand(true), tf.Expand(false)))...),
		"Affine": optiontest.For(func(opts ...tf.AffineOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return tf.Affine(x, 20, []float64{1, 2}, 0.7, []float64{3, 4}, opts...)
			})
		}, turning...),
		"Perspective": optiontest.For(func(opts ...tf.WarpOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.Perspective(x, start, end, opts...) })
		}, filling...),
		"PerspectiveWith": optiontest.For(func(opts ...tf.WarpOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return tf.PerspectiveWith(x, []float64{1.2, 0.1, 1, 0.2, 0.9, 0.5, 0.001, 0.002}, opts...)
			})
		}, filling...),
		"Elastic": optiontest.For(func(opts ...tf.WarpOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.Elastic(x, shifts(x), opts...) })
		}, filling...),
		"TenCrop": optiontest.For(func(opts ...tf.TenCropOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return stacked(tf.TenCrop(x, 3, opts...)) })
		}, values(tf.VerticalFlip(true), tf.VerticalFlip(false))),
		"RGBToGrayscale": optiontest.For(func(opts ...tf.GrayscaleOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.RGBToGrayscale(x, opts...) })
		}, values(tf.NumOutputChannels(3), tf.NumOutputChannels(1)), with(tf.NumOutputChannels(2)), with(tf.NumOutputChannels(0))),
		"AdjustGamma": optiontest.For(func(opts ...tf.GammaOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.AdjustGamma(x, 1.3, opts...) })
		}, values(tf.Gain(0), tf.Gain(1))),
		"GaussianBlur": optiontest.For(func(opts ...tf.BlurOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.GaussianBlur(x, 3, opts...) })
		}, values(tf.Sigma(1), tf.Sigma(2)), values(tf.Sigmas{1, 2}, tf.Sigmas{2}), with(tf.Sigma(0)), with(tf.Sigmas{1, -1}), with(tf.Sigmas{1, 1, 1}), with(tf.Sigmas(nil))),
		"GaussianNoise": optiontest.For(func(opts ...tf.NoiseOption) optiontest.Outcome {
			torch.ManualSeed(3)
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.GaussianNoise(x, opts...) })
		}, values(tf.Mean(0.3), tf.Mean(0)), values(tf.Sigma(0), tf.Sigma(0.5)), values(tf.Clip(false), tf.Clip(true)), with(tf.Sigma(-1))),
		"Normalize": optiontest.For(func(opts ...tf.InplaceOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.Normalize(x, []float64{0.5}, []float64{2}, opts...) })
		}, values(tf.Inplace(true), tf.Inplace(false))),
		"Erase": optiontest.For(func(opts ...tf.InplaceOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor {
				return tf.Erase(x, 1, 1, 2, 2, torch.Ones(torch.Shape{1}), opts...)
			})
		}, values(tf.Inplace(true), tf.Inplace(false))),
		"ToDType": optiontest.For(func(opts ...tf.ToDTypeOption) optiontest.Outcome {
			return outcome(picture, func(x *torch.Tensor) *torch.Tensor { return tf.ToDType(x, torch.Uint8, opts...) })
		}, values(tf.WithScale(true), tf.WithScale(false))),
	}
	optiontest.Read(t, ".", "../internal/opt").Run(t, rows)
}

// An option that does not apply does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "tf github.com/gotorch/gotorch/torch/data/transforms/functional", "F github.com/gotorch/gotorch/nn/functional"},
		Decls:   "var x *torch.Tensor",
	}
	s.Accepts(t, "tf.Resize(x, 3, tf.Antialias(true))", "tf.Rotate(x, 3, tf.Center(1, 2))", "tf.Pad(x, 3, tf.Fills{1, 2})")
	s.Rejects(t, "tf.Resize(x, 3, tf.Fill(1))", "tf.Resize(x, 3, F.ModeBilinear)", "tf.Rotate(x, 3, tf.Antialias(true))",
		"tf.Affine(x, 1, nil, 1, nil, tf.Expand(true))", "tf.Pad(x, 3, tf.InterpolationNearest)", "tf.ToDType(x, torch.Uint8, torch.Copy)")
}
