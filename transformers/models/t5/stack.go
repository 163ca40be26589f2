package t5

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Stack is the encoder or the decoder of a model. Follows T5Stack.
type Stack struct {
	nn.Base
	EmbedTokens    nn.Layer       // the model's Shared
	Block          *nn.ModuleList // of Blocks
	FinalLayerNorm *models.RMSNorm
	Dropout        *nn.Dropout
}

func newStack(c Config, shared nn.Layer, decodes bool) *Stack {
	l := &Stack{EmbedTokens: shared, Block: nn.NewModuleList()}
	l.Init(l, nn.TypeName("T5Stack"))
	n := c.Layers
	if decodes {
		n = c.DecoderLayers
	}
	for i := range n {
		l.Block.Append(newBlock(c, i, decodes))
	}
	l.FinalLayerNorm = models.NewRMSNorm(c.Model, c.LayerNormEpsilon)
	l.Dropout = nn.NewDropout(c.DropoutRate)
	return l
}

// encode returns the features of a text. seen is its mask or nil.
func (l *Stack) encode(ids, seen *torch.Tensor) *torch.Tensor {
	return l.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		t := ids.Size(1)
		p := &pass{bias: masked(l.first().bias(t, 0, t, ids.Device()), seen)}
		return l.run(ids, p)
	})
}

// decode returns the features of the decoder's tokens.
func (l *Stack) decode(in models.DecoderInputs) *torch.Tensor {
	return l.Call(in.IDs, func(ids *torch.Tensor) *torch.Tensor {
		t, first := ids.Size(1), l.first()
		p := &pass{in: in, bias: masked(first.bias(t, in.Past, in.Past+t, ids.Device()), causal(in.Inputs))}
		none := torch.Zeros(torch.Shape{1, first.heads, t, in.Features.Size(1)}, p.bias.DType(), ids.Device())
		p.cross = masked(none, in.FeaturesMask)
		return l.run(ids, p)
	})
}

// causal returns which tokens each of the new tokens sees, or nil if it is all of them.
func causal(in models.Inputs) *torch.Tensor {
	t := in.IDs.Size(1)
	var seen *torch.Tensor
	if t > 1 {
		device := in.IDs.Device()
		from := torch.Arange(in.Past, in.Past+t, device).Unsqueeze(1)
		seen = torch.Arange(in.Past+t, device).Unsqueeze(0).Le(from).Unsqueeze(0).Unsqueeze(0)
	}
	if in.Mask == nil {
		return seen
	}
	mask := in.Mask.Unsqueeze(1).Unsqueeze(1)
	if seen == nil {
		return mask
	}
	return seen.LogicalAnd(mask)
}

// first returns the attention with the biases of all layers.
func (l *Stack) first() *Attention {
	return l.Block.At(0).(*Block).Layer.At(0).(*SelfAttention).SelfAttention
}

func (l *Stack) run(ids *torch.Tensor, p *pass) *torch.Tensor {
	x := l.Dropout.Forward(l.EmbedTokens.Forward(ids))
	for _, b := range l.Block.Values() {
		before := x
		x = b.(*Block).forward(before, p)
		_ = before.Close() // or the scope would keep the results of all layers
	}
	return l.Dropout.Forward(l.FinalLayerNorm.Forward(x))
}

// Block is a layer of a [Stack]. Follows T5Block.
type Block struct {
	nn.Base
	Layer *nn.ModuleList // a SelfAttention, in a decoder a CrossAttention, and a FeedForward
}

func newBlock(c Config, i int, decodes bool) *Block {
	l := &Block{Layer: nn.NewModuleList()}
	l.Init(l, nn.TypeName("T5Block"))
	l.Layer.Append(newSelfAttention(c, i, decodes))
	if decodes {
		l.Layer.Append(newCrossAttention(c, i))
	}
	l.Layer.Append(newFeedForward(c))
	return l
}

func (l *Block) forward(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		for _, part := range l.Layer.Values() {
			switch part := part.(type) {
			case *SelfAttention:
				x = part.forward(x, p)
			case *CrossAttention:
				x = part.forward(x, p)
			case *FeedForward:
				x = part.Forward(x)
			}
			x = finite(x)
		}
		return x
	})
}

// finite limits float16 features, which would overflow in training.
func finite(x *torch.Tensor) *torch.Tensor {
	if x.DType() != torch.Float16 {
		return x
	}
	most := torch.Finfo(torch.Float16).Max
	if x.IsInf().Any().ItemBool() {
		most -= 1000
	}
	return x.Clamp(-most, most)
}

// SelfAttention is the attention to the same text, with its norm. Follows
// T5LayerSelfAttention.
type SelfAttention struct {
	nn.Base
	SelfAttention *Attention `torch:"SelfAttention"`
	LayerNorm     *models.RMSNorm
	Dropout       *nn.Dropout
}

func newSelfAttention(c Config, i int, decodes bool) *SelfAttention {
	l := new(SelfAttention)
	l.Init(l, nn.TypeName("T5LayerSelfAttention"))
	l.SelfAttention = newAttention(c, i, decodes, i == 0)
	l.LayerNorm = models.NewRMSNorm(c.Model, c.LayerNormEpsilon)
	l.Dropout = nn.NewDropout(c.DropoutRate)
	return l
}

func (l *SelfAttention) forward(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return x.Add(l.Dropout.Forward(l.SelfAttention.self(l.LayerNorm.Forward(x), p)))
	})
}

// CrossAttention is the attention to the encoder's features, with its norm. Follows
// T5LayerCrossAttention.
type CrossAttention struct {
	nn.Base
	EncDecAttention *Attention `torch:"EncDecAttention"`
	LayerNorm       *models.RMSNorm
	Dropout         *nn.Dropout
}

func newCrossAttention(c Config, i int) *CrossAttention {
	l := new(CrossAttention)
	l.Init(l, nn.TypeName("T5LayerCrossAttention"))
	l.EncDecAttention = newAttention(c, i, true, false)
	l.LayerNorm = models.NewRMSNorm(c.Model, c.LayerNormEpsilon)
	l.Dropout = nn.NewDropout(c.DropoutRate)
	return l
}

func (l *CrossAttention) forward(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return x.Add(l.Dropout.Forward(l.EncDecAttention.features(l.LayerNorm.Forward(x), p)))
	})
}

// FeedForward is a feed-forward network with its norm. Follows T5LayerFF.
type FeedForward struct {
	nn.Base
	DenseReluDense *Dense `torch:"DenseReluDense"`
	LayerNorm      *models.RMSNorm
	Dropout        *nn.Dropout
}

func newFeedForward(c Config) *FeedForward {
	l := new(FeedForward)
	l.Init(l, nn.TypeName("T5LayerFF"))
	l.DenseReluDense = newDense(c)
	l.LayerNorm = models.NewRMSNorm(c.Model, c.LayerNormEpsilon)
	l.Dropout = nn.NewDropout(c.DropoutRate)
	return l
}

// Forward takes x of shape (N, T, d_model) and returns a new tensor of that shape.
func (l *FeedForward) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return x.Add(l.Dropout.Forward(l.DenseReluDense.Forward(l.LayerNorm.Forward(x))))
	})
}

// Dense is a feed-forward network, gated or not. Follows T5DenseActDense and
// T5DenseGatedActDense.
type Dense struct {
	nn.Base
	Wi      nn.Layer // nil if the network is gated
	Wi0     nn.Layer `torch:"wi_0"` // nil if it is not gated
	Wi1     nn.Layer `torch:"wi_1"` // as Wi0
	Wo      nn.Layer
	Dropout *nn.Dropout
	act     func(*torch.Tensor) *torch.Tensor
}

func newDense(c Config) *Dense {
	l := new(Dense)
	gated, name := c.activation()
	l.act, _ = models.Activation(name) // check has checked it
	in := func() *models.Linear { return linear(c, c.Model, c.FeedForward, 1/math.Sqrt(float64(c.Model))) }
	if gated {
		l.Init(l, nn.TypeName("T5DenseGatedActDense"))
		l.Wi0, l.Wi1 = in(), in()
	} else {
		l.Init(l, nn.TypeName("T5DenseActDense"))
		l.Wi = in()
	}
	l.Wo = linear(c, c.FeedForward, c.Model, 1/math.Sqrt(float64(c.FeedForward)))
	l.Dropout = nn.NewDropout(c.DropoutRate)
	return l
}

// Forward takes x of shape (*, d_model) and returns a new tensor of that shape.
func (l *Dense) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		var h *torch.Tensor
		if l.Wi != nil {
			h = l.act(l.Wi.Forward(x))
		} else {
			h = l.act(l.Wi0.Forward(x)).Mul(l.Wi1.Forward(x))
		}
		return l.Wo.Forward(l.Dropout.Forward(h))
	})
}
