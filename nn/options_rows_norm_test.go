package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// normRows returns the rows of the option table for normalizations.
func normRows(p *holder) map[string]optiontest.Row {
	batched := joinPairs(places(),
		values(nn.Eps(0.5), nn.Eps(2)),
		values(nn.Momentum(0), nn.Momentum(0.5)),
		values(nn.MomentumNone, nn.Momentum(0.1)),
		values(nn.Affine(false), nn.Affine(true)),
		values(nn.TrackRunningStats(false), nn.TrackRunningStats(true)),
	)
	batch := func(in func() []*torch.Tensor, make func(opts ...nn.BatchNormOption) nn.Module) optiontest.Row {
		return rowOf(p, in, make, batched...)
	}
	// Momentum has an effect with running statistics, and Device with weights.
	tracked := []nn.InstanceNormOption{nn.TrackRunningStats(true), nn.Affine(true)}
	instance := func(in func() []*torch.Tensor, make func(opts ...nn.InstanceNormOption) nn.Module) optiontest.Row {
		return rowOf(p, in, func(opts ...nn.InstanceNormOption) nn.Module {
			return make(prepend(tracked, opts)...)
		}, batched...)
	}
	responds := func(make func(opts ...nn.LocalResponseNormOption) nn.Module) optiontest.Row {
		return rowOf(p, image, make, values(nn.Alpha(0.5), nn.Alpha(1)), values(nn.Beta(1), nn.Beta(0)),
			values(nn.K(2), nn.K(0.5)))
	}
	return map[string]optiontest.Row{
		"NewBatchNorm1d": batch(inputOf(4, 2), func(opts ...nn.BatchNormOption) nn.Module {
			return nn.NewBatchNorm1d(2, opts...)
		}),
		"NewBatchNorm2d": batch(inputOf(2, 2, 3, 3), func(opts ...nn.BatchNormOption) nn.Module {
			return nn.NewBatchNorm2d(2, opts...)
		}),
		"NewBatchNorm3d": batch(inputOf(2, 2, 3, 3, 2), func(opts ...nn.BatchNormOption) nn.Module {
			return nn.NewBatchNorm3d(2, opts...)
		}),
		"NewInstanceNorm1d": instance(inputOf(2, 2, 4), func(opts ...nn.InstanceNormOption) nn.Module {
			return nn.NewInstanceNorm1d(2, opts...)
		}),
		"NewInstanceNorm2d": instance(inputOf(2, 2, 3, 3), func(opts ...nn.InstanceNormOption) nn.Module {
			return nn.NewInstanceNorm2d(2, opts...)
		}),
		"NewInstanceNorm3d": instance(inputOf(2, 3, 3, 2), func(opts ...nn.InstanceNormOption) nn.Module {
			return nn.NewInstanceNorm3d(2, opts...)
		}),
		"NewLocalResponseNorm": responds(func(opts ...nn.LocalResponseNormOption) nn.Module {
			return nn.NewLocalResponseNorm(2, opts...)
		}),
		"NewCrossMapLRN2d": responds(func(opts ...nn.LocalResponseNormOption) nn.Module {
			return nn.NewCrossMapLRN2d(2, opts...)
		}),
		"NewLayerNorm": rowOf(p, row, func(opts ...nn.LayerNormOption) nn.Module {
			return nn.NewLayerNorm(torch.Shape{3}, opts...)
		},
			joinPairs(places(),
				values(nn.Eps(0.5), nn.Eps(0)),
				values(nn.ElementwiseAffine(false), nn.ElementwiseAffine(true)),
				values(nn.Bias(false), nn.Bias(true)).Hides(printed, notInRepr),
			)...),
		"NewRMSNorm": rowOf(p, row, func(opts ...nn.RMSNormOption) nn.Module {
			return nn.NewRMSNorm(torch.Shape{3}, opts...)
		},
			joinPairs(places(),
				values(nn.Eps(0.5), nn.Eps(0)),
				values(nn.ElementwiseAffine(false), nn.ElementwiseAffine(true)),
			)...),
		"NewGroupNorm": rowOf(p, inputOf(2, 4, 3), func(opts ...nn.GroupNormOption) nn.Module {
			return nn.NewGroupNorm(2, 4, opts...)
		},
			joinPairs(places(),
				values(nn.Eps(0.5), nn.Eps(0)),
				values(nn.Affine(false), nn.Affine(true)),
			)...),
	}
}
