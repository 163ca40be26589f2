// Package nanogpt contains nanoGPT's model for single characters, a character encoding,
// and a text to train on.
package nanogpt

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Shapes are (B, T, C): the numbers of texts, characters and features. H is the number of
// heads, D = C/H.

// Config contains the sizes of a GPT model.
type Config struct {
	Vocabulary int64
	// The number of previous characters that the model sees.
	Block                int64
	Layers, Heads, Width int64
	Dropout              float64
}

// GPT predicts the next character of a text from the previous characters. It is nanoGPT's
// model.
type GPT struct {
	nn.Base
	Config
	wte, wpe *nn.Embedding // embeddings of the characters and of their positions
	drop     *nn.Dropout
	blocks   *nn.ModuleList
	norm     *nn.LayerNorm
	head     *nn.Linear
}

// NewGPT returns a GPT, initialized as in nanoGPT.
func NewGPT(c Config) *GPT {
	m := &GPT{Config: c}
	m.Init(m)
	m.wte = nn.NewEmbedding(c.Vocabulary, c.Width)
	m.wpe = nn.NewEmbedding(c.Block, c.Width)
	m.drop = nn.NewDropout(c.Dropout)
	m.blocks = nn.NewModuleList()
	for range c.Layers {
		m.blocks.Append(newBlock(c))
	}
	m.norm = nn.NewLayerNorm(torch.Shape{c.Width})
	m.head = nn.NewLinear(c.Width, c.Vocabulary, nn.Bias(false))
	drawn := m.wte.Weight
	m.wte.Weight = m.head.Weight // embedding and head share their weight
	_ = drawn.Close()
	m.draw()
	return m
}

// draw initializes the weights.
func (m *GPT) draw() {
	for _, l := range nn.Modules(m) {
		switch l := l.(type) {
		case *nn.Linear:
			nninit.Normal_(l.Weight, 0, 0.02)
			if l.Bias != nil {
				nninit.Zeros_(l.Bias)
			}
		case *nn.Embedding:
			nninit.Normal_(l.Weight, 0, 0.02)
		}
	}
	// The more layers there are, the smaller the initial weights of the projections that
	// add to the residual stream.
	for _, b := range m.blocks.Values() {
		b := b.(*block)
		for _, l := range []*nn.Linear{b.attn.proj, b.down} {
			nninit.Normal_(l.Weight, 0, 0.02/math.Sqrt(2*float64(m.Layers)))
		}
	}
}

// Forward returns logits (B, T, V). For each character in ids (B, T), they predict the
// character that follows it.
func (m *GPT) Forward(ids *torch.Tensor) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		positions := torch.Arange(ids.Size(1), ids.Device())
		x := m.drop.Forward(m.wte.Forward(ids).Add(m.wpe.Forward(positions)))
		for _, b := range m.blocks.Values() {
			x = b.(*block).Forward(x)
		}
		return m.head.Forward(m.norm.Forward(x))
	})
}

// Generate appends n characters to each row of ids (B, T). Each character is drawn from
// the most likely ones, whose number is top. A temperature below 1 favors likely
// characters, and a temperature above 1 favors unlikely ones.
func (m *GPT) Generate(ids *torch.Tensor, n int, temperature float64, top int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		torch.NoGrad(func() {
			for range n {
				ids = torch.Tidy(func() *torch.Tensor {
					seen := ids.Narrow(1, max(0, ids.Size(1)-m.Block), min(ids.Size(1), m.Block))
					logits := m.Forward(seen).Select(1, -1).DivScalar(temperature)
					best, _ := logits.TopK(min(top, logits.Size(1)))
					logits = logits.MaskedFill(logits.Lt(best.Narrow(1, -1, 1)), math.Inf(-1))
					return torch.Cat([]*torch.Tensor{ids, logits.Softmax(-1).Multinomial(1)}, 1)
				})
			}
		})
		return ids
	})
}

// block is a transformer block: attention to earlier characters, then a feed-forward
// network for each character.
type block struct {
	nn.Base
	normAttn *nn.LayerNorm
	attn     *attention
	normMLP  *nn.LayerNorm
	up, down *nn.Linear
	drop     *nn.Dropout
}

func newBlock(c Config) *block {
	b := new(block)
	b.Init(b)
	b.normAttn = nn.NewLayerNorm(torch.Shape{c.Width})
	b.attn = newAttention(c)
	b.normMLP = nn.NewLayerNorm(torch.Shape{c.Width})
	b.up = nn.NewLinear(c.Width, 4*c.Width)
	b.down = nn.NewLinear(4*c.Width, c.Width)
	b.drop = nn.NewDropout(c.Dropout)
	return b
}

func (b *block) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = x.Add(b.attn.Forward(b.normAttn.Forward(x)))
		return x.Add(b.drop.Forward(b.down.Forward(F.GELU(b.up.Forward(b.normMLP.Forward(x))))))
	})
}

type attention struct {
	nn.Base
	heads   int64
	dropout float64
	qkv     *nn.Linear // one multiplication computes queries, keys and values
	proj    *nn.Linear
	drop    *nn.Dropout
}

func newAttention(c Config, opts ...nn.InitOption) *attention {
	a := &attention{heads: c.Heads, dropout: c.Dropout}
	a.Init(a, opts...)
	a.qkv = nn.NewLinear(c.Width, 3*c.Width)
	a.proj = nn.NewLinear(c.Width, c.Width)
	a.drop = nn.NewDropout(c.Dropout)
	return a
}

func (a *attention) Forward(x *torch.Tensor) *torch.Tensor {
	return a.Call(x, func(x *torch.Tensor) *torch.Tensor {
		b, t, c := x.Size(0), x.Size(1), x.Size(2)
		var heads [3]*torch.Tensor // (B, H, T, D)
		for i, part := range a.qkv.Forward(x).Split(c, 2) {
			heads[i] = part.View(b, t, a.heads, c/a.heads).Transpose(1, 2)
		}
		p := 0.0
		if a.Training() {
			p = a.dropout
		}
		y := F.ScaledDotProductAttention(heads[0], heads[1], heads[2], F.IsCausal(true), F.DropoutP(p))
		return a.drop.Forward(a.proj.Forward(y.Transpose(1, 2).Reshape(b, t, c)))
	})
}
