package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var lossMembers = []member{
	{
		"CrossEntropyLoss", "nn.CrossEntropyLoss(ignore_index=-1)",
		func(p *holder) nn.Module { return nn.NewCrossEntropyLoss(nn.IgnoreIndex(-1), p.As("m")) }, classes,
	},
	{
		"CrossEntropyLoss/all",
		`nn.CrossEntropyLoss(weight=torch.ones(3), ignore_index=0, label_smoothing=0.1, reduction="sum")`,
		func(p *holder) nn.Module {
			return nn.NewCrossEntropyLoss(nn.Weight(torch.Ones(torch.Shape{3})), nn.IgnoreIndex(0),
				nn.LabelSmoothing(0.1), nn.ReductionSum, p.As("m"))
		}, classes,
	},
	{
		"NLLLoss", "nn.NLLLoss(ignore_index=-1)",
		func(p *holder) nn.Module { return nn.NewNLLLoss(nn.IgnoreIndex(-1), p.As("m")) }, classes,
	},
	{
		"MSELoss", "nn.MSELoss()",
		func(p *holder) nn.Module { return nn.NewMSELoss(nn.ReductionNone, nn.ReductionMean, p.As("m")) }, pair,
	},
	{"L1Loss", "nn.L1Loss()", func(p *holder) nn.Module { return nn.NewL1Loss(p.As("m")) }, pair},
	{
		"SmoothL1Loss", "nn.SmoothL1Loss(beta=0)",
		func(p *holder) nn.Module { return nn.NewSmoothL1Loss(nn.Beta(0), p.As("m")) }, pair,
	},
	{
		"HuberLoss", "nn.HuberLoss(delta=0.125)",
		func(p *holder) nn.Module { return nn.NewHuberLoss(nn.Delta(0.125), p.As("m")) }, pair,
	},
	{"BCELoss", "nn.BCELoss()", func(p *holder) nn.Module { return nn.NewBCELoss(p.As("m")) }, pair},
	{"BCEWithLogitsLoss", "nn.BCEWithLogitsLoss(pos_weight=torch.ones(3))", func(p *holder) nn.Module {
		return nn.NewBCEWithLogitsLoss(nn.PosWeight(torch.Ones(torch.Shape{3})), p.As("m"))
	}, pair},
	{"KLDivLoss", `nn.KLDivLoss(log_target=True, reduction="batchmean")`, func(p *holder) nn.Module {
		return nn.NewKLDivLoss(nn.LogTarget(true), nn.ReductionBatchMean, p.As("m"))
	}, pair},
}
