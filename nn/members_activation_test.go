package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var activationMembers = []member{
	{"ReLU", "nn.ReLU()", func(p *holder) nn.Module { return nn.NewReLU(p.As("m")) }, row},
	{
		"ReLU/inplace", "nn.ReLU(inplace=True)",
		func(p *holder) nn.Module { return nn.NewReLU(nn.Inplace(true), p.As("m")) }, row,
	},
	{"ReLU6", "nn.ReLU6()", func(p *holder) nn.Module { return nn.NewReLU6(p.As("m")) }, row},
	{
		"ReLU6/inplace", "nn.ReLU6(inplace=True)",
		func(p *holder) nn.Module { return nn.NewReLU6(nn.Inplace(true), p.As("m")) }, row,
	},
	{"SELU", "nn.SELU()", func(p *holder) nn.Module { return nn.NewSELU(p.As("m")) }, row},
	{
		"SELU/inplace", "nn.SELU(inplace=True)",
		func(p *holder) nn.Module { return nn.NewSELU(nn.Inplace(true), p.As("m")) }, row,
	},
	{"SiLU", "nn.SiLU()", func(p *holder) nn.Module { return nn.NewSiLU(p.As("m")) }, row},
	{
		"SiLU/inplace", "nn.SiLU(inplace=True)",
		func(p *holder) nn.Module { return nn.NewSiLU(nn.Inplace(true), p.As("m")) }, row,
	},
	{"Mish", "nn.Mish()", func(p *holder) nn.Module { return nn.NewMish(p.As("m")) }, row},
	{
		"Mish/inplace", "nn.Mish(inplace=True)",
		func(p *holder) nn.Module { return nn.NewMish(nn.Inplace(true), p.As("m")) }, row,
	},
	{"Hardswish", "nn.Hardswish()", func(p *holder) nn.Module { return nn.NewHardswish(p.As("m")) }, row},
	{
		"Hardswish/inplace", "nn.Hardswish(inplace=True)",
		func(p *holder) nn.Module { return nn.NewHardswish(nn.Inplace(true), p.As("m")) }, row,
	},
	{"Hardsigmoid", "nn.Hardsigmoid()", func(p *holder) nn.Module { return nn.NewHardsigmoid(p.As("m")) }, row},
	{
		"Hardsigmoid/inplace", "nn.Hardsigmoid(inplace=True)",
		func(p *holder) nn.Module { return nn.NewHardsigmoid(nn.Inplace(true), p.As("m")) }, row,
	},
	{"Sigmoid", "nn.Sigmoid()", func(p *holder) nn.Module { return nn.NewSigmoid(p.As("m")) }, row},
	{"LogSigmoid", "nn.LogSigmoid()", func(p *holder) nn.Module { return nn.NewLogSigmoid(p.As("m")) }, row},
	{"Tanh", "nn.Tanh()", func(p *holder) nn.Module { return nn.NewTanh(p.As("m")) }, row},
	{"Tanhshrink", "nn.Tanhshrink()", func(p *holder) nn.Module { return nn.NewTanhshrink(p.As("m")) }, row},
	{"Softsign", "nn.Softsign()", func(p *holder) nn.Module { return nn.NewSoftsign(p.As("m")) }, row},
	{"GELU", "nn.GELU()", func(p *holder) nn.Module { return nn.NewGELU(p.As("m")) }, row},
	{
		"GELU/tanh", `nn.GELU(approximate="tanh")`,
		func(p *holder) nn.Module { return nn.NewGELU(nn.ApproximateTanh, p.As("m")) }, row,
	},
	{"LeakyReLU", "nn.LeakyReLU()", func(p *holder) nn.Module { return nn.NewLeakyReLU(0.01, p.As("m")) }, row},
	{
		"LeakyReLU/slope", "nn.LeakyReLU(2.0, inplace=True)",
		func(p *holder) nn.Module { return nn.NewLeakyReLU(2, nn.Inplace(true), p.As("m")) }, row,
	},
	{"ELU", "nn.ELU()", func(p *holder) nn.Module { return nn.NewELU(p.As("m")) }, row},
	{
		"ELU/all", "nn.ELU(0.5, inplace=True)",
		func(p *holder) nn.Module { return nn.NewELU(nn.Alpha(0.5), nn.Inplace(true), p.As("m")) }, row,
	},
	{"CELU", "nn.CELU()", func(p *holder) nn.Module { return nn.NewCELU(p.As("m")) }, row},
	{
		"CELU/all", "nn.CELU(0.5, inplace=True)",
		func(p *holder) nn.Module { return nn.NewCELU(nn.Alpha(0.5), nn.Inplace(true), p.As("m")) }, row,
	},
	{"RReLU", "nn.RReLU()", func(p *holder) nn.Module { return nn.NewRReLU(p.As("m")) }, row},
	{"RReLU/all", "nn.RReLU(0.25, 0.5, inplace=True)", func(p *holder) nn.Module {
		return nn.NewRReLU(nn.Lower(0.25), nn.Upper(0.5), nn.Inplace(true), p.As("m"))
	}, row},
	{"Hardtanh", "nn.Hardtanh()", func(p *holder) nn.Module { return nn.NewHardtanh(p.As("m")) }, row},
	{"Hardtanh/all", "nn.Hardtanh(-2.0, 0.5, inplace=True)", func(p *holder) nn.Module {
		return nn.NewHardtanh(nn.MinVal(-2), nn.MaxVal(0.5), nn.Inplace(true), p.As("m"))
	}, row},
	{"Softplus", "nn.Softplus()", func(p *holder) nn.Module { return nn.NewSoftplus(p.As("m")) }, row},
	{
		"Softplus/all", "nn.Softplus(2.0, 1.0)",
		func(p *holder) nn.Module { return nn.NewSoftplus(nn.Beta(2), nn.WithThreshold(1), p.As("m")) }, row,
	},
	{"Hardshrink", "nn.Hardshrink()", func(p *holder) nn.Module { return nn.NewHardshrink(p.As("m")) }, row},
	{
		"Hardshrink/lambd", "nn.Hardshrink(0.1)",
		func(p *holder) nn.Module { return nn.NewHardshrink(nn.Lambd(0.1), p.As("m")) }, row,
	},
	{"Softshrink", "nn.Softshrink()", func(p *holder) nn.Module { return nn.NewSoftshrink(p.As("m")) }, row},
	{
		"Softshrink/lambd", "nn.Softshrink(0.1)",
		func(p *holder) nn.Module { return nn.NewSoftshrink(nn.Lambd(0.1), p.As("m")) }, row,
	},
	{
		"Threshold", "nn.Threshold(0.1, 20.0)",
		func(p *holder) nn.Module { return nn.NewThreshold(0.1, 20, p.As("m")) }, row,
	},
	{
		"Threshold/inplace", "nn.Threshold(0.1, 20.0, inplace=True)",
		func(p *holder) nn.Module { return nn.NewThreshold(0.1, 20, nn.Inplace(true), p.As("m")) }, row,
	},
	{"GLU", "nn.GLU()", func(p *holder) nn.Module { return nn.NewGLU(p.As("m")) }, inputOf(4, 6)},
	{"GLU/dim", "nn.GLU(0)", func(p *holder) nn.Module { return nn.NewGLU(nn.Dim(0), p.As("m")) }, row},
	{"PReLU", "nn.PReLU()", func(p *holder) nn.Module { return nn.NewPReLU(p.As("m")) }, row},
	{
		"PReLU/all", "nn.PReLU(3, 0.5)",
		func(p *holder) nn.Module { return nn.NewPReLU(nn.NumParameters(3), nn.Init(0.5), p.As("m")) }, row,
	},
}

var activationElsewhere = map[string]elsewhereFunc{
	"PReLU": func(d nn.Device, t nn.DType) nn.Module { return nn.NewPReLU(d, t) },
}

var dropoutMembers = []member{
	{"Dropout", "nn.Dropout()", func(p *holder) nn.Module { return nn.NewDropout(0.5, p.As("m")) }, row},
	{"Dropout/zero", "nn.Dropout(0.0)", func(p *holder) nn.Module { return nn.NewDropout(0, p.As("m")) }, row},
	{
		"Dropout/inplace", "nn.Dropout(inplace=True)",
		func(p *holder) nn.Module { return nn.NewDropout(0.5, nn.Inplace(true), p.As("m")) }, row,
	},
	{
		"Dropout1d", "nn.Dropout1d()",
		func(p *holder) nn.Module { return nn.NewDropout1d(0.5, p.As("m")) }, inputOf(4, 3),
	},
	{
		"Dropout1d/inplace", "nn.Dropout1d(inplace=True)",
		func(p *holder) nn.Module { return nn.NewDropout1d(0.5, nn.Inplace(true), p.As("m")) }, inputOf(4, 3),
	},
	{"Dropout2d", "nn.Dropout2d(0.25)", func(p *holder) nn.Module { return nn.NewDropout2d(0.25, p.As("m")) }, image},
	{
		"Dropout2d/inplace", "nn.Dropout2d(inplace=True)",
		func(p *holder) nn.Module { return nn.NewDropout2d(0.5, nn.Inplace(true), p.As("m")) }, image,
	},
	{
		"Dropout3d", "nn.Dropout3d()",
		func(p *holder) nn.Module { return nn.NewDropout3d(0.5, p.As("m")) }, inputOf(2, 3, 2, 2),
	},
	{
		"Dropout3d/inplace", "nn.Dropout3d(inplace=True)",
		func(p *holder) nn.Module { return nn.NewDropout3d(0.5, nn.Inplace(true), p.As("m")) }, inputOf(1, 2, 3, 2, 2),
	},
	{
		"AlphaDropout", "nn.AlphaDropout(0.25)",
		func(p *holder) nn.Module { return nn.NewAlphaDropout(0.25, p.As("m")) }, row,
	},
	{
		"FeatureAlphaDropout", "nn.FeatureAlphaDropout()",
		func(p *holder) nn.Module { return nn.NewFeatureAlphaDropout(0.5, p.As("m")) }, image,
	},
}
