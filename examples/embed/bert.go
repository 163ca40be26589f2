package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Shapes are (B, T, C): the numbers of texts, tokens and features. H is the number of
// heads, D = C/H.

// Config contains the sizes of a BERT model.
type Config struct {
	Vocabulary, Positions, Types int64
	Width, Inner, Heads          int64
	Layers                       int
}

// MiniLM contains the sizes of all-MiniLM-L6-v2, which has 22 million parameters.
var MiniLM = Config{Vocabulary: 30522, Positions: 512, Types: 2, Width: 384, Inner: 1536, Heads: 12, Layers: 6}

const eps = nn.Eps(1e-12)

// BERT encodes texts. In each layer every token attends to all tokens, both earlier and
// later ones, and then a feed-forward network transforms each token.
type BERT struct {
	nn.Base
	words, positions, types *nn.Embedding
	norm                    *nn.LayerNorm
	layers                  *nn.ModuleList
}

// NewBERT returns a BERT whose parameters are on the Meta device. LoadStateDict with Assign
// replaces them with tensors that have memory.
func NewBERT(c Config, opts ...nn.InitOption) *BERT {
	b := new(BERT)
	b.Init(b, opts...)
	meta := nn.Device(torch.Meta)
	b.words = nn.NewEmbedding(c.Vocabulary, c.Width, meta)
	b.positions = nn.NewEmbedding(c.Positions, c.Width, meta)
	b.types = nn.NewEmbedding(c.Types, c.Width, meta)
	b.norm = nn.NewLayerNorm(torch.Shape{c.Width}, eps, meta)
	b.layers = nn.NewModuleList()
	for range c.Layers {
		b.layers.Append(newLayer(c))
	}
	return b
}

// Forward returns features (B, T, C) for token IDs (B, T). mask, of shape (B, 1, 1, T), is
// true for tokens and false for padding. A nil mask means that there is no padding.
func (b *BERT) Forward(ids, mask *torch.Tensor) *torch.Tensor {
	return b.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		t := ids.Size(1)
		x := b.words.Forward(ids).
			Add_(b.types.Weight.Select(0, 0)). // all tokens of a single text have type 0
			Add_(b.positions.Weight.Narrow(0, 0, t))
		x = b.norm.Forward(x)
		for _, l := range b.layers.Values() {
			before := x
			x = l.(*layer).Forward(before, mask)
			_ = before.Close() // otherwise the scope keeps the results of all layers
		}
		return x
	})
}

type layer struct {
	nn.Base
	heads    int64
	qkv, out *nn.Linear // one multiplication computes queries, keys and values
	normAttn *nn.LayerNorm
	up, down *nn.Linear
	normFF   *nn.LayerNorm
}

func newLayer(c Config) *layer {
	l := &layer{heads: c.Heads}
	l.Init(l)
	meta := nn.Device(torch.Meta)
	l.qkv = nn.NewLinear(c.Width, 3*c.Width, meta)
	l.out = nn.NewLinear(c.Width, c.Width, meta)
	l.normAttn = nn.NewLayerNorm(torch.Shape{c.Width}, eps, meta)
	l.up = nn.NewLinear(c.Width, c.Inner, meta)
	l.down = nn.NewLinear(c.Inner, c.Width, meta)
	l.normFF = nn.NewLayerNorm(torch.Shape{c.Width}, eps, meta)
	return l
}

func (l *layer) Forward(x, mask *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = l.normAttn.Forward(l.attend(x, mask).Add_(x))
		return l.normFF.Forward(l.down.Forward(F.GELU(l.up.Forward(x))).Add_(x))
	})
}

// attend computes attention. It frees its temporaries, so that they do not use memory while
// the feed-forward network runs.
func (l *layer) attend(x, mask *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		b, t, c := x.Size(0), x.Size(1), x.Size(2)
		qkv := l.qkv.Forward(x).View(b, t, 3, l.heads, c/l.heads).Permute(2, 0, 3, 1, 4) // (3, B, H, T, D)
		y := F.ScaledDotProductAttention(qkv.Select(0, 0), qkv.Select(0, 1), qkv.Select(0, 2), F.AttnMask(mask))
		return l.out.Forward(y.Transpose(1, 2).Reshape(b, t, c))
	})
}

// fromHuggingFace maps the parameter names of transformers' BertModel to the names in this
// package.
var fromHuggingFace = []nn.LoadOption{
	nn.Assign(true),
	nn.Concat{
		{To: "layers.*.qkv.weight", From: attention("weight")},
		{To: "layers.*.qkv.bias", From: attention("bias")},
	},
	nn.Rename{
		{"embeddings.word_embeddings.*", "words.*"},
		{"embeddings.position_embeddings.*", "positions.*"},
		{"embeddings.token_type_embeddings.*", "types.*"},
		{"embeddings.LayerNorm.*", "norm.*"},
		{"encoder.layer.*.attention.output.dense.*", "layers.*.out.*"},
		{"encoder.layer.*.attention.output.LayerNorm.*", "layers.*.norm_attn.*"},
		{"encoder.layer.*.intermediate.dense.*", "layers.*.up.*"},
		{"encoder.layer.*.output.dense.*", "layers.*.down.*"},
		{"encoder.layer.*.output.LayerNorm.*", "layers.*.norm_ff.*"},
	},
	nn.Ignore{"embeddings.position_ids", "pooler.**"}, // constants, and a layer that only training needed
}

func attention(parameter string) []string {
	var names []string
	for _, part := range []string{"query", "key", "value"} {
		names = append(names, "encoder.layer.*.attention.self."+part+"."+parameter)
	}
	return names
}
