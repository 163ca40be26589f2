package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var activationMembers = []member{
	{"ReLU", func(p *holder) nn.Module { return nn.NewReLU(p.As("m")) }, row},
	{"ReLU/inplace", func(p *holder) nn.Module { return nn.NewReLU(nn.Inplace(true), p.As("m")) }, row},
	{"ReLU6", func(p *holder) nn.Module { return nn.NewReLU6(p.As("m")) }, row},
	{"ReLU6/inplace", func(p *holder) nn.Module { return nn.NewReLU6(nn.Inplace(true), p.As("m")) }, row},
	{"SELU", func(p *holder) nn.Module { return nn.NewSELU(p.As("m")) }, row},
	{"SELU/inplace", func(p *holder) nn.Module { return nn.NewSELU(nn.Inplace(true), p.As("m")) }, row},
	{"SiLU", func(p *holder) nn.Module { return nn.NewSiLU(p.As("m")) }, row},
	{"SiLU/inplace", func(p *holder) nn.Module { return nn.NewSiLU(nn.Inplace(true), p.As("m")) }, row},
	{"Mish", func(p *holder) nn.Module { return nn.NewMish(p.As("m")) }, row},
	{"Mish/inplace", func(p *holder) nn.Module { return nn.NewMish(nn.Inplace(true), p.As("m")) }, row},
	{"Hardswish", func(p *holder) nn.Module { return nn.NewHardswish(p.As("m")) }, row},
	{"Hardswish/inplace", func(p *holder) nn.Module { return nn.NewHardswish(nn.Inplace(true), p.As("m")) }, row},
	{"Hardsigmoid", func(p *holder) nn.Module { return nn.NewHardsigmoid(p.As("m")) }, row},
	{"Hardsigmoid/inplace", func(p *holder) nn.Module { return nn.NewHardsigmoid(nn.Inplace(true), p.As("m")) }, row},
	{"Sigmoid", func(p *holder) nn.Module { return nn.NewSigmoid(p.As("m")) }, row},
	{"LogSigmoid", func(p *holder) nn.Module { return nn.NewLogSigmoid(p.As("m")) }, row},
	{"Tanh", func(p *holder) nn.Module { return nn.NewTanh(p.As("m")) }, row},
	{"Tanhshrink", func(p *holder) nn.Module { return nn.NewTanhshrink(p.As("m")) }, row},
	{"Softsign", func(p *holder) nn.Module { return nn.NewSoftsign(p.As("m")) }, row},
	{"GELU", func(p *holder) nn.Module { return nn.NewGELU(p.As("m")) }, row},
	{"GELU/tanh", func(p *holder) nn.Module { return nn.NewGELU(nn.ApproximateTanh, p.As("m")) }, row},
	{"LeakyReLU", func(p *holder) nn.Module { return nn.NewLeakyReLU(0.01, p.As("m")) }, row},
	{"LeakyReLU/slope", func(p *holder) nn.Module { return nn.NewLeakyReLU(2, nn.Inplace(true), p.As("m")) }, row},
	{"ELU", func(p *holder) nn.Module { return nn.NewELU(p.As("m")) }, row},
	{"ELU/all", func(p *holder) nn.Module { return nn.NewELU(nn.Alpha(0.5), nn.Inplace(true), p.As("m")) }, row},
	{"CELU", func(p *holder) nn.Module { return nn.NewCELU(p.As("m")) }, row},
	{"CELU/all", func(p *holder) nn.Module { return nn.NewCELU(nn.Alpha(0.5), nn.Inplace(true), p.As("m")) }, row},
	{"RReLU", func(p *holder) nn.Module { return nn.NewRReLU(p.As("m")) }, row},
	{"RReLU/all", func(p *holder) nn.Module {
		return nn.NewRReLU(nn.Lower(0.25), nn.Upper(0.5), nn.Inplace(true), p.As("m"))
	}, row},
	{"Hardtanh", func(p *holder) nn.Module { return nn.NewHardtanh(p.As("m")) }, row},
	{"Hardtanh/all", func(p *holder) nn.Module {
		return nn.NewHardtanh(nn.MinVal(-2), nn.MaxVal(0.5), nn.Inplace(true), p.As("m"))
	}, row},
	{"Softplus", func(p *holder) nn.Module { return nn.NewSoftplus(p.As("m")) }, row},
	{"Softplus/all", func(p *holder) nn.Module {
		return nn.NewSoftplus(nn.Beta(2), nn.WithThreshold(1), p.As("m"))
	}, row},
	{"Hardshrink", func(p *holder) nn.Module { return nn.NewHardshrink(p.As("m")) }, row},
	{"Hardshrink/lambd", func(p *holder) nn.Module { return nn.NewHardshrink(nn.Lambd(0.1), p.As("m")) }, row},
	{"Softshrink", func(p *holder) nn.Module { return nn.NewSoftshrink(p.As("m")) }, row},
	{"Softshrink/lambd", func(p *holder) nn.Module { return nn.NewSoftshrink(nn.Lambd(0.1), p.As("m")) }, row},
	{"Threshold", func(p *holder) nn.Module { return nn.NewThreshold(0.1, 20, p.As("m")) }, row},
	{"Threshold/inplace", func(p *holder) nn.Module {
		return nn.NewThreshold(0.1, 20, nn.Inplace(true), p.As("m"))
	}, row},
	{"Softmax", func(p *holder) nn.Module { return nn.NewSoftmax(1, p.As("m")) }, row},
	{"LogSoftmax", func(p *holder) nn.Module { return nn.NewLogSoftmax(-1, p.As("m")) }, row},
	{"Softmin", func(p *holder) nn.Module { return nn.NewSoftmin(1, p.As("m")) }, row},
	{"Softmax2d", func(p *holder) nn.Module { return nn.NewSoftmax2d(p.As("m")) }, image},
	{"GLU", func(p *holder) nn.Module { return nn.NewGLU(p.As("m")) }, sized(4, 6)},
	{"GLU/dim", func(p *holder) nn.Module { return nn.NewGLU(nn.Dim(0), p.As("m")) }, row},
	{"PReLU", func(p *holder) nn.Module { return nn.NewPReLU(p.As("m")) }, row},
	{"PReLU/all", func(p *holder) nn.Module { return nn.NewPReLU(nn.NumParameters(3), nn.Init(0.5), p.As("m")) }, row},
}

var activationElsewhere = map[string]elsewhereFunc{
	"PReLU": func(d nn.Device, t nn.DType) nn.Module { return nn.NewPReLU(d, t) },
}

var dropoutMembers = []member{
	{"Dropout", func(p *holder) nn.Module { return nn.NewDropout(0.5, p.As("m")) }, row},
	{"Dropout/zero", func(p *holder) nn.Module { return nn.NewDropout(0, p.As("m")) }, row},
	{"Dropout/inplace", func(p *holder) nn.Module { return nn.NewDropout(0.5, nn.Inplace(true), p.As("m")) }, row},
	{"Dropout1d", func(p *holder) nn.Module { return nn.NewDropout1d(0.5, p.As("m")) }, sized(4, 3)},
	{"Dropout1d/inplace", func(p *holder) nn.Module {
		return nn.NewDropout1d(0.5, nn.Inplace(true), p.As("m"))
	}, sized(4, 3)},
	{"Dropout2d", func(p *holder) nn.Module { return nn.NewDropout2d(0.25, p.As("m")) }, image},
	{"Dropout2d/inplace", func(p *holder) nn.Module {
		return nn.NewDropout2d(0.5, nn.Inplace(true), p.As("m"))
	}, image},
	{"Dropout3d", func(p *holder) nn.Module { return nn.NewDropout3d(0.5, p.As("m")) }, sized(2, 3, 2, 2)},
	{"Dropout3d/inplace", func(p *holder) nn.Module {
		return nn.NewDropout3d(0.5, nn.Inplace(true), p.As("m"))
	}, sized(1, 2, 3, 2, 2)},
	{"AlphaDropout", func(p *holder) nn.Module { return nn.NewAlphaDropout(0.25, p.As("m")) }, row},
	{"FeatureAlphaDropout", func(p *holder) nn.Module { return nn.NewFeatureAlphaDropout(0.5, p.As("m")) }, image},
}
