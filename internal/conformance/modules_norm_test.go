package conformance_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// batchNorm returns the options of a BatchNorm. A momentum of None becomes MomentumNone.
func batchNorm(a *args) []nn.BatchNormOption {
	opts := options[nn.BatchNormOption](a, nn.Eps(0), nn.Momentum(0), nn.Affine(false), nn.TrackRunningStats(false))
	if a.IsNone("momentum") {
		opts = append(opts, nn.MomentumNone)
	}
	return opts
}

func instanceNorm(a *args) []nn.InstanceNormOption {
	opts := options[nn.InstanceNormOption](a, nn.Eps(0), nn.Momentum(0), nn.Affine(false), nn.TrackRunningStats(false))
	if a.IsNone("momentum") {
		opts = append(opts, nn.MomentumNone)
	}
	return opts
}

func response(a *args) []nn.LocalResponseNormOption {
	return options[nn.LocalResponseNormOption](a, nn.Alpha(0), nn.Beta(0), nn.K(0))
}

var _ = modules(map[string]builder{
	"BatchNorm1d": func(a *args) nn.Module { return nn.NewBatchNorm1d(a.Int("num_features"), batchNorm(a)...) },
	"BatchNorm2d": func(a *args) nn.Module { return nn.NewBatchNorm2d(a.Int("num_features"), batchNorm(a)...) },
	"BatchNorm3d": func(a *args) nn.Module { return nn.NewBatchNorm3d(a.Int("num_features"), batchNorm(a)...) },
	"InstanceNorm1d": func(a *args) nn.Module {
		return nn.NewInstanceNorm1d(a.Int("num_features"), instanceNorm(a)...)
	},
	"InstanceNorm2d": func(a *args) nn.Module {
		return nn.NewInstanceNorm2d(a.Int("num_features"), instanceNorm(a)...)
	},
	"InstanceNorm3d": func(a *args) nn.Module {
		return nn.NewInstanceNorm3d(a.Int("num_features"), instanceNorm(a)...)
	},
	"GroupNorm": func(a *args) nn.Module {
		return nn.NewGroupNorm(a.Int("num_groups"), a.Int("num_channels"),
			options[nn.GroupNormOption](a, nn.Eps(0), nn.Affine(false))...)
	},
	"LayerNorm": func(a *args) nn.Module {
		return nn.NewLayerNorm(torch.Shape(a.Ints("normalized_shape")),
			options[nn.LayerNormOption](a, nn.Eps(0), nn.ElementwiseAffine(false), nn.Bias(false))...)
	},
	"RMSNorm": func(a *args) nn.Module {
		return nn.NewRMSNorm(torch.Shape(a.Ints("normalized_shape")),
			options[nn.RMSNormOption](a, nn.Eps(0), nn.ElementwiseAffine(false))...)
	},
	"LocalResponseNorm": func(a *args) nn.Module { return nn.NewLocalResponseNorm(a.Int("size"), response(a)...) },
	"CrossMapLRN2d":     func(a *args) nn.Module { return nn.NewCrossMapLRN2d(a.Int("size"), response(a)...) },
})
