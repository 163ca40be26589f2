package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// activationRows returns the rows of the option table for activations and dropouts.
func activationRows(p *holder) map[string]optiontest.Row {
	// The inputs range from -2 to 2, so that every option has an effect.
	signed := func() []*torch.Tensor { return []*torch.Tensor{torch.Linspace(-2, 2, 12).Reshape(4, 3)} }
	even := func() []*torch.Tensor { return []*torch.Tensor{torch.Linspace(-2, 2, 16).Reshape(4, 4)} }
	inplace := values(nn.Inplace(true), nn.Inplace(false))
	silent := inplace.Hides(printed, notInRepr)
	acts := func(pair optiontest.Pair, make func(opts ...nn.InplaceOption) nn.Module) optiontest.Row {
		return rowOf(p, signed, make, pair)
	}
	alpha := []optiontest.Pair{inplace, values(nn.Alpha(0.5), nn.Alpha(2))}
	lambd := values(nn.Lambd(0), nn.Lambd(1))
	rows := map[string]optiontest.Row{
		"NewReLU":        acts(inplace, func(opts ...nn.InplaceOption) nn.Module { return nn.NewReLU(opts...) }),
		"NewReLU6":       acts(inplace, func(opts ...nn.InplaceOption) nn.Module { return nn.NewReLU6(opts...) }),
		"NewSELU":        acts(inplace, func(opts ...nn.InplaceOption) nn.Module { return nn.NewSELU(opts...) }),
		"NewSiLU":        acts(inplace, func(opts ...nn.InplaceOption) nn.Module { return nn.NewSiLU(opts...) }),
		"NewMish":        acts(inplace, func(opts ...nn.InplaceOption) nn.Module { return nn.NewMish(opts...) }),
		"NewHardswish":   acts(silent, func(opts ...nn.InplaceOption) nn.Module { return nn.NewHardswish(opts...) }),
		"NewHardsigmoid": acts(silent, func(opts ...nn.InplaceOption) nn.Module { return nn.NewHardsigmoid(opts...) }),
		"NewThreshold": acts(inplace, func(opts ...nn.InplaceOption) nn.Module {
			return nn.NewThreshold(0.1, 20, opts...)
		}),
		"NewLogSigmoid": bare(p, signed, func(opts ...nn.InitOption) nn.Module { return nn.NewLogSigmoid(opts...) }),
		"NewTanhshrink": bare(p, signed, func(opts ...nn.InitOption) nn.Module { return nn.NewTanhshrink(opts...) }),
		"NewSoftsign":   bare(p, signed, func(opts ...nn.InitOption) nn.Module { return nn.NewSoftsign(opts...) }),
		"NewGELU": rowOf(p, signed, func(opts ...nn.GELUOption) nn.Module { return nn.NewGELU(opts...) },
			values(nn.ApproximateTanh, nn.ApproximateNone)),
		"NewLeakyReLU": acts(inplace, func(opts ...nn.InplaceOption) nn.Module {
			return nn.NewLeakyReLU(0.5, opts...)
		}),
		"NewELU":  rowOf(p, signed, func(opts ...nn.ELUOption) nn.Module { return nn.NewELU(opts...) }, alpha...),
		"NewCELU": rowOf(p, signed, func(opts ...nn.ELUOption) nn.Module { return nn.NewCELU(opts...) }, alpha...),
		"NewRReLU": rowOf(p, signed, func(opts ...nn.RReLUOption) nn.Module { return nn.NewRReLU(opts...) },
			inplace, values(nn.Lower(0.25), nn.Lower(0)), values(nn.Upper(0.5), nn.Upper(1))),
		"NewHardtanh": rowOf(p, signed, func(opts ...nn.HardtanhOption) nn.Module { return nn.NewHardtanh(opts...) },
			inplace, values(nn.MinVal(-0.5), nn.MinVal(0)), values(nn.MaxVal(0.5), nn.MaxVal(0))),
		"NewSoftplus": rowOf(p, signed, func(opts ...nn.SoftplusOption) nn.Module { return nn.NewSoftplus(opts...) },
			values(nn.Beta(2), nn.Beta(0.5)), values(nn.WithThreshold(0), nn.WithThreshold(1))),
		"NewHardshrink": rowOf(p, signed, func(opts ...nn.ShrinkOption) nn.Module {
			return nn.NewHardshrink(opts...)
		}, lambd),
		"NewSoftshrink": rowOf(p, signed, func(opts ...nn.ShrinkOption) nn.Module {
			return nn.NewSoftshrink(opts...)
		}, lambd),
		"NewGLU": rowOf(p, even, func(opts ...nn.GLUOption) nn.Module { return nn.NewGLU(opts...) },
			values(nn.Dim(0), nn.Dim(1))),
		"NewPReLU": rowOf(p, signed, func(opts ...nn.PReLUOption) nn.Module { return nn.NewPReLU(opts...) },
			joinPairs(places(), values(nn.NumParameters(3), nn.NumParameters(1)),
				values(nn.Init(0.5), nn.Init(0)).Hides(printed, notInRepr))...),
		"NewAlphaDropout": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAlphaDropout(0.5, opts...)
		}),
		"NewFeatureAlphaDropout": bare(p, inputOf(1, 9, 2, 2), func(opts ...nn.InitOption) nn.Module {
			return nn.NewFeatureAlphaDropout(0.5, opts...)
		}),
	}
	for name, make := range map[string]func(opts ...nn.InplaceOption) nn.Module{
		"NewDropout":   func(opts ...nn.InplaceOption) nn.Module { return nn.NewDropout(0.5, opts...) },
		"NewDropout1d": func(opts ...nn.InplaceOption) nn.Module { return nn.NewDropout1d(0.5, opts...) },
		"NewDropout2d": func(opts ...nn.InplaceOption) nn.Module { return nn.NewDropout2d(0.5, opts...) },
		"NewDropout3d": func(opts ...nn.InplaceOption) nn.Module { return nn.NewDropout3d(0.5, opts...) },
	} {
		shape := map[string]torch.Shape{"NewDropout1d": {9, 4}, "NewDropout3d": {9, 2, 2, 2}}[name]
		if shape == nil {
			shape = torch.Shape{1, 9, 2, 2}
		}
		rows[name] = rowOf(p, inputOf(shape...), make, inplace)
	}
	return rows
}
