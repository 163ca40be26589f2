package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var linearMembers = []member{
	{"Linear", func(p *holder) nn.Module { return nn.NewLinear(3, 2, p.As("m")) }, row},
	{"Linear/nobias", func(p *holder) nn.Module {
		return nn.NewLinear(3, 2, nn.Bias(true), nn.Bias(false), p.As("m"))
	}, row},
	{"Bilinear", func(p *holder) nn.Module { return nn.NewBilinear(3, 3, 2, p.As("m")) }, pair},
	{"Bilinear/nobias", func(p *holder) nn.Module { return nn.NewBilinear(3, 3, 2, nn.Bias(false), p.As("m")) }, pair},
	{"CosineSimilarity", func(p *holder) nn.Module { return nn.NewCosineSimilarity(p.As("m")) }, pair},
	{"CosineSimilarity/all", func(p *holder) nn.Module {
		return nn.NewCosineSimilarity(nn.Dim(0), nn.Eps(0.1), p.As("m"))
	}, pair},
	{"PairwiseDistance", func(p *holder) nn.Module { return nn.NewPairwiseDistance(p.As("m")) }, pair},
	{"PairwiseDistance/all", func(p *holder) nn.Module {
		return nn.NewPairwiseDistance(nn.P(1), nn.Eps(0.1), nn.KeepDim(true), p.As("m"))
	}, pair},
}

var linearElsewhere = map[string]elsewhereFunc{
	"Bilinear": func(d nn.Device, t nn.DType) nn.Module { return nn.NewBilinear(3, 3, 2, d, t) },
	"Linear":   func(d nn.Device, t nn.DType) nn.Module { return nn.NewLinear(3, 2, d, t) },
}

var shapeMembers = []member{
	{"Identity", func(p *holder) nn.Module { return nn.NewIdentity(p.As("m")) }, row},
	{"Flatten", func(p *holder) nn.Module { return nn.NewFlatten(p.As("m")) }, image},
	{"Flatten/dims", func(p *holder) nn.Module {
		return nn.NewFlatten(nn.StartDim(0), nn.EndDim(1), p.As("m"))
	}, image},
}
