package nn_test

import (
	"github.com/gotorch/gotorch/nn"
)

var linearMembers = []member{
	{"Linear", "nn.Linear(3, 2)", func(p *holder) nn.Module { return nn.NewLinear(3, 2, p.As("m")) }, row},
	{
		"Linear/nobias", "nn.Linear(3, 2, bias=False)",
		func(p *holder) nn.Module { return nn.NewLinear(3, 2, nn.Bias(true), nn.Bias(false), p.As("m")) }, row,
	},
	{
		"Bilinear", "nn.Bilinear(3, 3, 2)",
		func(p *holder) nn.Module { return nn.NewBilinear(3, 3, 2, p.As("m")) }, pair,
	},
	{
		"Bilinear/nobias", "nn.Bilinear(3, 3, 2, bias=False)",
		func(p *holder) nn.Module { return nn.NewBilinear(3, 3, 2, nn.Bias(false), p.As("m")) }, pair,
	},
	{
		"CosineSimilarity", "nn.CosineSimilarity()",
		func(p *holder) nn.Module { return nn.NewCosineSimilarity(p.As("m")) }, pair,
	},
	{
		"CosineSimilarity/all", "nn.CosineSimilarity(dim=0, eps=0.1)",
		func(p *holder) nn.Module { return nn.NewCosineSimilarity(nn.Dim(0), nn.Eps(0.1), p.As("m")) }, pair,
	},
	{
		"PairwiseDistance", "nn.PairwiseDistance()",
		func(p *holder) nn.Module { return nn.NewPairwiseDistance(p.As("m")) }, pair,
	},
	{"PairwiseDistance/all", "nn.PairwiseDistance(p=1.0, eps=0.1, keepdim=True)", func(p *holder) nn.Module {
		return nn.NewPairwiseDistance(nn.P(1), nn.Eps(0.1), nn.KeepDim(true), p.As("m"))
	}, pair},
}

var linearElsewhere = map[string]elsewhereFunc{
	"Bilinear": func(d nn.Device, t nn.DType) nn.Module { return nn.NewBilinear(3, 3, 2, d, t) },
	"Linear":   func(d nn.Device, t nn.DType) nn.Module { return nn.NewLinear(3, 2, d, t) },
}

var shapeMembers = []member{
	{"Identity", "nn.Identity()", func(p *holder) nn.Module { return nn.NewIdentity(p.As("m")) }, row},
	{"Flatten", "nn.Flatten()", func(p *holder) nn.Module { return nn.NewFlatten(p.As("m")) }, image},
	{
		"Flatten/dims", "nn.Flatten(0, 1)",
		func(p *holder) nn.Module { return nn.NewFlatten(nn.StartDim(0), nn.EndDim(1), p.As("m")) }, image,
	},
}
