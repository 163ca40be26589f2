package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var normMembers = []member{
	{"BatchNorm1d", func(p *holder) nn.Module { return nn.NewBatchNorm1d(2, p.As("m")) }, sized(4, 2)},
	{"BatchNorm2d", func(p *holder) nn.Module { return nn.NewBatchNorm2d(2, p.As("m")) }, image},
	{"BatchNorm2d/all", func(p *holder) nn.Module {
		return nn.NewBatchNorm2d(2, nn.Eps(0.001), nn.MomentumNone, nn.Affine(false), p.As("m"))
	}, image},
	{"BatchNorm2d/untracked", func(p *holder) nn.Module {
		return nn.NewBatchNorm2d(2, nn.MomentumNone, nn.Momentum(0), nn.TrackRunningStats(false), p.As("m"))
	}, image},
	{"BatchNorm3d", func(p *holder) nn.Module { return nn.NewBatchNorm3d(2, p.As("m")) }, sized(1, 2, 3, 2, 2)},
	{"InstanceNorm1d", func(p *holder) nn.Module { return nn.NewInstanceNorm1d(2, p.As("m")) }, sized(3, 2, 4)},
	{"InstanceNorm2d", func(p *holder) nn.Module { return nn.NewInstanceNorm2d(2, p.As("m")) }, image},
	{"InstanceNorm2d/all", func(p *holder) nn.Module {
		return nn.NewInstanceNorm2d(2, nn.Eps(0.001), nn.MomentumNone, nn.Affine(true), nn.TrackRunningStats(true),
			p.As("m"))
	}, image},
	{"InstanceNorm3d", func(p *holder) nn.Module { return nn.NewInstanceNorm3d(2, p.As("m")) }, sized(2, 3, 2, 2)},
	{"LocalResponseNorm", func(p *holder) nn.Module { return nn.NewLocalResponseNorm(2, p.As("m")) }, image},
	{"LocalResponseNorm/all", func(p *holder) nn.Module {
		return nn.NewLocalResponseNorm(3, nn.Alpha(0.5), nn.Beta(1), nn.K(2), p.As("m"))
	}, sized(2, 4, 3)},
	{"CrossMapLRN2d", func(p *holder) nn.Module { return nn.NewCrossMapLRN2d(2, p.As("m")) }, image},
	{"CrossMapLRN2d/all", func(p *holder) nn.Module {
		return nn.NewCrossMapLRN2d(3, nn.Alpha(0.5), nn.Beta(1), nn.K(2), p.As("m"))
	}, image},
	{"LayerNorm", func(p *holder) nn.Module { return nn.NewLayerNorm(torch.Shape{3}, p.As("m")) }, row},
	{"LayerNorm/nobias", func(p *holder) nn.Module {
		return nn.NewLayerNorm(torch.Shape{4, 3}, nn.Eps(1e-6), nn.Bias(false), p.As("m"))
	}, row},
	{"LayerNorm/plain", func(p *holder) nn.Module {
		return nn.NewLayerNorm(torch.Shape{3}, nn.ElementwiseAffine(false), p.As("m"))
	}, row},
	{"RMSNorm", func(p *holder) nn.Module { return nn.NewRMSNorm(torch.Shape{3}, p.As("m")) }, row},
	{"RMSNorm/all", func(p *holder) nn.Module {
		return nn.NewRMSNorm(torch.Shape{3}, nn.Eps(0), nn.ElementwiseAffine(false), p.As("m"))
	}, row},
	{"GroupNorm", func(p *holder) nn.Module { return nn.NewGroupNorm(2, 4, p.As("m")) }, sized(2, 4, 3)},
	{"GroupNorm/all", func(p *holder) nn.Module {
		return nn.NewGroupNorm(2, 4, nn.Eps(1e5), nn.Affine(false), p.As("m"))
	}, sized(2, 4, 3)},
}

var normElsewhere = map[string]elsewhereFunc{
	"BatchNorm1d":    func(d nn.Device, t nn.DType) nn.Module { return nn.NewBatchNorm1d(2, d, t) },
	"BatchNorm2d":    func(d nn.Device, t nn.DType) nn.Module { return nn.NewBatchNorm2d(2, d, t) },
	"BatchNorm3d":    func(d nn.Device, t nn.DType) nn.Module { return nn.NewBatchNorm3d(2, d, t) },
	"InstanceNorm2d": func(d nn.Device, t nn.DType) nn.Module { return nn.NewInstanceNorm2d(2, nn.Affine(true), d, t) },
	"LayerNorm":      func(d nn.Device, t nn.DType) nn.Module { return nn.NewLayerNorm(torch.Shape{3}, d, t) },
	"RMSNorm":        func(d nn.Device, t nn.DType) nn.Module { return nn.NewRMSNorm(torch.Shape{3}, d, t) },
	"GroupNorm":      func(d nn.Device, t nn.DType) nn.Module { return nn.NewGroupNorm(2, 4, d, t) },
}
