package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var activationMembers = []member{
	{"ReLU", func(p *holder) nn.Module { return nn.NewReLU(p.As("m")) }, row},
	{"GELU", func(p *holder) nn.Module { return nn.NewGELU(p.As("m")) }, row},
	{"GELU/tanh", func(p *holder) nn.Module { return nn.NewGELU(nn.ApproximateTanh, p.As("m")) }, row},
	{"Sigmoid", func(p *holder) nn.Module { return nn.NewSigmoid(p.As("m")) }, row},
	{"Tanh", func(p *holder) nn.Module { return nn.NewTanh(p.As("m")) }, row},
	{"SiLU", func(p *holder) nn.Module { return nn.NewSiLU(p.As("m")) }, row},
	{"LeakyReLU", func(p *holder) nn.Module { return nn.NewLeakyReLU(p.As("m")) }, row},
	{"LeakyReLU/slope", func(p *holder) nn.Module { return nn.NewLeakyReLU(nn.NegativeSlope(2), p.As("m")) }, row},
	{"Softmax", func(p *holder) nn.Module { return nn.NewSoftmax(1, p.As("m")) }, row},
	{"LogSoftmax", func(p *holder) nn.Module { return nn.NewLogSoftmax(-1, p.As("m")) }, row},
}

var dropoutMembers = []member{
	{"Dropout", func(p *holder) nn.Module { return nn.NewDropout(p.As("m")) }, row},
	{"Dropout/zero", func(p *holder) nn.Module { return nn.NewDropout(nn.P(0), p.As("m")) }, row},
	{"Dropout2d", func(p *holder) nn.Module { return nn.NewDropout2d(nn.P(0.25), p.As("m")) }, image},
}
