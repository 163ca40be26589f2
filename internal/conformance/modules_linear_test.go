package conformance_test

import "github.com/gotorch/gotorch/nn"

func convOptions(a *args) []nn.ConvOption {
	return options[nn.ConvOption](a, nn.Stride(0), nn.Strides{}, nn.PaddingWord(""), nn.Padding(0), nn.Paddings{},
		nn.Groups(0), nn.Bias(false))
}

var _ = modules(map[string]builder{
	"Conv1d": func(a *args) nn.Module {
		return nn.NewConv1d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"), convOptions(a)...)
	},
	"Conv2d": func(a *args) nn.Module {
		return nn.NewConv2d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"), convOptions(a)...)
	},
	"Conv3d": func(a *args) nn.Module {
		return nn.NewConv3d(a.Int("in_channels"), a.Int("out_channels"), a.Size("kernel_size"), convOptions(a)...)
	},
})
