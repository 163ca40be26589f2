package nn_test

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var values = optiontest.Values

// windowRows returns the rows of the option table for convolution and pooling layers.
func windowRows(p *holder) map[string]optiontest.Row {
	conv := func(n int, make func(opts ...nn.ConvOption) nn.Module) optiontest.Row {
		shape := torch.Shape{1, 2, 7, 6, 5}[:n+2]
		// With padding, every option has an effect.
		padded := []nn.ConvOption{nn.Padding(1)}
		return rowOf(p, inputOf(shape...),
			func(opts ...nn.ConvOption) nn.Module { return make(prepend(padded, opts)...) },
			joinPairs(places(),
				values(nn.Stride(2), nn.Stride(1)),
				values(nn.Strides([]int64{2, 1, 1}[:n]), nn.Stride(3)),
				values(nn.Padding(0), nn.Padding(2)),
				values(nn.Paddings([]int64{0, 1, 2}[:n]), nn.Padding(1)),
				values(nn.PaddingValid, nn.PaddingSame),
				values(nn.PaddingSame, nn.Padding(0)),
				values(nn.PaddingModeReflect, nn.PaddingModeZeros),
				values(nn.PaddingModeCircular, nn.PaddingModeReplicate),
				values(nn.Dilation(2), nn.Dilation(1)),
				values(nn.Dilations([]int64{2, 1, 1}[:n]), nn.Dilation(1)),
				values(nn.Groups(2), nn.Groups(1)),
				values(nn.Bias(false), nn.Bias(true)),
			)...)
	}
	// With padding and a last window beyond the edge, every option has an effect.
	hanging := []nn.AvgPoolOption{nn.Padding(1), nn.Stride(2)}
	return map[string]optiontest.Row{
		"NewConv1d": conv(1, func(opts ...nn.ConvOption) nn.Module { return nn.NewConv1d(2, 4, 3, opts...) }),
		"NewConv2d": conv(2, func(opts ...nn.ConvOption) nn.Module { return nn.NewConv2d(2, 4, 3, opts...) }),
		"NewConv3d": conv(3, func(opts ...nn.ConvOption) nn.Module { return nn.NewConv3d(2, 4, 3, opts...) }),
		"NewMaxPool2d": rowOf(p, inputOf(1, 2, 7, 7), func(opts ...nn.MaxPoolOption) nn.Module {
			return nn.NewMaxPool2d(3, opts...)
		},
			values(nn.Stride(2), nn.Stride(1)),
			values(nn.Strides{2, 1}, nn.Stride(3)),
			values(nn.Padding(1), nn.Padding(0)),
			values(nn.Paddings{1, 0}, nn.Padding(0)),
			values(nn.Dilation(2), nn.Dilation(1)),
			values(nn.Dilations{1, 2}, nn.Dilation(2)),
			values(nn.CeilMode(true), nn.CeilMode(false)),
		),
		"NewAvgPool2d": rowOf(p, inputOf(1, 2, 7, 6), func(opts ...nn.AvgPoolOption) nn.Module {
			return nn.NewAvgPool2d(3, prepend(hanging, opts)...)
		},
			values(nn.Stride(1), nn.Stride(3)),
			values(nn.Strides{3, 1}, nn.Stride(3)),
			values(nn.Padding(0), nn.Padding(1)),
			values(nn.Paddings{0, 1}, nn.Padding(1)),
			values(nn.CeilMode(true), nn.CeilMode(false)).Hides(printed, notInRepr),
			values(nn.CountIncludePad(false), nn.CountIncludePad(true)).Hides(printed, notInRepr),
			values(nn.DivisorOverride(2), nn.DivisorOverride(-3)).Hides(printed, notInRepr),
		),
	}
}

// tensorRows returns the rows of the option table for the other layers with parameters.
func tensorRows(p *holder) map[string]optiontest.Row {
	return map[string]optiontest.Row{
		"NewLinear": rowOf(p, row, func(opts ...nn.LinearOption) nn.Module { return nn.NewLinear(3, 2, opts...) },
			joinPairs(places(), values(nn.Bias(false), nn.Bias(true)))...),
	}
}

// plainRows returns the rows of the option table for layers without parameters.
func plainRows(p *holder) map[string]optiontest.Row {
	return map[string]optiontest.Row{
		"NewAdaptiveAvgPool2d": bare(p, image, func(opts ...nn.InitOption) nn.Module {
			return nn.NewAdaptiveAvgPool2d(2, opts...)
		}),
		"NewSigmoid":  bare(p, image, func(opts ...nn.InitOption) nn.Module { return nn.NewSigmoid(opts...) }),
		"NewTanh":     bare(p, image, func(opts ...nn.InitOption) nn.Module { return nn.NewTanh(opts...) }),
		"NewIdentity": bare(p, image, func(opts ...nn.InitOption) nn.Module { return nn.NewIdentity(opts...) }),
		"NewFlatten": rowOf(p, image, func(opts ...nn.FlattenOption) nn.Module { return nn.NewFlatten(opts...) },
			values(nn.StartDim(0), nn.StartDim(2)), values(nn.EndDim(2), nn.EndDim(-1))),
	}
}

// lossRows returns the rows of the option table for losses. In Python their printed
// form has no arguments.
func lossRows(p *holder) map[string]optiontest.Row {
	hidden := func(a, b any) optiontest.Pair { return values(a, b).Hides(printed, notInRepr) }
	// weight makes a new tensor for each loss, because a loss owns its weight.
	weight := func(numbers []float32) func() any {
		return func() any { return nn.Weight(torch.FromSlice(numbers)) }
	}
	weights := []optiontest.Pair{
		hidden(weight([]float32{1, 2, 3}), nn.Weight(nil)),
		hidden(weight([]float32{1, 2, 3}), weight([]float32{3, 2, 1})),
	}
	reductions := []optiontest.Pair{
		hidden(nn.ReductionSum, nn.ReductionMean),
		hidden(nn.ReductionNone, nn.Reduction("sum")),
	}
	ignored := hidden(nn.IgnoreIndex(1), nn.IgnoreIndex(0))
	positive := func() any { return nn.PosWeight(torch.FromSlice([]float32{1, 2, 3})) }
	return map[string]optiontest.Row{
		"NewCrossEntropyLoss": rowOf(p, classes, func(opts ...nn.CrossEntropyLossOption) nn.Module {
			return nn.NewCrossEntropyLoss(opts...)
		},
			joinPairs(append(weights, reductions...), ignored,
				hidden(nn.LabelSmoothing(0.5), nn.LabelSmoothing(0)))...),
		"NewNLLLoss": rowOf(p, classes, func(opts ...nn.NLLLossOption) nn.Module { return nn.NewNLLLoss(opts...) },
			joinPairs(append(weights, reductions...), ignored)...),
		"NewMSELoss": rowOf(p, pair, func(opts ...nn.LossOption) nn.Module { return nn.NewMSELoss(opts...) },
			reductions...),
		"NewL1Loss": rowOf(p, pair, func(opts ...nn.LossOption) nn.Module { return nn.NewL1Loss(opts...) },
			reductions...),
		"NewSmoothL1Loss": rowOf(p, pair, func(opts ...nn.SmoothL1LossOption) nn.Module {
			return nn.NewSmoothL1Loss(opts...)
		},
			joinPairs(reductions, hidden(nn.Beta(0), nn.Beta(2)))...),
		"NewHuberLoss": rowOf(p, pair, func(opts ...nn.HuberLossOption) nn.Module { return nn.NewHuberLoss(opts...) },
			joinPairs(reductions, hidden(nn.Delta(0.1), nn.Delta(0.5)))...),
		"NewBCELoss": rowOf(p, pair, func(opts ...nn.BCELossOption) nn.Module { return nn.NewBCELoss(opts...) },
			append(weights, reductions...)...),
		"NewBCEWithLogitsLoss": rowOf(p, pair, func(opts ...nn.BCEWithLogitsLossOption) nn.Module {
			return nn.NewBCEWithLogitsLoss(opts...)
		},
			joinPairs(append(weights, reductions...), hidden(positive, nn.PosWeight(nil)))...),
		"NewKLDivLoss": rowOf(p, pair, func(opts ...nn.KLDivLossOption) nn.Module { return nn.NewKLDivLoss(opts...) },
			joinPairs(reductions, hidden(nn.LogTarget(true), nn.LogTarget(false)),
				hidden(nn.ReductionBatchMean, nn.ReductionMean))...),
	}
}

// callRows returns the rows of the option table for methods.
func callRows(p *holder) map[string]optiontest.Row {
	names := func(m nn.Module) optiontest.Outcome {
		return optiontest.Outcome{behavior: fmt.Sprint(m.StateDict().Names())}
	}
	return map[string]optiontest.Row{
		"Base.Init": rowOf(p, nil, func(opts ...nn.InitOption) nn.Module {
			m := new(holder)
			m.Init(m, opts...)
			return m
		}, values(nn.TypeName("A"), nn.TypeName("B")).Hides(behavior, "the name is for printing and errors")),
		"Base.RegisterBuffer": optiontest.For(func(opts ...nn.BufferOption) optiontest.Outcome {
			m := new(holder)
			m.Init(m)
			defer func() { _ = m.Close() }()
			b := torch.Zeros(torch.Shape{2})
			defer func() { _ = b.Close() }() // if RegisterBuffer rejects an option, m does not own b
			m.RegisterBuffer("b", b, opts...)
			return names(m)
		}, values(nn.Persistent(false), nn.Persistent(true))),
		"Base.To": optiontest.For(func(opts ...torch.ToOption) optiontest.Outcome {
			var s strings.Builder
			m := nn.NewConv2d(2, 4, 3)
			defer func() { _ = m.Close() }()
			// If tensors cannot be moved to a device in place, the error says so.
			if err := torch.Try(func() { m.To(opts...) }); err != nil && strings.Contains(err.Error(), "opts") {
				panic(err)
			} else if err != nil {
				fmt.Fprintln(&s, err)
			}
			for _, n := range m.NamedParameters() {
				fmt.Fprintln(&s, n.Name, n.Tensor.DType(), n.Tensor.Device(), n.Tensor.Stride(), n.Tensor.IsPinned())
			}
			return optiontest.Outcome{behavior: s.String()}
		},
			values(torch.Float64, torch.Float32),
			values(torch.DType(0), torch.Float64),
			values(torch.Meta, torch.CPU),
			values(torch.Device(0), torch.Meta),
			values(torch.ChannelsLast, torch.ContiguousFormat),
			values(torch.Strided, torch.Layout(0)).Hides(behavior, "modules have no other layout"),
			values(torch.NonBlocking(true), torch.NonBlocking(false)).Hides(behavior, "nothing waits on the CPU"),
			values(torch.Copy(true), torch.Copy(false)).Hides(behavior, "SetData takes a copy in either case"),
		),
	}
}
