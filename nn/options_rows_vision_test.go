package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// visionRows returns the rows of the option table for layers that pad, resize, shuffle
// and fold.
func visionRows(p *holder) map[string]optiontest.Row {
	fold := func(in func() []*torch.Tensor, make func(opts ...nn.FoldOption) nn.Module) optiontest.Row {
		return rowOf(p, in, make,
			values(nn.Stride(2), nn.Stride(1)),
			values(nn.Strides{2, 1}, nn.Stride(3)),
			values(nn.Padding(1), nn.Padding(0)),
			values(nn.Paddings{1, 0}, nn.Padding(0)),
			values(nn.Dilation(2), nn.Dilation(1)),
			values(nn.Dilations{2, 1}, nn.Dilation(1)))
	}
	upsampling := func(make func(opts ...nn.UpsamplingOption) nn.Module) optiontest.Row {
		return rowOf(p, image, make,
			values(nn.Size(3), nn.Size(7)),
			values(nn.Sizes{3, 7}, nn.Size(7)),
			values(nn.ScaleFactor(2), nn.ScaleFactor(0.5)),
			values(nn.ScaleFactors{2, 1}, nn.ScaleFactor(2)))
	}
	return map[string]optiontest.Row{
		"NewFold": fold(inputOf(1, 8, 12), func(opts ...nn.FoldOption) nn.Module {
			return nn.NewFold([]int{4, 5}, 2, opts...)
		}),
		"NewUnfold": fold(inputOf(1, 2, 6, 7),
			func(opts ...nn.FoldOption) nn.Module { return nn.NewUnfold(2, opts...) }),
		"NewUpsample": rowOf(p, image, func(opts ...nn.UpsampleOption) nn.Module {
			return nn.NewUpsample(prepend(oneFactor(opts), opts)...)
		},
			values(nn.Size(3), nn.Size(7)),
			values(nn.Sizes{3, 7}, nn.Size(7)),
			values(nn.ScaleFactor(2), nn.ScaleFactor(0.5)),
			values(nn.ScaleFactors{2, 1}, nn.ScaleFactor(2)),
			values(nn.ModeNearestExact, nn.ModeArea),
			values(nn.AlignCorners(true), nn.AlignCorners(false)).Hides(printed, notInRepr),
			values(nn.RecomputeScaleFactor(true), nn.RecomputeScaleFactor(false)).Hides(printed, notInRepr)),
		"NewUpsamplingNearest2d": upsampling(func(opts ...nn.UpsamplingOption) nn.Module {
			return nn.NewUpsamplingNearest2d(opts...)
		}),
		"NewUpsamplingBilinear2d": upsampling(func(opts ...nn.UpsamplingOption) nn.Module {
			return nn.NewUpsamplingBilinear2d(opts...)
		}),
		"NewZeroPad1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewZeroPad1d(1, opts...)
		}),
		"NewConstantPad1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewConstantPad1d(1, 2, opts...)
		}),
		"NewReflectionPad1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewReflectionPad1d(1, opts...)
		}),
		"NewReplicationPad1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewReplicationPad1d(1, opts...)
		}),
		"NewCircularPad1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewCircularPad1d(1, opts...)
		}),
		"NewZeroPad2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewZeroPad2d(1, opts...)
		}),
		"NewConstantPad2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewConstantPad2d(1, 2, opts...)
		}),
		"NewReflectionPad2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewReflectionPad2d(1, opts...)
		}),
		"NewReplicationPad2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewReplicationPad2d(1, opts...)
		}),
		"NewCircularPad2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewCircularPad2d(1, opts...)
		}),
		"NewZeroPad3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewZeroPad3d(1, opts...)
		}),
		"NewConstantPad3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewConstantPad3d(1, 2, opts...)
		}),
		"NewReflectionPad3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewReflectionPad3d(1, opts...)
		}),
		"NewReplicationPad3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewReplicationPad3d(1, opts...)
		}),
		"NewCircularPad3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewCircularPad3d(1, opts...)
		}),
		"NewPixelShuffle": bare(p, inputOf(1, 8, 2, 3), func(opts ...nn.InitOption) nn.Module {
			return nn.NewPixelShuffle(2, opts...)
		}),
		"NewPixelUnshuffle": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewPixelUnshuffle(2, opts...)
		}),
		"NewChannelShuffle": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewChannelShuffle(2, opts...)
		}),
		"NewUnflatten": bare(p, inputOf(2, 6), func(opts ...nn.InitOption) nn.Module {
			return nn.NewUnflatten(1, torch.Shape{2, 3}, opts...)
		}),
	}
}

// oneFactor adds a factor to an Upsample's options if they have no size, with a mode in which all
// options have an effect.
func oneFactor(opts []nn.UpsampleOption) []nn.UpsampleOption {
	mode, factor := true, true
	for _, o := range opts {
		switch o.(type) {
		case nn.Size, nn.Sizes, nn.ScaleFactor, nn.ScaleFactors:
			factor = false
		case nn.Mode:
			mode = false
		}
	}
	var first []nn.UpsampleOption
	if mode {
		first = append(first, nn.ModeBilinear)
	}
	if factor {
		first = append(first, nn.ScaleFactor(1.3))
	}
	return first
}
