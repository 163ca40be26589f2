package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var windowMembers = []member{
	{"Conv1d", func(p *holder) nn.Module { return nn.NewConv1d(2, 4, 3, p.As("m")) }, sized(1, 2, 6)},
	{"Conv2d", func(p *holder) nn.Module { return nn.NewConv2d(2, 4, 3, p.As("m")) }, image},
	{"Conv2d/all", func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, []int{3, 2}, nn.Stride(7), nn.Strides{2, 1}, nn.PaddingSame, nn.Paddings{1, 0},
			nn.Dilation(2), nn.Groups(2),
			nn.Bias(false), nn.PaddingModeReflect, p.As("m"))
	}, image},
	{"Conv2d/same", func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, 3, nn.Padding(3), nn.PaddingSame, nn.Dilations{1, 1}, p.As("m"))
	}, image},
	{"Conv2d/valid", func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, 3, nn.PaddingValid, nn.PaddingModeCircular, p.As("m"))
	}, image},
	{"Conv3d", func(p *holder) nn.Module { return nn.NewConv3d(2, 4, 2, p.As("m")) }, sized(1, 2, 3, 3, 3)},
	{"MaxPool2d", func(p *holder) nn.Module { return nn.NewMaxPool2d(2, p.As("m")) }, image},
	{"MaxPool2d/all", func(p *holder) nn.Module {
		return nn.NewMaxPool2d([]int{3, 2}, nn.Strides{2, 1}, nn.Paddings{1, 0}, nn.Dilations{1, 2}, nn.CeilMode(true),
			p.As("m"))
	}, image},
	{"AvgPool2d", func(p *holder) nn.Module { return nn.NewAvgPool2d(2, p.As("m")) }, image},
	{"AvgPool2d/all", func(p *holder) nn.Module {
		return nn.NewAvgPool2d(2, nn.Stride(1), nn.Padding(1), nn.CeilMode(true), nn.CountIncludePad(false),
			nn.DivisorOverride(3), p.As("m"))
	}, image},
	{"AdaptiveAvgPool2d", func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool2d(1, p.As("m")) }, image},
	{"AdaptiveAvgPool2d/two", func(p *holder) nn.Module {
		return nn.NewAdaptiveAvgPool2d([]int64{2, 1}, p.As("m"))
	}, image},
}

var windowElsewhere = map[string]elsewhereFunc{
	"Conv1d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv1d(2, 4, 3, d, t) },
	"Conv2d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv2d(2, 4, 3, d, t) },
	"Conv3d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv3d(2, 4, 2, d, t) },
}
