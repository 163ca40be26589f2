package conformance_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A pooler is a pooling layer that can also return indices.
type pooler interface {
	nn.Layer
	ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor)
}

// indexed contains the pooling layers whose sample in Python returns indices.
var indexed = map[nn.Module]bool{}

// indices records in indexed whether the sample of m returns indices. It returns m.
func indices(a *args, m pooler) nn.Module {
	if a.Has("return_indices") && a.Bool("return_indices") {
		indexed[m] = true
	}
	return m
}

func pooled(m nn.Module, a *args) []*torch.Tensor {
	x := a.Tensor("input")
	if !indexed[m] {
		return []*torch.Tensor{m.(pooler).Forward(x)}
	}
	v, i := m.(pooler).ForwardWithIndices(x)
	return []*torch.Tensor{v, i}
}

var _ = forwards(map[string]forward{
	"MaxPool1d": pooled, "MaxPool2d": pooled, "MaxPool3d": pooled, "FractionalMaxPool2d": pooled,
	"FractionalMaxPool3d": pooled,
	"AdaptiveMaxPool1d":   pooled, "AdaptiveMaxPool2d": pooled, "AdaptiveMaxPool3d": pooled,
})

// outputSize returns the output size of an adaptive pooling layer. A None in the size
// becomes nn.SizeNone.
func outputSize(a *args) any {
	all, ok := a.Any("output_size").([]any)
	if !ok {
		return a.Int("output_size")
	}
	sizes := make([]int64, len(all))
	for i, v := range all {
		if v == nil {
			sizes[i] = nn.SizeNone
		} else {
			sizes[i] = v.(int64)
		}
	}
	return sizes
}

func maxPool(a *args) []nn.MaxPoolOption {
	return options[nn.MaxPoolOption](a, nn.Stride(0), nn.Strides{}, nn.Padding(0), nn.Paddings{}, nn.Dilation(0),
		nn.Dilations{}, nn.CeilMode(false))
}

func avgPool(a *args) []nn.AvgPoolOption {
	return options[nn.AvgPoolOption](a, nn.Stride(0), nn.Strides{}, nn.Padding(0), nn.Paddings{}, nn.CeilMode(false),
		nn.CountIncludePad(false), nn.DivisorOverride(0))
}

func lpPool(a *args) []nn.LPPoolOption {
	return options[nn.LPPoolOption](a, nn.Stride(0), nn.Strides{}, nn.CeilMode(false))
}

func fractional(a *args) []nn.FractionalPoolOption {
	opts := options[nn.FractionalPoolOption](a, nn.OutputSize(0), nn.OutputSizes{}, nn.OutputRatio(0))
	if t := a.Tensor("_random_samples"); t != nil {
		opts = append(opts, nn.RandomSamples(t))
	}
	return opts
}

func transposed(a *args) []nn.ConvTransposeOption {
	return options[nn.ConvTransposeOption](a, nn.Stride(0), nn.Strides{}, nn.Padding(0), nn.Paddings{},
		nn.OutputPadding(0), nn.OutputPaddings{},
		nn.Groups(0), nn.Bias(false), nn.Dilation(0), nn.Dilations{})
}

var _ = modules(map[string]builder{
	"ConvTranspose1d": func(a *args) nn.Module {
		return nn.NewConvTranspose1d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"),
			transposed(a)...)
	},
	"ConvTranspose2d": func(a *args) nn.Module {
		return nn.NewConvTranspose2d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"),
			transposed(a)...)
	},
	"ConvTranspose3d": func(a *args) nn.Module {
		return nn.NewConvTranspose3d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"),
			transposed(a)...)
	},
	"MaxPool1d": func(a *args) nn.Module { return indices(a, nn.NewMaxPool1d(a.Size("kernel_size"), maxPool(a)...)) },
	"MaxPool2d": func(a *args) nn.Module { return indices(a, nn.NewMaxPool2d(a.Size("kernel_size"), maxPool(a)...)) },
	"MaxPool3d": func(a *args) nn.Module { return indices(a, nn.NewMaxPool3d(a.Size("kernel_size"), maxPool(a)...)) },
	"AvgPool1d": func(a *args) nn.Module {
		return nn.NewAvgPool1d(a.Size("kernel_size"), options[nn.AvgPool1dOption](a, nn.Stride(0), nn.Strides{},
			nn.Padding(0), nn.Paddings{},
			nn.CeilMode(false), nn.CountIncludePad(false))...)
	},
	"AvgPool2d": func(a *args) nn.Module { return nn.NewAvgPool2d(a.Size("kernel_size"), avgPool(a)...) },
	"AvgPool3d": func(a *args) nn.Module { return nn.NewAvgPool3d(a.Size("kernel_size"), avgPool(a)...) },
	"LPPool1d": func(a *args) nn.Module {
		return nn.NewLPPool1d(a.Float("norm_type"), a.Size("kernel_size"), lpPool(a)...)
	},
	"LPPool2d": func(a *args) nn.Module {
		return nn.NewLPPool2d(a.Float("norm_type"), a.Size("kernel_size"), lpPool(a)...)
	},
	"LPPool3d": func(a *args) nn.Module {
		return nn.NewLPPool3d(a.Float("norm_type"), a.Size("kernel_size"), lpPool(a)...)
	},
	"FractionalMaxPool2d": func(a *args) nn.Module {
		return indices(a, nn.NewFractionalMaxPool2d(a.Size("kernel_size"), fractional(a)...))
	},
	"FractionalMaxPool3d": func(a *args) nn.Module {
		return indices(a, nn.NewFractionalMaxPool3d(a.Size("kernel_size"), fractional(a)...))
	},
	"AdaptiveAvgPool1d": func(a *args) nn.Module { return nn.NewAdaptiveAvgPool1d(outputSize(a)) },
	"AdaptiveAvgPool2d": func(a *args) nn.Module { return nn.NewAdaptiveAvgPool2d(outputSize(a)) },
	"AdaptiveAvgPool3d": func(a *args) nn.Module { return nn.NewAdaptiveAvgPool3d(outputSize(a)) },
	"AdaptiveMaxPool1d": func(a *args) nn.Module { return indices(a, nn.NewAdaptiveMaxPool1d(outputSize(a))) },
	"AdaptiveMaxPool2d": func(a *args) nn.Module { return indices(a, nn.NewAdaptiveMaxPool2d(outputSize(a))) },
	"AdaptiveMaxPool3d": func(a *args) nn.Module { return indices(a, nn.NewAdaptiveMaxPool3d(outputSize(a))) },
})

var _ = modules(map[string]builder{
	"ZeroPad1d":     func(a *args) nn.Module { return nn.NewZeroPad1d(a.Size("padding")) },
	"ZeroPad2d":     func(a *args) nn.Module { return nn.NewZeroPad2d(a.Size("padding")) },
	"ZeroPad3d":     func(a *args) nn.Module { return nn.NewZeroPad3d(a.Size("padding")) },
	"ConstantPad1d": func(a *args) nn.Module { return nn.NewConstantPad1d(a.Size("padding"), a.Float("value")) },
	"ConstantPad2d": func(a *args) nn.Module { return nn.NewConstantPad2d(a.Size("padding"), a.Float("value")) },
	"ConstantPad3d": func(a *args) nn.Module { return nn.NewConstantPad3d(a.Size("padding"), a.Float("value")) },

	"ReflectionPad1d":  func(a *args) nn.Module { return nn.NewReflectionPad1d(a.Size("padding")) },
	"ReflectionPad2d":  func(a *args) nn.Module { return nn.NewReflectionPad2d(a.Size("padding")) },
	"ReflectionPad3d":  func(a *args) nn.Module { return nn.NewReflectionPad3d(a.Size("padding")) },
	"ReplicationPad1d": func(a *args) nn.Module { return nn.NewReplicationPad1d(a.Size("padding")) },
	"ReplicationPad2d": func(a *args) nn.Module { return nn.NewReplicationPad2d(a.Size("padding")) },
	"ReplicationPad3d": func(a *args) nn.Module { return nn.NewReplicationPad3d(a.Size("padding")) },
	"CircularPad1d":    func(a *args) nn.Module { return nn.NewCircularPad1d(a.Size("padding")) },
	"CircularPad2d":    func(a *args) nn.Module { return nn.NewCircularPad2d(a.Size("padding")) },
	"CircularPad3d":    func(a *args) nn.Module { return nn.NewCircularPad3d(a.Size("padding")) },
})
