package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// bare returns the row of a constructor that takes only a type name and a Registration.
func bare(p *holder, in func() []*torch.Tensor, make func(opts ...nn.InitOption) nn.Module) optiontest.Row {
	return rowOf(p, in, make,
		values(nn.TypeName("A"), nn.TypeName("B")).Hides(behavior, "the name is for printing and errors"))
}

// poolRows returns the rows of the option table for transposed convolutions, and for the
// pooling layers that are not in windowRows.
func poolRows(p *holder) map[string]optiontest.Row {
	ints := func(n int, v ...int64) []int64 { return v[:n] }
	transposed := func(n int, make func(opts ...nn.ConvTransposeOption) nn.Module) optiontest.Row {
		// With a stride of 2, OutputPadding can have several values.
		strided := []nn.ConvTransposeOption{nn.Stride(2)}
		return rowOf(p, inputOf(torch.Shape{1, 2, 4, 3, 3}[:n+2]...), func(opts ...nn.ConvTransposeOption) nn.Module {
			return make(prepend(strided, opts)...)
		},
			joinPairs(places(),
				values(nn.Stride(1), nn.Stride(3)),
				values(nn.Strides(ints(n, 3, 1, 1)), nn.Stride(1)),
				values(nn.Padding(1), nn.Padding(0)),
				values(nn.Paddings(ints(n, 1, 0, 0)), nn.Padding(0)),
				values(nn.OutputPadding(1), nn.OutputPadding(0)),
				values(nn.OutputPaddings(ints(n, 1, 0, 0)), nn.OutputPadding(0)),
				values(nn.Dilation(2), nn.Dilation(1)),
				values(nn.Dilations(ints(n, 2, 1, 1)), nn.Dilation(1)),
				values(nn.Groups(2), nn.Groups(1)),
				values(nn.Bias(false), nn.Bias(true)),
			)...)
	}
	max := func(n int, make func(opts ...nn.MaxPoolOption) nn.Module) optiontest.Row {
		return rowOf(p, inputOf(torch.Shape{1, 2, 7, 7, 7}[:n+2]...), make,
			values(nn.Stride(2), nn.Stride(1)),
			values(nn.Strides(ints(n, 2, 1, 1)), nn.Stride(3)),
			values(nn.Padding(1), nn.Padding(0)),
			values(nn.Paddings(ints(n, 1, 0, 0)), nn.Padding(0)),
			values(nn.Dilation(2), nn.Dilation(1)),
			values(nn.Dilations(ints(n, 2, 1, 1)), nn.Dilation(1)),
			values(nn.CeilMode(true), nn.CeilMode(false)))
	}
	unpool := func(n int, make func(opts ...nn.MaxUnpoolOption) nn.Module) optiontest.Row {
		return rowOf(p, unpooled(torch.Shape{1, 2, 3, 3, 3}[:n+2]...), make,
			values(nn.Stride(2), nn.Stride(1)),
			values(nn.Strides(ints(n, 2, 1, 1)), nn.Stride(3)),
			values(nn.Padding(1), nn.Padding(0)),
			values(nn.Paddings(ints(n, 1, 0, 0)), nn.Padding(0)))
	}
	// With padding and a last window beyond the edge, every option has an effect.
	hanging1d := []nn.AvgPool1dOption{nn.Padding(1), nn.Stride(2)}
	hanging3d := []nn.AvgPoolOption{nn.Padding(1), nn.Stride(2)}
	lp := func(n int, make func(opts ...nn.LPPoolOption) nn.Module) optiontest.Row {
		return rowOf(p, inputOf(torch.Shape{1, 2, 7, 7, 7}[:n+2]...), make,
			values(nn.Stride(2), nn.Stride(3)),
			values(nn.Strides(ints(n, 2, 1, 1)), nn.Stride(3)),
			values(nn.CeilMode(true), nn.CeilMode(false)))
	}
	samples := func(v float64, n int) func() any {
		return func() any { return nn.RandomSamples(torch.Full(torch.Shape{1, 2, int64(n)}, v)) }
	}
	fractional := func(n int, make func(opts ...nn.FractionalPoolOption) nn.Module) optiontest.Row {
		hidden := func(a, b any) optiontest.Pair { return values(a, b).Hides(printed, notInRepr) }
		return rowOf(p, inputOf(torch.Shape{1, 2, 9, 9, 9}[:n+2]...), func(opts ...nn.FractionalPoolOption) nn.Module {
			return make(prepend(oneSize(opts), opts)...)
		},
			hidden(nn.OutputSize(3), nn.OutputSize(4)),
			hidden(nn.OutputSizes(ints(n, 3, 4, 2)), nn.OutputSize(4)),
			hidden(nn.OutputRatio(0.5), nn.OutputRatio(0.3)),
			hidden(nn.OutputRatios([]float64{0.5, 0.3, 0.4}[:n]), nn.OutputRatio(0.5)),
			hidden(samples(0.9, n), samples(0.1, n)),
			hidden(samples(0.9, n), nn.RandomSamples(nil)))
	}
	return map[string]optiontest.Row{
		"NewConvTranspose1d": transposed(1, func(opts ...nn.ConvTransposeOption) nn.Module {
			return nn.NewConvTranspose1d(2, 4, 3, opts...)
		}),
		"NewConvTranspose2d": transposed(2, func(opts ...nn.ConvTransposeOption) nn.Module {
			return nn.NewConvTranspose2d(2, 4, 3, opts...)
		}),
		"NewConvTranspose3d": transposed(3, func(opts ...nn.ConvTransposeOption) nn.Module {
			return nn.NewConvTranspose3d(2, 4, 3, opts...)
		}),
		"NewMaxPool1d": max(1, func(opts ...nn.MaxPoolOption) nn.Module { return nn.NewMaxPool1d(3, opts...) }),
		"NewMaxPool3d": max(3, func(opts ...nn.MaxPoolOption) nn.Module { return nn.NewMaxPool3d(3, opts...) }),
		"NewMaxUnpool1d": unpool(1, func(opts ...nn.MaxUnpoolOption) nn.Module {
			return nn.NewMaxUnpool1d(3, opts...)
		}),
		"NewMaxUnpool2d": unpool(2, func(opts ...nn.MaxUnpoolOption) nn.Module {
			return nn.NewMaxUnpool2d(3, opts...)
		}),
		"NewMaxUnpool3d": unpool(3, func(opts ...nn.MaxUnpoolOption) nn.Module {
			return nn.NewMaxUnpool3d(3, opts...)
		}),
		"NewAvgPool1d": rowOf(p, inputOf(1, 2, 7+1), func(opts ...nn.AvgPool1dOption) nn.Module {
			return nn.NewAvgPool1d(3, prepend(hanging1d, opts)...)
		},
			values(nn.Stride(1), nn.Stride(3)),
			values(nn.Strides{3}, nn.Stride(2)),
			values(nn.Padding(0), nn.Padding(1)),
			values(nn.Paddings{0}, nn.Padding(1)),
			values(nn.CeilMode(true), nn.CeilMode(false)).Hides(printed, notInRepr),
			values(nn.CountIncludePad(false), nn.CountIncludePad(true)).Hides(printed, notInRepr)),
		"NewAvgPool3d": rowOf(p, inputOf(1, 2, 7, 6, 5), func(opts ...nn.AvgPoolOption) nn.Module {
			return nn.NewAvgPool3d(3, prepend(hanging3d, opts)...)
		},
			values(nn.Stride(1), nn.Stride(3)),
			values(nn.Strides{3, 1, 2}, nn.Stride(3)),
			values(nn.Padding(0), nn.Padding(1)),
			values(nn.Paddings{0, 1, 1}, nn.Padding(1)),
			values(nn.CeilMode(true), nn.CeilMode(false)).Hides(printed, notInRepr),
			values(nn.CountIncludePad(false), nn.CountIncludePad(true)).Hides(printed, notInRepr),
			values(nn.DivisorOverride(2), nn.DivisorOverride(-3)).Hides(printed, notInRepr)),
		"NewLPPool1d": lp(1, func(opts ...nn.LPPoolOption) nn.Module {
			return nn.NewLPPool1d(2, 3, opts...)
		}),
		"NewLPPool2d": lp(2, func(opts ...nn.LPPoolOption) nn.Module {
			return nn.NewLPPool2d(2, 3, opts...)
		}),
		"NewLPPool3d": lp(3, func(opts ...nn.LPPoolOption) nn.Module {
			return nn.NewLPPool3d(2, 3, opts...)
		}),
		"NewFractionalMaxPool2d": fractional(2, func(opts ...nn.FractionalPoolOption) nn.Module {
			return nn.NewFractionalMaxPool2d(2, opts...)
		}),
		"NewFractionalMaxPool3d": fractional(3, func(opts ...nn.FractionalPoolOption) nn.Module {
			return nn.NewFractionalMaxPool3d(2, opts...)
		}),
		"NewAdaptiveAvgPool1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAdaptiveAvgPool1d(3, opts...)
		}),
		"NewAdaptiveAvgPool3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAdaptiveAvgPool3d(3, opts...)
		}),
		"NewAdaptiveMaxPool1d": bare(p, line, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAdaptiveMaxPool1d(3, opts...)
		}),
		"NewAdaptiveMaxPool2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAdaptiveMaxPool2d(3, opts...)
		}),
		"NewAdaptiveMaxPool3d": bare(p, volume, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAdaptiveMaxPool3d(3, opts...)
		}),
	}
}

// oneSize adds a size to the options of a fractional pooling layer if they have none.
func oneSize(opts []nn.FractionalPoolOption) []nn.FractionalPoolOption {
	for _, o := range opts {
		switch o.(type) {
		case nn.OutputSize, nn.OutputSizes, nn.OutputRatio, nn.OutputRatios:
			return nil
		}
	}
	return []nn.FractionalPoolOption{nn.OutputSize(3)}
}
