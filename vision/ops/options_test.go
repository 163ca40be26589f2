package ops_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

// printed returns a layer's text as the outcome of a test case.
func printed(l nn.Layer) optiontest.Outcome {
	defer l.Close()
	return optiontest.Outcome{"printed": l.String()}
}

// TestOptions tests each option alone, after another value, and next to a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values, refused := optiontest.Values, optiontest.Refused
	group := ops.NormLayer(func(n int64) nn.Layer { return nn.NewGroupNorm(2, n) })
	parent := new(nn.Base)
	parent.Init(root{parent})
	registered := func(l nn.Layer) optiontest.Outcome {
		name := ""
		for _, c := range parent.Children() {
			name = c.Name
			parent.Unregister(name)
		}
		return optiontest.Outcome{"printed": l.String(), "name": name}
	}
	init := []optiontest.Pair{
		values(nn.TypeName("A"), nn.TypeName("B")).Hides("name", "it is for printing"),
		values(parent.As("a"), parent.As("b")).Hides("printed", "a layer does not print its own name"),
	}
	boxes := torch.FromSlice([]float32{0, 0, 2, 3, 1, 1, 4, 3}, 2, 4)
	defer boxes.Close()
	rois := torch.FromSlice([]float32{0, 1, 1, 5, 4, 0, 0, 2, 6, 5}, 2, 5)
	defer rois.Close()
	image := torch.Arange(144.0).PowScalar(1.5).Reshape(1, 4, 6, 6)
	defer image.Close()
	volume := torch.Arange(144.0).Reshape(1, 1, 4, 6, 6)
	defer volume.Close()
	small := torch.Ones(torch.Shape{1, 4, 3, 3})
	defer small.Close()
	optiontest.Read(t, ".", "../../nn").Run(t, map[string]optiontest.Row{
		"NewConv2dNormActivation": optiontest.For(func(opts ...ops.Conv2dNormActivationOption) optiontest.Outcome {
			return printed(ops.NewConv2dNormActivation(4, 6, opts...))
		}, values(ops.KernelSize(5), ops.KernelSize(3)), values(ops.KernelSizes{3, 1}, ops.KernelSize(1)),
			refused(ops.KernelSizes{3}),
			values(ops.Stride(2), ops.Stride(1)), values(ops.Strides{2, 1}, ops.Strides{1, 2}),
			refused(ops.Strides(nil)),
			values(ops.Padding(0), ops.Padding(2)), values(ops.Paddings{1, 0}, ops.Padding(0)),
			refused(ops.Paddings{1, 2, 3}),
			values(ops.Dilation(2), ops.Dilation(1)), values(ops.Dilations{2, 1}, ops.Dilations{1, 1}),
			refused(ops.Dilations{1}),
			values(ops.Groups(2), ops.Groups(1)), refused(ops.Groups(3)), values(ops.Bias(true), ops.Bias(false)),
			values(group, ops.NormLayer(nil)), values(ops.ActivationLayer(silu), ops.ActivationLayer(nil)),
			values(ops.Inplace(false), ops.Inplace(true))),
		"NewSqueezeExcitation": optiontest.For(func(opts ...ops.SqueezeExcitationOption) optiontest.Outcome {
			return printed(ops.NewSqueezeExcitation(4, 2, opts...))
		}, values(ops.Activation(func() nn.Layer { return nn.NewTanh() }), ops.Activation(nil)),
			values(ops.ScaleActivation(func() nn.Layer { return nn.NewTanh() }), ops.ScaleActivation(nil))),
		"NewMLP": optiontest.For(func(opts ...ops.MLPOption) optiontest.Outcome {
			return printed(ops.NewMLP(4, []int64{6, 2}, opts...))
		}, values(group, ops.NormLayer(nil)), values(ops.ActivationLayer(silu), ops.ActivationLayer(nil)),
			values(ops.Inplace(true), ops.Inplace(false)),
			values(ops.Bias(false), ops.Bias(true)), values(ops.Dropout(0.5), ops.Dropout(0)), refused(ops.Dropout(2))),
		"NewStochasticDepth": optiontest.For(func(opts ...nn.InitOption) optiontest.Outcome {
			return registered(ops.NewStochasticDepth(0.5, ops.ModeRow, opts...))
		}, init...),
		"NewConv3dNormActivation": optiontest.For(func(opts ...ops.Conv2dNormActivationOption) optiontest.Outcome {
			return printed(ops.NewConv3dNormActivation(4, 6, opts...))
		}, values(ops.KernelSize(5), ops.KernelSize(3)), values(ops.KernelSizes{3, 1, 1}, ops.KernelSize(1)),
			refused(ops.KernelSizes{3, 1}),
			values(ops.Stride(2), ops.Stride(1)), values(ops.Strides{2, 1, 1}, ops.Strides{1, 2, 1}),
			refused(ops.Strides(nil)),
			values(ops.Padding(0), ops.Padding(2)), values(ops.Paddings{1, 0, 2}, ops.Padding(0)),
			refused(ops.Paddings{1, 2}),
			values(ops.Dilation(2), ops.Dilation(1)), values(ops.Dilations{2, 1, 1}, ops.Dilations{1, 1, 1}),
			refused(ops.Dilations{1}),
			values(ops.Groups(2), ops.Groups(1)), refused(ops.Groups(3)), values(ops.Bias(true), ops.Bias(false)),
			values(group, ops.NormLayer(nil)), values(ops.ActivationLayer(silu), ops.ActivationLayer(nil)),
			values(ops.Inplace(false), ops.Inplace(true))),
		"GeneralizedBoxIoULoss": boxLoss(ops.GeneralizedBoxIoULoss),
		"DistanceBoxIoULoss":    boxLoss(ops.DistanceBoxIoULoss),
		"CompleteBoxIoULoss":    boxLoss(ops.CompleteBoxIoULoss),
		"SigmoidFocalLoss": optiontest.For(func(opts ...ops.SigmoidFocalLossOption) optiontest.Outcome {
			return values4(ops.SigmoidFocalLoss(boxes, boxes, opts...))
		}, values(ops.Alpha(0.5), ops.Alpha(0)), refused(ops.Alpha(2)), values(ops.Gamma(1), ops.Gamma(0)),
			values(ops.ReductionSum, ops.ReductionMean), refused(ops.Reduction(""))),
		"ApplyRoIAlign": optiontest.For(func(opts ...ops.RoIAlignOption) optiontest.Outcome {
			return values4(ops.ApplyRoIAlign(image, rois, 2, opts...))
		}, values(ops.SpatialScale(0.5), ops.SpatialScale(0)), values(ops.SamplingRatio(1), ops.SamplingRatio(0)),
			values(ops.Aligned(true), ops.Aligned(false))),
		"ApplyPSRoIAlign": optiontest.For(func(opts ...ops.PSRoIAlignOption) optiontest.Outcome {
			return values4(ops.ApplyPSRoIAlign(image, rois, 2, opts...))
		}, values(ops.SpatialScale(0.5), ops.SpatialScale(0.25)), values(ops.SamplingRatio(1), ops.SamplingRatio(0))),
		"NewMultiScaleRoIAlign": optiontest.For(func(opts ...ops.MultiScaleRoIAlignOption) optiontest.Outcome {
			l := ops.NewMultiScaleRoIAlign([]string{"a", "b"}, 2, 1, opts...)
			return values4(l.Forward([]nn.NamedTensor{{Name: "a", Tensor: image}, {Name: "b", Tensor: small}},
				[]*torch.Tensor{boxes}, [][2]int64{{6, 6}}))
		}, values(ops.CanonicalScale(1), ops.CanonicalScale(100)), refused(ops.CanonicalScale(0)),
			values(ops.CanonicalLevel(20), ops.CanonicalLevel(0))),
		"NewFeaturePyramidNetwork": optiontest.For(func(opts ...ops.FeaturePyramidNetworkOption) optiontest.Outcome {
			return printedModule(ops.NewFeaturePyramidNetwork([]int64{2, 4}, 4, opts...))
		}, values(func() any { return ops.ExtraBlocks(ops.NewLastLevelMaxPool()) },
			func() any { return ops.ExtraBlocks(nil) }), values(group, ops.NormLayer(nil))),
		"NewDeformConv2d": optiontest.For(func(opts ...ops.DeformConv2dOption) optiontest.Outcome {
			return printedModule(ops.NewDeformConv2d(4, 6, 3, opts...))
		}, values(ops.Stride(2), ops.Stride(1)), values(ops.Strides{2, 1}, ops.Strides{1, 2}), refused(ops.Strides{1}),
			refused(ops.Stride(0)), values(ops.Padding(1), ops.Padding(0)),
			values(ops.Paddings{1, 0}, ops.Paddings{0, 1}),
			refused(ops.Paddings{1}), values(ops.Dilation(2), ops.Dilation(1)),
			values(ops.Dilations{2, 1}, ops.Dilations{1, 2}), refused(ops.Dilations{1}),
			values(ops.Groups(2), ops.Groups(1)), refused(ops.Groups(0)), values(ops.Bias(false), ops.Bias(true))),
		"ApplyDeformConv2d": optiontest.For(func(opts ...ops.DeformConv2dFuncOption) (o optiontest.Outcome) {
			torch.Scope(func() {
				// The offsets have the size that the options need.
				c := nn.NewConv2d(4, 2, 2, convOptions(opts)...)
				defer c.Close()
				size := c.Forward(image).Shape()
				offset := torch.Full(torch.Shape{1, 8, size[2], size[3]}, 0.25)
				weight := torch.Full(torch.Shape{2, 4, 2, 2}, 0.5)
				o = values4(ops.ApplyDeformConv2d(image, offset, weight, opts...))
			})
			return o
		}, values(ops.Stride(2), ops.Stride(1)), values(ops.Strides{2, 1}, ops.Strides{1, 2}), refused(ops.Strides{1}),
			values(ops.Padding(1), ops.Padding(0)), values(ops.Paddings{1, 0}, ops.Paddings{0, 1}),
			refused(ops.Paddings{1}), values(ops.Dilation(2), ops.Dilation(1)),
			values(ops.Dilations{2, 1}, ops.Dilations{1, 2}), refused(ops.Dilations{1}),
			values(ops.WithBias(torch.Ones(torch.Shape{2})), ops.WithBias(nil)),
			values(ops.Mask(torch.Full(torch.Shape{1, 4, 5, 5}, 0.5)), ops.Mask(nil))),
		"ApplyDropBlock2d": optiontest.For(func(opts ...ops.DropBlockFuncOption) optiontest.Outcome {
			return dropped(func(x *torch.Tensor) *torch.Tensor { return ops.ApplyDropBlock2d(x, 0.5, 1, opts...) },
				image)
		}, values(ops.Inplace(true), ops.Inplace(false)), values(ops.Eps(10), ops.Eps(0)),
			values(ops.Training(false), ops.Training(true))),
		"ApplyDropBlock3d": optiontest.For(func(opts ...ops.DropBlockFuncOption) optiontest.Outcome {
			return dropped(func(x *torch.Tensor) *torch.Tensor { return ops.ApplyDropBlock3d(x, 0.5, 1, opts...) },
				volume)
		}, values(ops.Inplace(true), ops.Inplace(false)), values(ops.Eps(10), ops.Eps(0)),
			values(ops.Training(false), ops.Training(true))),
		"NewDropBlock2d": optiontest.For(func(opts ...ops.DropBlockOption) optiontest.Outcome {
			return dropped(ops.NewDropBlock2d(0.5, 1, opts...).Forward, image)
		}, values(ops.Inplace(true), ops.Inplace(false)), values(ops.Eps(10), ops.Eps(0))),
		"NewDropBlock3d": optiontest.For(func(opts ...ops.DropBlockOption) optiontest.Outcome {
			return dropped(ops.NewDropBlock3d(0.5, 1, opts...).Forward, volume)
		}, values(ops.Inplace(true), ops.Inplace(false)), values(ops.Eps(10), ops.Eps(0))),
		"NewPermute": optiontest.For(func(opts ...nn.InitOption) optiontest.Outcome {
			return registered(ops.NewPermute([]int64{1, 0}, opts...))
		}, init...),
	})
}

// values4 returns the elements of a tensor as the outcome of a test case, and frees the tensor.
func values4(t *torch.Tensor) optiontest.Outcome {
	defer t.Close()
	return optiontest.Outcome{"values": fmt.Sprint(t.Detach())}
}

func printedModule(m nn.Module) optiontest.Outcome {
	defer m.ModuleBase().Close()
	return optiontest.Outcome{"printed": fmt.Sprint(m)}
}

// boxLoss is the row of a loss of boxes.
func boxLoss(fn func(a, b *torch.Tensor, opts ...ops.BoxLossOption) *torch.Tensor) optiontest.Row {
	return optiontest.For(func(opts ...ops.BoxLossOption) (o optiontest.Outcome) {
		torch.Scope(func() {
			a := torch.FromSlice([]float32{0, 0, 2, 3, 1, 1, 4, 3}, 2, 4)
			o = optiontest.Outcome{"values": fmt.Sprint(fn(a, a.Flip(0), opts...))}
		})
		return o
	}, optiontest.Values(ops.ReductionSum, ops.ReductionMean), optiontest.Refused(ops.Reduction("all")),
		optiontest.Values(ops.Eps(10), ops.Eps(0)))
}

// dropped returns the result of fn for a copy of x, under a seed.
func dropped(fn func(x *torch.Tensor) *torch.Tensor, x *torch.Tensor) (o optiontest.Outcome) {
	torch.Scope(func() {
		torch.ManualSeed(1)
		in := x.AddScalar(1)
		y := fn(in)
		o = optiontest.Outcome{"values": fmt.Sprint(y, in)}
	})
	return o
}

// convOptions returns the options that nn.NewConv2d has too.
func convOptions(opts []ops.DeformConv2dFuncOption) (all []nn.ConvOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case ops.Stride:
			all = append(all, nn.Stride(o))
		case ops.Strides:
			all = append(all, nn.Strides(o))
		case ops.Padding:
			all = append(all, nn.Padding(o))
		case ops.Paddings:
			all = append(all, nn.Paddings(o))
		case ops.Dilation:
			all = append(all, nn.Dilation(o))
		case ops.Dilations:
			all = append(all, nn.Dilations(o))
		}
	}
	return all
}

// root is a module in which tests register layers.
type root struct{ *nn.Base }

// Passing an option that a constructor does not have is a compile error.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/ops", "github.com/gotorch/gotorch/nn"}}
	s.Accepts(t, "ops.NewConv2dNormActivation(3, 8, ops.KernelSize(1), ops.NormLayer(nil))",
		"ops.NewMLP(3, []int64{4}, ops.Dropout(0.1))")
	s.Rejects(t, "ops.NewConv2dNormActivation(3, 8, nn.Stride(2))", "ops.NewSqueezeExcitation(4, 2, ops.Bias(true))",
		"ops.NewMLP(3, []int64{4}, ops.Groups(1))", "ops.NewStochasticDepth(0.5)")
}
