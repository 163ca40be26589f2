package conformance_test

import "github.com/gotorch/gotorch/nn"

func inplace(a *args) []nn.InplaceOption { return options[nn.InplaceOption](a, nn.Inplace(false)) }

func elu(a *args) []nn.ELUOption {
	return options[nn.ELUOption](a, nn.Alpha(0), nn.Inplace(false))
}

func shrink(a *args) []nn.ShrinkOption { return options[nn.ShrinkOption](a, nn.Lambd(0)) }

func dropout(a *args) []nn.DropoutOption {
	return options[nn.DropoutOption](a, nn.P(0), nn.Inplace(false))
}

// alphaDropout omits inplace, which has no effect in Python.
func alphaDropout(a *args) []nn.AlphaDropoutOption {
	return options[nn.AlphaDropoutOption](a, nn.P(0))
}

var _ = modules(map[string]builder{
	"ReLU":        func(a *args) nn.Module { return nn.NewReLU(inplace(a)...) },
	"ReLU6":       func(a *args) nn.Module { return nn.NewReLU6(inplace(a)...) },
	"SELU":        func(a *args) nn.Module { return nn.NewSELU(inplace(a)...) },
	"SiLU":        func(a *args) nn.Module { return nn.NewSiLU(inplace(a)...) },
	"Mish":        func(a *args) nn.Module { return nn.NewMish(inplace(a)...) },
	"Hardswish":   func(a *args) nn.Module { return nn.NewHardswish(inplace(a)...) },
	"Hardsigmoid": func(a *args) nn.Module { return nn.NewHardsigmoid(inplace(a)...) },
	"Sigmoid":     func(*args) nn.Module { return nn.NewSigmoid() },
	"LogSigmoid":  func(*args) nn.Module { return nn.NewLogSigmoid() },
	"Tanh":        func(*args) nn.Module { return nn.NewTanh() },
	"Tanhshrink":  func(*args) nn.Module { return nn.NewTanhshrink() },
	"Softsign":    func(*args) nn.Module { return nn.NewSoftsign() },
	"GELU":        func(a *args) nn.Module { return nn.NewGELU(options[nn.GELUOption](a, nn.Approximate(""))...) },
	"GLU":         func(a *args) nn.Module { return nn.NewGLU(options[nn.GLUOption](a, nn.Dim(0))...) },
	"ELU":         func(a *args) nn.Module { return nn.NewELU(elu(a)...) },
	"CELU":        func(a *args) nn.Module { return nn.NewCELU(elu(a)...) },
	"Hardshrink":  func(a *args) nn.Module { return nn.NewHardshrink(shrink(a)...) },
	"Softshrink":  func(a *args) nn.Module { return nn.NewSoftshrink(shrink(a)...) },
	"Threshold": func(a *args) nn.Module {
		return nn.NewThreshold(a.Float("threshold"), a.Float("value"), inplace(a)...)
	},
	"LeakyReLU": func(a *args) nn.Module {
		return nn.NewLeakyReLU(options[nn.LeakyReLUOption](a, nn.NegativeSlope(0), nn.Inplace(false))...)
	},
	"RReLU": func(a *args) nn.Module {
		return nn.NewRReLU(options[nn.RReLUOption](a, nn.Lower(0), nn.Upper(0), nn.Inplace(false))...)
	},
	"Hardtanh": func(a *args) nn.Module {
		return nn.NewHardtanh(options[nn.HardtanhOption](a, nn.MinVal(0), nn.MaxVal(0), nn.Inplace(false))...)
	},
	"Softplus": func(a *args) nn.Module {
		return nn.NewSoftplus(options[nn.SoftplusOption](a, nn.Beta(0), nn.WithThreshold(0))...)
	},
	"PReLU": func(a *args) nn.Module {
		return nn.NewPReLU(options[nn.PReLUOption](a, nn.NumParameters(0), nn.Init(0))...)
	},
	"Softmax":    func(a *args) nn.Module { return nn.NewSoftmax(a.Int("dim")) },
	"Softmax2d":  func(*args) nn.Module { return nn.NewSoftmax2d() },
	"Softmin":    func(a *args) nn.Module { return nn.NewSoftmin(a.Int("dim")) },
	"LogSoftmax": func(a *args) nn.Module { return nn.NewLogSoftmax(a.Int("dim")) },

	"Dropout":             func(a *args) nn.Module { return nn.NewDropout(dropout(a)...) },
	"Dropout1d":           func(a *args) nn.Module { return nn.NewDropout1d(dropout(a)...) },
	"Dropout2d":           func(a *args) nn.Module { return nn.NewDropout2d(dropout(a)...) },
	"Dropout3d":           func(a *args) nn.Module { return nn.NewDropout3d(dropout(a)...) },
	"AlphaDropout":        func(a *args) nn.Module { return nn.NewAlphaDropout(alphaDropout(a)...) },
	"FeatureAlphaDropout": func(a *args) nn.Module { return nn.NewFeatureAlphaDropout(alphaDropout(a)...) },
})
