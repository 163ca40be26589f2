package models

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/ops"
)

// Encoder is the transformer of a [VisionTransformer].
// Follows torchvision.models.vision_transformer.Encoder.
type Encoder struct {
	nn.Base
	PosEmbedding *torch.Tensor // (1, patches + 1, features)
	Dropout      nn.Layer
	Layers       *nn.Sequential // of EncoderBlocks
	LN           nn.Layer
}

func newEncoder(c *config, s vitSize, length int64) *Encoder {
	l := new(Encoder)
	l.Init(l)
	l.PosEmbedding = l.RegisterParameter("pos_embedding",
		nninit.Normal_(torch.Empty(torch.Shape{1, length, s.hidden}), 0, 0.02))
	l.Dropout = nn.NewDropout(c.dropout, l.As("dropout"))
	l.Layers = nn.NewSequential().In(l, "layers")
	for i := range s.layers {
		l.Layers.Add(fmt.Sprintf("encoder_layer_%d", i), newEncoderBlock(c, s))
	}
	l.LN = c.norm(s.hidden)
	l.Register("ln", l.LN)
	return l
}

// Forward takes x of shape (N, patches + 1, features) and returns a new tensor of that
// shape. It panics with ErrShape if x has a different shape.
func (l *Encoder) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return chain.Run(x.Add(l.PosEmbedding), l.Dropout, l.Layers, l.LN)
	})
}

// EncoderBlock is a layer of an [Encoder].
// Follows torchvision.models.vision_transformer.EncoderBlock.
type EncoderBlock struct {
	nn.Base
	LN1           nn.Layer
	SelfAttention nn.Attention
	Dropout       nn.Layer
	LN2           nn.Layer
	MLP           *MLPBlock
}

func newEncoderBlock(c *config, s vitSize) *EncoderBlock {
	l := new(EncoderBlock)
	l.Init(l)
	l.LN1 = c.norm(s.hidden)
	l.Register("ln_1", l.LN1)
	l.SelfAttention = nn.NewMultiheadAttention(s.hidden, s.heads, nn.DropoutP(c.attentionDropout), nn.BatchFirst(true),
		l.As("self_attention"))
	l.Dropout = nn.NewDropout(c.dropout, l.As("dropout"))
	l.LN2 = c.norm(s.hidden)
	l.Register("ln_2", l.LN2)
	l.MLP = newMLPBlock(s.hidden, s.mlp, c.dropout)
	l.Register("mlp", l.MLP)
	return l
}

// Forward takes x of shape (N, L, features) and returns a new tensor of that shape.
func (l *EncoderBlock) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		h := l.LN1.Forward(x)
		y, _ := l.SelfAttention.Forward(h, h, h, nn.NeedWeights(false))
		own.Release(h)
		y = chain.Run(y, l.Dropout)
		y = own.Instead(y, y.Add(x))
		z := l.LN2.Forward(y)
		z = chain.Run(z, l.MLP)
		return y.Add(z)
	})
}

// MLPBlock is the MLP of an [EncoderBlock].
// Follows torchvision.models.vision_transformer.MLPBlock.
type MLPBlock struct{ *ops.MLP }

func newMLPBlock(in, hidden int64, dropout float64) *MLPBlock {
	l := &MLPBlock{ops.NewMLP(in, []int64{hidden, in}, ops.Dropout(dropout),
		ops.ActivationLayer(func(bool) nn.Layer { return nn.NewGELU() }))}
	l.Init(l)
	initialize(l, nil, func(l *nn.Linear) {
		nninit.XavierUniform_(l.Weight)
		nninit.Normal_(l.Bias, 0, 1e-6)
	})
	renamed(l, mlpName)
	return l
}
