package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var (
	line   = sized(1, 2, 6)
	volume = sized(1, 2, 4, 4, 4)
)

// unpooled returns values and their positions, for windows of two.
func unpooled(shape ...int64) func() []*torch.Tensor {
	return func() []*torch.Tensor {
		return []*torch.Tensor{torch.Rand(torch.Shape(shape)), torch.Zeros(torch.Shape(shape), torch.Int64)}
	}
}

// placed returns the random positions of windows in n dimensions.
func placed(n int64) nn.FractionalPoolOption {
	return nn.RandomSamples(torch.Full(torch.Shape{1, 2, n}, 0.3))
}

var poolMembers = []member{
	{"ConvTranspose1d", func(p *holder) nn.Module { return nn.NewConvTranspose1d(2, 4, 3, p.As("m")) }, line},
	{"ConvTranspose2d", func(p *holder) nn.Module { return nn.NewConvTranspose2d(2, 4, 3, p.As("m")) }, image},
	{"ConvTranspose2d/all", func(p *holder) nn.Module {
		return nn.NewConvTranspose2d(2, 4, []int{3, 2}, nn.Strides{2, 1}, nn.Paddings{1, 0}, nn.OutputPaddings{1, 0},
			nn.Dilations{1, 2}, nn.Groups(2),
			nn.Bias(false), p.As("m"))
	}, image},
	{"ConvTranspose3d", func(p *holder) nn.Module {
		return nn.NewConvTranspose3d(2, 4, 2, nn.Stride(3), nn.OutputPadding(1), p.As("m"))
	}, volume},
	{"MaxPool1d", func(p *holder) nn.Module { return nn.NewMaxPool1d(2, p.As("m")) }, line},
	{"MaxPool2d/tuples", func(p *holder) nn.Module {
		return nn.NewMaxPool2d([]int{3, 3}, nn.Strides{2, 2}, nn.Paddings{1, 1}, nn.Dilations{1, 1}, p.As("m"))
	}, image},
	{"MaxPool3d", func(p *holder) nn.Module { return nn.NewMaxPool3d(2, nn.Strides{1, 2, 2}, p.As("m")) }, volume},
	{"MaxUnpool1d", func(p *holder) nn.Module { return nn.NewMaxUnpool1d(2, p.As("m")) }, unpooled(1, 2, 3)},
	{"MaxUnpool2d", func(p *holder) nn.Module {
		return nn.NewMaxUnpool2d([]int{3, 2}, nn.Stride(2), nn.Padding(1), p.As("m"))
	}, unpooled(1, 2, 3, 3)},
	{"MaxUnpool3d", func(p *holder) nn.Module { return nn.NewMaxUnpool3d(2, p.As("m")) }, unpooled(1, 2, 2, 2, 2)},
	{"AvgPool1d", func(p *holder) nn.Module {
		return nn.NewAvgPool1d(2, nn.Padding(1), nn.CeilMode(true), nn.CountIncludePad(false), p.As("m"))
	}, line},
	{"AvgPool3d", func(p *holder) nn.Module {
		return nn.NewAvgPool3d(2, nn.Strides{2, 1, 2}, nn.Padding(1), nn.DivisorOverride(3), p.As("m"))
	}, volume},
	{"LPPool1d", func(p *holder) nn.Module { return nn.NewLPPool1d(1.5, 2, p.As("m")) }, line},
	{"LPPool2d", func(p *holder) nn.Module {
		return nn.NewLPPool2d(2, []int{2, 2}, nn.Strides{1, 2}, nn.CeilMode(true), p.As("m"))
	}, image},
	{"LPPool3d", func(p *holder) nn.Module { return nn.NewLPPool3d(3, 2, nn.Stride(1), p.As("m")) }, volume},
	{"FractionalMaxPool2d", func(p *holder) nn.Module {
		return nn.NewFractionalMaxPool2d(2, nn.OutputRatio(0.5), placed(2), p.As("m"))
	}, image},
	{"FractionalMaxPool3d", func(p *holder) nn.Module {
		return nn.NewFractionalMaxPool3d(2, nn.OutputSizes{2, 1, 2}, placed(3), p.As("m"))
	}, volume},
	{"AdaptiveAvgPool1d", func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool1d(3, p.As("m")) }, line},
	{"AdaptiveAvgPool3d", func(p *holder) nn.Module {
		return nn.NewAdaptiveAvgPool3d([]int64{nn.SizeNone, 2, 1}, p.As("m"))
	}, volume},
	{"AdaptiveMaxPool1d", func(p *holder) nn.Module { return nn.NewAdaptiveMaxPool1d(3, p.As("m")) }, line},
	{"AdaptiveMaxPool2d", func(p *holder) nn.Module {
		return nn.NewAdaptiveMaxPool2d([]int{3, nn.SizeNone}, p.As("m"))
	}, image},
	{"AdaptiveMaxPool3d", func(p *holder) nn.Module { return nn.NewAdaptiveMaxPool3d(2, p.As("m")) }, volume},
}

var poolElsewhere = map[string]elsewhereFunc{
	"ConvTranspose1d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConvTranspose1d(2, 4, 3, d, t) },
	"ConvTranspose2d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConvTranspose2d(2, 4, 3, d, t) },
	"ConvTranspose3d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConvTranspose3d(2, 4, 2, d, t) },
}
