package nn_test

import (
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// vectors returns two inputs: two sequences of 3 vectors, and two sequences of 5.
func vectors() []*torch.Tensor {
	x := torch.Rand(torch.Shape{2, 3, 4})
	return []*torch.Tensor{x, torch.Rand(torch.Shape{2, 5, 4})}
}

// paddedVectors returns the vectors and two padding masks: one masks ends of sequences,
// and the other masks other positions.
func paddedVectors() []*torch.Tensor {
	in := vectors()
	return append(in,
		torch.FromSlice([]bool{false, false, true, false, true, true, true, false, false, false, true, false}, 2, 2, 3))
}

var (
	small = []nn.TransformerLayerOption{nn.DimFeedforward(6), nn.BatchFirst(true)}
	every = []nn.TransformerLayerOption{
		nn.DimFeedforward(6), nn.DropoutP(0.5), nn.ActivationGELU, nn.LayerNormEps(0.1), nn.BatchFirst(true),
		nn.NormFirst(true), nn.Bias(false),
	}
)

// stacked calls a function that makes a stack of copies of layer, closes layer, and
// returns the stack.
func stacked(layer nn.Module, of func() nn.Module) nn.Module {
	defer func() { _ = layer.Close() }()
	return of()
}

func encoder(layers int64, opts ...nn.EncoderOption) nn.Module {
	l := nn.NewTransformerEncoderLayer(4, 2, small...)
	return stacked(l, func() nn.Module { return nn.NewTransformerEncoder(l, layers, opts...) })
}

func decoder(layers int64, opts ...nn.DecoderOption) nn.Module {
	l := nn.NewTransformerDecoderLayer(4, 2, small...)
	return stacked(l, func() nn.Module { return nn.NewTransformerDecoder(l, layers, opts...) })
}

func transformer(before []nn.TransformerLayerOption, opts ...nn.TransformerOption) nn.Module {
	all := []nn.TransformerOption{nn.DModel(4), nn.NHead(2)}
	encoder, decoder := nn.CustomEncoder(nil), nn.CustomDecoder(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case nn.CustomEncoderOption:
			encoder = o
		case nn.CustomDecoderOption:
			decoder = o
		}
	}
	if encoder == nn.CustomEncoder(nil) {
		all = append(all, nn.NumEncoderLayers(1))
	}
	if decoder == nn.CustomDecoder(nil) {
		all = append(all, nn.NumDecoderLayers(1))
	}
	for _, o := range before {
		all = append(all, o.(nn.TransformerOption))
	}
	return nn.NewTransformer(append(all, opts...)...)
}

var transformerMembers = []member{
	{
		"TransformerEncoderLayer", "nn.TransformerEncoderLayer(4, 2)",
		func(p *holder) nn.Module { return nn.NewTransformerEncoderLayer(4, 2, p.As("m")) }, vectors,
	},
	{
		"TransformerEncoderLayer/all", "nn.TransformerEncoderLayer(4, 2, dim_feedforward=6, dropout=0.5, " +
			`activation="gelu", layer_norm_eps=0.1, batch_first=True, norm_first=True, bias=False)`,
		func(p *holder) nn.Module {
			return nn.NewTransformerEncoderLayer(4, 2, slices.Concat(every, []nn.TransformerLayerOption{p.As("m")})...)
		}, vectors,
	},
	{
		"TransformerEncoderLayer/layer", "nn.TransformerEncoderLayer(4, 2, 6, activation=nn.PReLU())",
		func(p *holder) nn.Module {
			return nn.NewTransformerEncoderLayer(4, 2, nn.DimFeedforward(6), nn.ActivationLayer(nn.NewPReLU()),
				p.As("m"))
		}, vectors,
	},
	{"TransformerDecoderLayer", "nn.TransformerDecoderLayer(4, 2)", func(p *holder) nn.Module {
		return nn.NewTransformerDecoderLayer(4, 2, p.As("m"))
	}, func() []*torch.Tensor {
		x := torch.Rand(torch.Shape{3, 2, 4})
		return []*torch.Tensor{x, torch.Rand(torch.Shape{5, 2, 4})}
	}},
	{
		"TransformerDecoderLayer/all", "nn.TransformerDecoderLayer(4, 2, dim_feedforward=6, dropout=0.5, " +
			`activation="gelu", layer_norm_eps=0.1, batch_first=True, norm_first=True, bias=False)`,
		func(p *holder) nn.Module {
			return nn.NewTransformerDecoderLayer(4, 2, slices.Concat(every, []nn.TransformerLayerOption{p.As("m")})...)
		}, vectors,
	},
	{
		"TransformerEncoder", "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, batch_first=True), 2)",
		func(p *holder) nn.Module { return encoder(2, p.As("m")) }, vectors,
	},
	{
		"TransformerEncoder/all", "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, batch_first=True), " +
			"1, nn.Tanh(), False, False)",
		func(p *holder) nn.Module {
			return encoder(1, nn.FinalNorm(nn.NewTanh()), nn.EnableNestedTensor(false), nn.MaskCheck(false), p.As("m"))
		}, vectors,
	},
	{
		"TransformerDecoder", "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, batch_first=True), 2)",
		func(p *holder) nn.Module { return decoder(2, p.As("m")) }, vectors,
	},
	{
		"TransformerDecoder/all",
		"nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, batch_first=True), 1, nn.Tanh())",
		func(p *holder) nn.Module { return decoder(1, nn.FinalNorm(nn.NewTanh()), p.As("m")) }, vectors,
	},
	{
		"Transformer", "nn.Transformer(4, 2, 1, 1, 6, batch_first=True)",
		func(p *holder) nn.Module { return transformer(small, p.As("m")) }, vectors,
	},
	{
		"Transformer/all", `nn.Transformer(4, 2, 1, 2, dim_feedforward=6, dropout=0.5, activation="gelu", ` +
			"layer_norm_eps=0.1, batch_first=True, norm_first=True, bias=False)",
		func(p *holder) nn.Module { return transformer(every, nn.NumDecoderLayers(2), p.As("m")) }, vectors,
	},
}

var transformerElsewhere = map[string]elsewhereFunc{
	"TransformerEncoderLayer": func(d nn.Device, t nn.DType) nn.Module {
		return nn.NewTransformerEncoderLayer(4, 2, d, t)
	},
	"TransformerDecoderLayer": func(d nn.Device, t nn.DType) nn.Module {
		return nn.NewTransformerDecoderLayer(4, 2, d, t)
	},
	"Transformer": func(d nn.Device, t nn.DType) nn.Module { return transformer(small, d, t) },
}

// transformerResults runs a transformer. If in has masks, it runs an encoder with them
// too.
func transformerResults(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
	switch m := m.(type) {
	case nn.EncoderLayer:
		return []*torch.Tensor{m.Forward(in[0])}
	case nn.Encoder:
		out := []*torch.Tensor{m.Forward(in[0])}
		if len(in) == 3 && out[0].Device() != torch.Meta {
			torch.NoGrad(func() {
				for _, padding := range in[2].Unbind() {
					out = append(out, m.Forward(in[0], nn.SrcKeyPaddingMask(padding)))
				}
			})
		}
		return out
	case nn.Decoder:
		return []*torch.Tensor{m.Forward(in[0], in[1])}
	case *nn.Transformer:
		return []*torch.Tensor{m.Forward(in[1], in[0])}
	}
	return nil
}
