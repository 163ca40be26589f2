package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var lossMembers = []member{
	{"CrossEntropyLoss", func(p *holder) nn.Module {
		return nn.NewCrossEntropyLoss(nn.IgnoreIndex(-1), p.As("m"))
	}, classes},
	{"CrossEntropyLoss/all", func(p *holder) nn.Module {
		return nn.NewCrossEntropyLoss(nn.Weight(torch.Ones(torch.Shape{3})), nn.IgnoreIndex(0), nn.LabelSmoothing(0.1),
			nn.ReductionSum, p.As("m"))
	}, classes},
	{"NLLLoss", func(p *holder) nn.Module { return nn.NewNLLLoss(nn.IgnoreIndex(-1), p.As("m")) }, classes},
	{"MSELoss", func(p *holder) nn.Module {
		return nn.NewMSELoss(nn.ReductionNone, nn.ReductionMean, p.As("m"))
	}, pair},
	{"L1Loss", func(p *holder) nn.Module { return nn.NewL1Loss(p.As("m")) }, pair},
	{"SmoothL1Loss", func(p *holder) nn.Module { return nn.NewSmoothL1Loss(nn.Beta(0), p.As("m")) }, pair},
	{"HuberLoss", func(p *holder) nn.Module { return nn.NewHuberLoss(nn.Delta(0.125), p.As("m")) }, pair},
	{"BCELoss", func(p *holder) nn.Module { return nn.NewBCELoss(p.As("m")) }, pair},
	{"BCEWithLogitsLoss", func(p *holder) nn.Module {
		return nn.NewBCEWithLogitsLoss(nn.PosWeight(torch.Ones(torch.Shape{3})), p.As("m"))
	}, pair},
	{"KLDivLoss", func(p *holder) nn.Module {
		return nn.NewKLDivLoss(nn.LogTarget(true), nn.ReductionBatchMean, p.As("m"))
	}, pair},
}
