package conformance_test

import "github.com/gotorch/gotorch/nn"

func inplace(a *args) []nn.InplaceOption { return options[nn.InplaceOption](a, nn.Inplace(false)) }

var _ = modules(map[string]builder{
	"LeakyReLU": func(a *args) nn.Module {
		return nn.NewLeakyReLU(a.FloatOr("negative_slope", 0.01), inplace(a)...)
	},

	"Dropout":             func(a *args) nn.Module { return nn.NewDropout(a.FloatOr("p", 0.5), inplace(a)...) },
	"Dropout1d":           func(a *args) nn.Module { return nn.NewDropout1d(a.FloatOr("p", 0.5), inplace(a)...) },
	"Dropout2d":           func(a *args) nn.Module { return nn.NewDropout2d(a.FloatOr("p", 0.5), inplace(a)...) },
	"Dropout3d":           func(a *args) nn.Module { return nn.NewDropout3d(a.FloatOr("p", 0.5), inplace(a)...) },
	"AlphaDropout":        func(a *args) nn.Module { return nn.NewAlphaDropout(a.FloatOr("p", 0.5)) },
	"FeatureAlphaDropout": func(a *args) nn.Module { return nn.NewFeatureAlphaDropout(a.FloatOr("p", 0.5)) },
})
