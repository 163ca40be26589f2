package conformance_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var _ = modules(map[string]builder{
	"Linear": func(a *args) nn.Module {
		return nn.NewLinear(a.Int("in_features"), a.Int("out_features"), options[nn.LinearOption](a, nn.Bias(false))...)
	},
	"Embedding": func(a *args) nn.Module {
		return nn.NewEmbedding(a.Int("num_embeddings"), a.Int("embedding_dim"))
	},
})

func convOptions(a *args) []nn.ConvOption {
	return options[nn.ConvOption](a, nn.Stride(0), nn.Strides{}, nn.PaddingWord(""), nn.Padding(0), nn.Paddings{}, nn.Groups(0), nn.Bias(false))
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

// batchNorm has the options of a BatchNorm. A momentum of None is a word in Go.
func batchNorm(a *args) []nn.BatchNormOption {
	opts := options[nn.BatchNormOption](a, nn.Eps(0), nn.Momentum(0), nn.Affine(false), nn.TrackRunningStats(false))
	if a.IsNone("momentum") {
		opts = append(opts, nn.MomentumNone)
	}
	return opts
}

var _ = modules(map[string]builder{
	"BatchNorm1d": func(a *args) nn.Module { return nn.NewBatchNorm1d(a.Int("num_features"), batchNorm(a)...) },
	"BatchNorm2d": func(a *args) nn.Module { return nn.NewBatchNorm2d(a.Int("num_features"), batchNorm(a)...) },
	"GroupNorm": func(a *args) nn.Module {
		return nn.NewGroupNorm(a.Int("num_groups"), a.Int("num_channels"), options[nn.GroupNormOption](a, nn.Eps(0), nn.Affine(false))...)
	},
	"LayerNorm": func(a *args) nn.Module {
		return nn.NewLayerNorm(torch.Shape(a.Ints("normalized_shape")), options[nn.LayerNormOption](a, nn.Eps(0), nn.ElementwiseAffine(false), nn.Bias(false))...)
	},
	"RMSNorm": func(a *args) nn.Module {
		return nn.NewRMSNorm(torch.Shape(a.Ints("normalized_shape")), options[nn.RMSNormOption](a, nn.Eps(0), nn.ElementwiseAffine(false))...)
	},
})

var _ = modules(map[string]builder{
	"GELU": func(a *args) nn.Module { return nn.NewGELU(options[nn.GELUOption](a, nn.Approximate(""))...) },
	"LeakyReLU": func(a *args) nn.Module {
		return nn.NewLeakyReLU(options[nn.LeakyReLUOption](a, nn.NegativeSlope(0))...)
	},
	"LogSoftmax": func(a *args) nn.Module { return nn.NewLogSoftmax(a.Int("dim")) },
	"ReLU":       func(*args) nn.Module { return nn.NewReLU() },
	"Sigmoid":    func(*args) nn.Module { return nn.NewSigmoid() },
	"SiLU":       func(*args) nn.Module { return nn.NewSiLU() },
	"Softmax":    func(a *args) nn.Module { return nn.NewSoftmax(a.Int("dim")) },
	"Tanh":       func(*args) nn.Module { return nn.NewTanh() },
})
