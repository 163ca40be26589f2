package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var windowMembers = []member{
	{
		"Conv1d", "nn.Conv1d(2, 4, 3)",
		func(p *holder) nn.Module { return nn.NewConv1d(2, 4, 3, p.As("m")) }, inputOf(1, 2, 6),
	},
	{"Conv2d", "nn.Conv2d(2, 4, 3)", func(p *holder) nn.Module { return nn.NewConv2d(2, 4, 3, p.As("m")) }, image},
	{
		"Conv2d/all", "nn.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), dilation=2, groups=2, bias=False, " +
			`padding_mode="reflect")`,
		func(p *holder) nn.Module {
			return nn.NewConv2d(2, 4, []int{3, 2}, nn.Stride(7), nn.Strides{2, 1}, nn.PaddingSame, nn.Paddings{1, 0},
				nn.Dilation(2), nn.Groups(2),
				nn.Bias(false), nn.PaddingModeReflect, p.As("m"))
		}, image,
	},
	{"Conv2d/same", `nn.Conv2d(2, 4, 3, padding="same")`, func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, 3, nn.Padding(3), nn.PaddingSame, nn.Dilations{1, 1}, p.As("m"))
	}, image},
	{"Conv2d/valid", `nn.Conv2d(2, 4, 3, padding="valid", padding_mode="circular")`, func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, 3, nn.PaddingValid, nn.PaddingModeCircular, p.As("m"))
	}, image},
	{
		"Conv3d", "nn.Conv3d(2, 4, 2)",
		func(p *holder) nn.Module { return nn.NewConv3d(2, 4, 2, p.As("m")) }, inputOf(1, 2, 3, 3, 3),
	},
	{"MaxPool2d", "nn.MaxPool2d(2)", func(p *holder) nn.Module { return nn.NewMaxPool2d(2, p.As("m")) }, image},
	{
		"MaxPool2d/all", "nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), ceil_mode=True)",
		func(p *holder) nn.Module {
			return nn.NewMaxPool2d([]int{3, 2}, nn.Strides{2, 1}, nn.Paddings{1, 0}, nn.Dilations{1, 2},
				nn.CeilMode(true), p.As("m"))
		}, image,
	},
	{"AvgPool2d", "nn.AvgPool2d(2)", func(p *holder) nn.Module { return nn.NewAvgPool2d(2, p.As("m")) }, image},
	{
		"AvgPool2d/all",
		"nn.AvgPool2d(2, stride=1, padding=1, ceil_mode=True, count_include_pad=False, divisor_override=3)",
		func(p *holder) nn.Module {
			return nn.NewAvgPool2d(2, nn.Stride(1), nn.Padding(1), nn.CeilMode(true), nn.CountIncludePad(false),
				nn.DivisorOverride(3), p.As("m"))
		}, image,
	},
	{
		"AdaptiveAvgPool2d", "nn.AdaptiveAvgPool2d(1)",
		func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool2d(1, p.As("m")) }, image,
	},
	{
		"AdaptiveAvgPool2d/two", "nn.AdaptiveAvgPool2d((2, 1))",
		func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool2d([]int64{2, 1}, p.As("m")) }, image,
	},
}

var windowElsewhere = map[string]elsewhereFunc{
	"Conv1d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv1d(2, 4, 3, d, t) },
	"Conv2d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv2d(2, 4, 3, d, t) },
	"Conv3d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv3d(2, 4, 2, d, t) },
}
