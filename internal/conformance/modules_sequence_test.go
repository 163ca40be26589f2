package conformance_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
)

func recurrentOptions[O any](a *args, more ...any) []O {
	shared := []any{nn.NumLayers(0), nn.Bias(false), nn.BatchFirst(false), nn.DropoutP(0), nn.Bidirectional(false)}
	return options[O](a, append(shared, more...)...)
}

// transformerOptions returns the options of a Transformer or of one of its layers. The
// samples name some positional arguments arg0 to arg4; these get their real names.
func transformerOptions[O any](a *args) []O {
	for i, name := range []string{"d_model", "nhead", "dim_feedforward", "dropout", "activation"} {
		old := "arg" + string(rune('0'+i))
		if v, ok := a.values[old]; ok {
			delete(a.values, old)
			a.values[name] = v
		}
	}
	opts := options[O](a, nn.DimFeedforward(0), nn.DropoutP(0), nn.LayerNormEps(0), nn.BatchFirst(false),
		nn.NormFirst(false), nn.Bias(false),
		nn.NumEncoderLayers(0), nn.NumDecoderLayers(0))
	opts = append(opts, options[O](a, nn.DType(0))...)
	a.IsNone("device")
	if a.Has("activation") {
		opts = append(opts, any(nn.Activation(a.Function("activation"))).(O))
	}
	return opts
}

var _ = modules(map[string]builder{
	"RNN": func(a *args) nn.Module {
		return nn.NewRNN(a.Int("input_size"), a.Int("hidden_size"),
			recurrentOptions[nn.RNNOption](a, nn.Nonlinearity(""))...)
	},
	"GRU": func(a *args) nn.Module {
		return nn.NewGRU(a.Int("input_size"), a.Int("hidden_size"), recurrentOptions[nn.GRUOption](a)...)
	},
	"LSTM": func(a *args) nn.Module {
		return nn.NewLSTM(a.Int("input_size"), a.Int("hidden_size"),
			recurrentOptions[nn.LSTMOption](a, nn.ProjSize(0))...)
	},
	"RNNCell": func(a *args) nn.Module {
		return nn.NewRNNCell(a.Int("input_size"), a.Int("hidden_size"),
			options[nn.RNNCellOption](a, nn.Bias(false), nn.Nonlinearity(""))...)
	},
	"GRUCell": func(a *args) nn.Module {
		return nn.NewGRUCell(a.Int("input_size"), a.Int("hidden_size"), options[nn.CellOption](a, nn.Bias(false))...)
	},
	"LSTMCell": func(a *args) nn.Module {
		return nn.NewLSTMCell(a.Int("input_size"), a.Int("hidden_size"), options[nn.CellOption](a, nn.Bias(false))...)
	},
	"MultiheadAttention": func(a *args) nn.Module {
		opts := options[nn.AttentionOption](a, nn.DropoutP(0), nn.Bias(false), nn.AddZeroAttn(false),
			nn.BatchFirst(false))
		for name, o := range map[string]any{
			"kdim": nn.KDim(0), "vdim": nn.VDim(0),
			"add_bias_kv": nn.AddBiasKV(false),
		} {
			if !a.IsNone(name) {
				opts = option(a, opts, name, o)
			}
		}
		return nn.NewMultiheadAttention(a.Int("embed_dim"), a.Int("num_heads"), opts...)
	},
	"TransformerEncoderLayer": func(a *args) nn.Module {
		opts := transformerOptions[nn.TransformerLayerOption](a)
		return nn.NewTransformerEncoderLayer(a.Int("d_model"), a.Int("nhead"), opts...)
	},
	"TransformerDecoderLayer": func(a *args) nn.Module {
		opts := transformerOptions[nn.TransformerLayerOption](a)
		return nn.NewTransformerDecoderLayer(a.Int("d_model"), a.Int("nhead"), opts...)
	},
	"TransformerEncoder": func(a *args) nn.Module {
		layer := a.Module("encoder_layer").(*nn.TransformerEncoderLayer)
		defer func() { _ = layer.Close() }()
		return nn.NewTransformerEncoder(layer, a.Int("num_layers"),
			options[nn.EncoderOption](a, nn.EnableNestedTensor(false), nn.MaskCheck(false))...)
	},
	"Transformer": func(a *args) nn.Module {
		opts := transformerOptions[nn.TransformerOption](a)
		return nn.NewTransformer(append(opts, nn.DModel(a.Int("d_model")), nn.NHead(a.Int("nhead")))...)
	},
})

// recurrent calls Forward or ForwardPacked of an RNN or GRU.
func recurrent[L interface {
	Forward(input, h0 *torch.Tensor) (output, h *torch.Tensor)
	ForwardPacked(input *rnn.PackedSequence, h0 *torch.Tensor) (output *rnn.PackedSequence, h *torch.Tensor)
}](m nn.Module, a *args) []*torch.Tensor {
	h0 := a.Tensor("hx")
	if p, ok := a.Packed("input"); ok {
		out, h := m.(L).ForwardPacked(rnn.NewPackedSequence(p[0], p[1], p[2], p[3]), h0)
		return []*torch.Tensor{out.Data, out.BatchSizes, out.SortedIndices, out.UnsortedIndices, h}
	}
	out, h := m.(L).Forward(a.Tensor("input"), h0)
	return []*torch.Tensor{out, h}
}

// state returns the initial state of an LSTM or LSTMCell, or nils if the call has none.
func state(a *args) (h, c *torch.Tensor) {
	if !a.Has("hx") || a.IsNone("hx") {
		return nil, nil
	}
	hx := a.Tensors("hx")
	return hx[0], hx[1]
}

var _ = forwards(map[string]forward{
	"RNN": recurrent[*nn.RNN],
	"GRU": recurrent[*nn.GRU],
	"LSTM": func(m nn.Module, a *args) []*torch.Tensor {
		h0, c0 := state(a)
		if p, ok := a.Packed("input"); ok {
			out, h, c := m.(*nn.LSTM).ForwardPacked(rnn.NewPackedSequence(p[0], p[1], p[2], p[3]), h0, c0)
			return []*torch.Tensor{out.Data, out.BatchSizes, out.SortedIndices, out.UnsortedIndices, h, c}
		}
		out, h, c := m.(*nn.LSTM).Forward(a.Tensor("input"), h0, c0)
		return []*torch.Tensor{out, h, c}
	},
	"RNNCell": func(m nn.Module, a *args) []*torch.Tensor {
		return []*torch.Tensor{m.(*nn.RNNCell).Forward(a.Tensor("input"), a.Tensor("hx"))}
	},
	"GRUCell": func(m nn.Module, a *args) []*torch.Tensor {
		return []*torch.Tensor{m.(*nn.GRUCell).Forward(a.Tensor("input"), a.Tensor("hx"))}
	},
	"LSTMCell": func(m nn.Module, a *args) []*torch.Tensor {
		h0, c0 := state(a)
		h, c := m.(*nn.LSTMCell).Forward(a.Tensor("input"), h0, c0)
		return []*torch.Tensor{h, c}
	},
	"MultiheadAttention": func(m nn.Module, a *args) []*torch.Tensor {
		y, w := m.(*nn.MultiheadAttention).Forward(a.Tensor("query"), a.Tensor("key"), a.Tensor("value"),
			nn.AttnMask(a.Tensor("attn_mask")), nn.KeyPaddingMask(a.Tensor("key_padding_mask")))
		return []*torch.Tensor{y, w}
	},
	"TransformerEncoderLayer": func(m nn.Module, a *args) []*torch.Tensor {
		return []*torch.Tensor{m.(*nn.TransformerEncoderLayer).Forward(a.Tensor("src"),
			nn.SrcMask(a.Tensor("src_mask")), nn.SrcKeyPaddingMask(a.Tensor("src_key_padding_mask")))}
	},
	"TransformerEncoder": func(m nn.Module, a *args) []*torch.Tensor {
		return []*torch.Tensor{m.(*nn.TransformerEncoder).Forward(a.Tensor("src"),
			nn.Mask(a.Tensor("mask")), nn.SrcKeyPaddingMask(a.Tensor("src_key_padding_mask")))}
	},
	"TransformerDecoderLayer": func(m nn.Module, a *args) []*torch.Tensor {
		return []*torch.Tensor{m.(*nn.TransformerDecoderLayer).Forward(a.Tensor("tgt"), a.Tensor("memory"),
			decoding(a)...)}
	},
	"Transformer": func(m nn.Module, a *args) []*torch.Tensor {
		opts := []nn.TransformerCallOption{
			nn.SrcMask(a.Tensor("src_mask")),
			nn.SrcKeyPaddingMask(a.Tensor("src_key_padding_mask")),
		}
		for _, o := range decoding(a) {
			opts = append(opts, o.(nn.TransformerCallOption))
		}
		return []*torch.Tensor{m.(*nn.Transformer).Forward(a.Tensor("src"), a.Tensor("tgt"), opts...)}
	},
})

func decoding(a *args) []nn.DecoderCallOption {
	return []nn.DecoderCallOption{
		nn.TgtMask(a.Tensor("tgt_mask")), nn.MemoryMask(a.Tensor("memory_mask")),
		nn.TgtKeyPaddingMask(a.Tensor("tgt_key_padding_mask")),
		nn.MemoryKeyPaddingMask(a.Tensor("memory_key_padding_mask")),
	}
}
