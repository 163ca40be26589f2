package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var normMembers = []member{
	{
		"BatchNorm1d", "nn.BatchNorm1d(2)",
		func(p *holder) nn.Module { return nn.NewBatchNorm1d(2, p.As("m")) }, inputOf(4, 2),
	},
	{"BatchNorm2d", "nn.BatchNorm2d(2)", func(p *holder) nn.Module { return nn.NewBatchNorm2d(2, p.As("m")) }, image},
	{"BatchNorm2d/all", "nn.BatchNorm2d(2, eps=0.001, momentum=None, affine=False)", func(p *holder) nn.Module {
		return nn.NewBatchNorm2d(2, nn.Eps(0.001), nn.MomentumNone, nn.Affine(false), p.As("m"))
	}, image},
	{
		"BatchNorm2d/untracked", "nn.BatchNorm2d(2, momentum=0.0, track_running_stats=False)",
		func(p *holder) nn.Module {
			return nn.NewBatchNorm2d(2, nn.MomentumNone, nn.Momentum(0), nn.TrackRunningStats(false), p.As("m"))
		}, image,
	},
	{
		"BatchNorm3d", "nn.BatchNorm3d(2)",
		func(p *holder) nn.Module { return nn.NewBatchNorm3d(2, p.As("m")) }, inputOf(1, 2, 3, 2, 2),
	},
	{
		"InstanceNorm1d", "nn.InstanceNorm1d(2)",
		func(p *holder) nn.Module { return nn.NewInstanceNorm1d(2, p.As("m")) }, inputOf(3, 2, 4),
	},
	{
		"InstanceNorm2d", "nn.InstanceNorm2d(2)",
		func(p *holder) nn.Module { return nn.NewInstanceNorm2d(2, p.As("m")) }, image,
	},
	{
		"InstanceNorm2d/all", "nn.InstanceNorm2d(2, eps=0.001, momentum=None, affine=True, track_running_stats=True)",
		func(p *holder) nn.Module {
			return nn.NewInstanceNorm2d(2, nn.Eps(0.001), nn.MomentumNone, nn.Affine(true), nn.TrackRunningStats(true),
				p.As("m"))
		}, image,
	},
	{
		"InstanceNorm3d", "nn.InstanceNorm3d(2)",
		func(p *holder) nn.Module { return nn.NewInstanceNorm3d(2, p.As("m")) }, inputOf(2, 3, 2, 2),
	},
	{
		"LocalResponseNorm", "nn.LocalResponseNorm(2)",
		func(p *holder) nn.Module { return nn.NewLocalResponseNorm(2, p.As("m")) }, image,
	},
	{"LocalResponseNorm/all", "nn.LocalResponseNorm(3, alpha=0.5, beta=1.0, k=2.0)", func(p *holder) nn.Module {
		return nn.NewLocalResponseNorm(3, nn.Alpha(0.5), nn.Beta(1), nn.K(2), p.As("m"))
	}, inputOf(2, 4, 3)},
	{
		"CrossMapLRN2d", "nn.CrossMapLRN2d(2)",
		func(p *holder) nn.Module { return nn.NewCrossMapLRN2d(2, p.As("m")) }, image,
	},
	{"CrossMapLRN2d/all", "nn.CrossMapLRN2d(3, alpha=0.5, beta=1.0, k=2.0)", func(p *holder) nn.Module {
		return nn.NewCrossMapLRN2d(3, nn.Alpha(0.5), nn.Beta(1), nn.K(2), p.As("m"))
	}, image},
	{
		"LayerNorm", "nn.LayerNorm([3])",
		func(p *holder) nn.Module { return nn.NewLayerNorm(torch.Shape{3}, p.As("m")) }, row,
	},
	{"LayerNorm/nobias", "nn.LayerNorm([4, 3], eps=1e-6, bias=False)", func(p *holder) nn.Module {
		return nn.NewLayerNorm(torch.Shape{4, 3}, nn.Eps(1e-6), nn.Bias(false), p.As("m"))
	}, row},
	{"LayerNorm/plain", "nn.LayerNorm([3], elementwise_affine=False)", func(p *holder) nn.Module {
		return nn.NewLayerNorm(torch.Shape{3}, nn.ElementwiseAffine(false), p.As("m"))
	}, row},
	{
		"RMSNorm", "nn.RMSNorm([3])",
		func(p *holder) nn.Module { return nn.NewRMSNorm(torch.Shape{3}, p.As("m")) }, row,
	},
	{"RMSNorm/all", "nn.RMSNorm([3], eps=0.0, elementwise_affine=False)", func(p *holder) nn.Module {
		return nn.NewRMSNorm(torch.Shape{3}, nn.Eps(0), nn.ElementwiseAffine(false), p.As("m"))
	}, row},
	{
		"GroupNorm", "nn.GroupNorm(2, 4)",
		func(p *holder) nn.Module { return nn.NewGroupNorm(2, 4, p.As("m")) }, inputOf(2, 4, 3),
	},
	{"GroupNorm/all", "nn.GroupNorm(2, 4, eps=100000.0, affine=False)", func(p *holder) nn.Module {
		return nn.NewGroupNorm(2, 4, nn.Eps(1e5), nn.Affine(false), p.As("m"))
	}, inputOf(2, 4, 3)},
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
