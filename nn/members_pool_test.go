package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var (
	line   = inputOf(1, 2, 6)
	volume = inputOf(1, 2, 4, 4, 4)
)

// unpooled returns a function that makes inputs of an unpooling layer with the given
// shape: random values, and indices of 0.
func unpooled(shape ...int64) func() []*torch.Tensor {
	return func() []*torch.Tensor {
		return []*torch.Tensor{torch.Rand(torch.Shape(shape)), torch.Zeros(torch.Shape(shape), torch.Int64)}
	}
}

// placed returns fixed RandomSamples for n dimensions.
func placed(n int64) nn.FractionalPoolOption {
	return nn.RandomSamples(torch.Full(torch.Shape{1, 2, n}, 0.3))
}

var poolMembers = []member{
	{
		"ConvTranspose1d", "nn.ConvTranspose1d(2, 4, 3)",
		func(p *holder) nn.Module { return nn.NewConvTranspose1d(2, 4, 3, p.As("m")) }, line,
	},
	{
		"ConvTranspose2d", "nn.ConvTranspose2d(2, 4, 3)",
		func(p *holder) nn.Module { return nn.NewConvTranspose2d(2, 4, 3, p.As("m")) }, image,
	},
	{
		"ConvTranspose2d/all", "nn.ConvTranspose2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), " +
			"output_padding=(1, 0), dilation=(1, 2), groups=2, bias=False)",
		func(p *holder) nn.Module {
			return nn.NewConvTranspose2d(2, 4, []int{3, 2}, nn.Strides{2, 1}, nn.Paddings{1, 0},
				nn.OutputPaddings{1, 0}, nn.Dilations{1, 2}, nn.Groups(2),
				nn.Bias(false), p.As("m"))
		}, image,
	},
	{"ConvTranspose3d", "nn.ConvTranspose3d(2, 4, 2, stride=3, output_padding=1)", func(p *holder) nn.Module {
		return nn.NewConvTranspose3d(2, 4, 2, nn.Stride(3), nn.OutputPadding(1), p.As("m"))
	}, volume},
	{"MaxPool1d", "nn.MaxPool1d(2)", func(p *holder) nn.Module { return nn.NewMaxPool1d(2, p.As("m")) }, line},
	{"MaxPool2d/tuples", "nn.MaxPool2d((3, 3), (2, 2), (1, 1), (1, 1))", func(p *holder) nn.Module {
		return nn.NewMaxPool2d([]int{3, 3}, nn.Strides{2, 2}, nn.Paddings{1, 1}, nn.Dilations{1, 1}, p.As("m"))
	}, image},
	{
		"MaxPool3d", "nn.MaxPool3d(2, (1, 2, 2))",
		func(p *holder) nn.Module { return nn.NewMaxPool3d(2, nn.Strides{1, 2, 2}, p.As("m")) }, volume,
	},
	{
		"MaxUnpool1d", "nn.MaxUnpool1d(2)",
		func(p *holder) nn.Module { return nn.NewMaxUnpool1d(2, p.As("m")) }, unpooled(1, 2, 3),
	},
	{"MaxUnpool2d", "nn.MaxUnpool2d((3, 2), stride=2, padding=1)", func(p *holder) nn.Module {
		return nn.NewMaxUnpool2d([]int{3, 2}, nn.Stride(2), nn.Padding(1), p.As("m"))
	}, unpooled(1, 2, 3, 3)},
	{
		"MaxUnpool3d", "nn.MaxUnpool3d(2)",
		func(p *holder) nn.Module { return nn.NewMaxUnpool3d(2, p.As("m")) }, unpooled(1, 2, 2, 2, 2),
	},
	{"AvgPool1d", "nn.AvgPool1d(2, padding=1, ceil_mode=True, count_include_pad=False)", func(p *holder) nn.Module {
		return nn.NewAvgPool1d(2, nn.Padding(1), nn.CeilMode(true), nn.CountIncludePad(false), p.As("m"))
	}, line},
	{"AvgPool3d", "nn.AvgPool3d(2, stride=(2, 1, 2), padding=1, divisor_override=3)", func(p *holder) nn.Module {
		return nn.NewAvgPool3d(2, nn.Strides{2, 1, 2}, nn.Padding(1), nn.DivisorOverride(3), p.As("m"))
	}, volume},
	{"LPPool1d", "nn.LPPool1d(1.5, 2)", func(p *holder) nn.Module { return nn.NewLPPool1d(1.5, 2, p.As("m")) }, line},
	{"LPPool2d", "nn.LPPool2d(2, (2, 2), stride=(1, 2), ceil_mode=True)", func(p *holder) nn.Module {
		return nn.NewLPPool2d(2, []int{2, 2}, nn.Strides{1, 2}, nn.CeilMode(true), p.As("m"))
	}, image},
	{
		"LPPool3d", "nn.LPPool3d(3, 2, stride=1)",
		func(p *holder) nn.Module { return nn.NewLPPool3d(3, 2, nn.Stride(1), p.As("m")) }, volume,
	},
	{
		"FractionalMaxPool2d", "nn.FractionalMaxPool2d(2, output_ratio=0.5, _random_samples=torch.rand(1, 2, 2))",
		func(p *holder) nn.Module {
			return nn.NewFractionalMaxPool2d(2, nn.OutputRatio(0.5), placed(2), p.As("m"))
		}, image,
	},
	{
		"FractionalMaxPool3d", "nn.FractionalMaxPool3d(2, output_size=(2, 1, 2), _random_samples=torch.rand(1, 2, 3))",
		func(p *holder) nn.Module {
			return nn.NewFractionalMaxPool3d(2, nn.OutputSizes{2, 1, 2}, placed(3), p.As("m"))
		}, volume,
	},
	{
		"AdaptiveAvgPool1d", "nn.AdaptiveAvgPool1d(3)",
		func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool1d(3, p.As("m")) }, line,
	},
	{
		"AdaptiveAvgPool3d", "nn.AdaptiveAvgPool3d((None, 2, 1))",
		func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool3d([]int64{nn.SizeNone, 2, 1}, p.As("m")) }, volume,
	},
	{
		"AdaptiveMaxPool1d", "nn.AdaptiveMaxPool1d(3)",
		func(p *holder) nn.Module { return nn.NewAdaptiveMaxPool1d(3, p.As("m")) }, line,
	},
	{
		"AdaptiveMaxPool2d", "nn.AdaptiveMaxPool2d((3, None))",
		func(p *holder) nn.Module { return nn.NewAdaptiveMaxPool2d([]int{3, nn.SizeNone}, p.As("m")) }, image,
	},
	{
		"AdaptiveMaxPool3d", "nn.AdaptiveMaxPool3d(2)",
		func(p *holder) nn.Module { return nn.NewAdaptiveMaxPool3d(2, p.As("m")) }, volume,
	},
}

var poolElsewhere = map[string]elsewhereFunc{
	"ConvTranspose1d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConvTranspose1d(2, 4, 3, d, t) },
	"ConvTranspose2d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConvTranspose2d(2, 4, 3, d, t) },
	"ConvTranspose3d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewConvTranspose3d(2, 4, 2, d, t) },
}
