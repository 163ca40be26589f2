package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var visionMembers = []member{
	{"ZeroPad1d", "nn.ZeroPad1d(2)", func(p *holder) nn.Module { return nn.NewZeroPad1d(2, p.As("m")) }, line},
	{
		"ZeroPad2d", "nn.ZeroPad2d((1, 2, 0, -1))",
		func(p *holder) nn.Module { return nn.NewZeroPad2d([]int{1, 2, 0, -1}, p.As("m")) }, image,
	},
	{"ZeroPad3d", "nn.ZeroPad3d(1)", func(p *holder) nn.Module { return nn.NewZeroPad3d(1, p.As("m")) }, volume},
	{
		"ConstantPad1d", "nn.ConstantPad1d((1, 2), 3)",
		func(p *holder) nn.Module { return nn.NewConstantPad1d([]int64{1, 2}, 3, p.As("m")) }, line,
	},
	{
		"ConstantPad2d", "nn.ConstantPad2d(1, 3.5)",
		func(p *holder) nn.Module { return nn.NewConstantPad2d(1, 3.5, p.As("m")) }, image,
	},
	{"ConstantPad3d", "nn.ConstantPad3d((1, 2, 3, 4, 5, 6), -1)", func(p *holder) nn.Module {
		return nn.NewConstantPad3d(torch.Shape{1, 2, 3, 4, 5, 6}, -1, p.As("m"))
	}, volume},
	{
		"ReflectionPad1d", "nn.ReflectionPad1d((1, 2))",
		func(p *holder) nn.Module { return nn.NewReflectionPad1d([]int{1, 2}, p.As("m")) }, line,
	},
	{
		"ReflectionPad2d", "nn.ReflectionPad2d(1)",
		func(p *holder) nn.Module { return nn.NewReflectionPad2d(1, p.As("m")) }, image,
	},
	{
		"ReflectionPad3d", "nn.ReflectionPad3d(1)",
		func(p *holder) nn.Module { return nn.NewReflectionPad3d(int64(1), p.As("m")) }, volume,
	},
	{
		"ReplicationPad1d", "nn.ReplicationPad1d((1, 2))",
		func(p *holder) nn.Module { return nn.NewReplicationPad1d([]int{1, 2}, p.As("m")) }, line,
	},
	{
		"ReplicationPad2d", "nn.ReplicationPad2d((3, 0, 0, 1))",
		func(p *holder) nn.Module { return nn.NewReplicationPad2d([]int{3, 0, 0, 1}, p.As("m")) }, image,
	},
	{
		"ReplicationPad3d", "nn.ReplicationPad3d(1)",
		func(p *holder) nn.Module { return nn.NewReplicationPad3d(1, p.As("m")) }, volume,
	},
	{
		"CircularPad1d", "nn.CircularPad1d((1, 2))",
		func(p *holder) nn.Module { return nn.NewCircularPad1d([]int{1, 2}, p.As("m")) }, line,
	},
	{
		"CircularPad2d", "nn.CircularPad2d(1)",
		func(p *holder) nn.Module { return nn.NewCircularPad2d(1, p.As("m")) }, image,
	},
	{
		"CircularPad3d", "nn.CircularPad3d(1)",
		func(p *holder) nn.Module { return nn.NewCircularPad3d(1, p.As("m")) }, volume,
	},
	{
		"Upsample", "nn.Upsample(scale_factor=2)",
		func(p *holder) nn.Module { return nn.NewUpsample(nn.ScaleFactor(2), p.As("m")) }, image,
	},
	{"Upsample/size", `nn.Upsample(size=(3, 4), mode="bilinear", align_corners=True)`, func(p *holder) nn.Module {
		return nn.NewUpsample(nn.Sizes{3, 4}, nn.ModeBilinear, nn.AlignCorners(true), p.As("m"))
	}, image},
	{
		"Upsample/scales", `nn.Upsample(scale_factor=(2, 1.5), mode="nearest-exact", recompute_scale_factor=True)`,
		func(p *holder) nn.Module {
			return nn.NewUpsample(nn.ScaleFactors{2, 1.5}, nn.ModeNearestExact, nn.RecomputeScaleFactor(true),
				p.As("m"))
		}, image,
	},
	{
		"UpsamplingNearest2d", "nn.UpsamplingNearest2d(size=4)",
		func(p *holder) nn.Module { return nn.NewUpsamplingNearest2d(nn.Size(4), p.As("m")) }, image,
	},
	{
		"UpsamplingBilinear2d", "nn.UpsamplingBilinear2d(scale_factor=2)",
		func(p *holder) nn.Module { return nn.NewUpsamplingBilinear2d(nn.ScaleFactor(2), p.As("m")) }, image,
	},
	{
		"PixelShuffle", "nn.PixelShuffle(2)",
		func(p *holder) nn.Module { return nn.NewPixelShuffle(2, p.As("m")) }, inputOf(1, 8, 2, 3),
	},
	{
		"PixelUnshuffle", "nn.PixelUnshuffle(2)",
		func(p *holder) nn.Module { return nn.NewPixelUnshuffle(2, p.As("m")) }, image,
	},
	{
		"ChannelShuffle", "nn.ChannelShuffle(2)",
		func(p *holder) nn.Module { return nn.NewChannelShuffle(2, p.As("m")) }, inputOf(1, 4, 2, 3),
	},
	{
		"Unflatten", "nn.Unflatten(1, (2, 3))",
		func(p *holder) nn.Module { return nn.NewUnflatten(1, torch.Shape{2, 3}, p.As("m")) }, inputOf(2, 6),
	},
	{
		"Fold", "nn.Fold((4, 5), 2)",
		func(p *holder) nn.Module { return nn.NewFold([]int{4, 5}, 2, p.As("m")) }, inputOf(1, 8, 12),
	},
	{"Unfold", "nn.Unfold((2, 3), dilation=2, padding=(1, 1), stride=2)", func(p *holder) nn.Module {
		return nn.NewUnfold([]int{2, 3}, nn.Dilation(2), nn.Paddings{1, 1}, nn.Stride(2), p.As("m"))
	}, image},
}
