package llama

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// DecoderLayer is a layer of a [Model]. Follows LlamaDecoderLayer.
type DecoderLayer struct {
	nn.Base
	SelfAttn               *Attention
	MLP                    *MLP
	InputLayernorm         nn.Layer
	PostAttentionLayernorm nn.Layer
}

func newDecoderLayer(c Config, i int) *DecoderLayer {
	l := new(DecoderLayer)
	l.Init(l)
	l.SelfAttn = newAttention(c, i)
	l.MLP = newMLP(c)
	l.InputLayernorm = models.NewRMSNorm(c.HiddenSize, c.RMSNormEps)
	l.PostAttentionLayernorm = models.NewRMSNorm(c.HiddenSize, c.RMSNormEps)
	return l
}

func (l *DecoderLayer) forward(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = l.SelfAttn.forward(l.InputLayernorm.Forward(x), p).Add_(x)
		return l.MLP.Forward(l.PostAttentionLayernorm.Forward(x)).Add_(x)
	})
}

// Attention is the self-attention of a layer. Follows LlamaAttention.
type Attention struct {
	nn.Base
	QProj, KProj, VProj, OProj nn.Layer
	QNorm, KNorm               nn.Layer // nil without QKNorm

	index          int
	headDim        int64
	rotates        bool
	scale, dropout float64
}

func newAttention(c Config, i int) *Attention {
	l := &Attention{
		index: i, headDim: c.HeadDim, rotates: c.NoRope == nil || !c.NoRope[i], dropout: c.AttentionDropout,
		scale: 1 / math.Sqrt(float64(c.HeadDim)),
	}
	l.Init(l)
	l.QProj = linear(c, c.HiddenSize, c.AttentionHeads*c.HeadDim, c.AttentionBias)
	l.KProj = linear(c, c.HiddenSize, c.KeyValueHeads*c.HeadDim, c.AttentionBias)
	l.VProj = linear(c, c.HiddenSize, c.KeyValueHeads*c.HeadDim, c.AttentionBias)
	l.OProj = linear(c, c.AttentionHeads*c.HeadDim, c.HiddenSize, c.OutputBias)
	if c.QKNorm {
		l.QNorm = models.NewRMSNorm(c.HeadDim, c.RMSNormEps)
		l.KNorm = models.NewRMSNorm(c.HeadDim, c.RMSNormEps)
	}
	return l
}

func (l *Attention) forward(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		n, t := x.Size(0), x.Size(1)
		q := l.heads(l.QProj.Forward(x), l.QNorm)
		k := l.heads(l.KProj.Forward(x), l.KNorm)
		v := l.heads(l.VProj.Forward(x), nil)
		if l.rotates {
			q, k = models.Rotate(q, p.cos, p.sin), models.Rotate(k, p.cos, p.sin)
		}
		dropout := l.dropout
		if !l.Training() {
			dropout = 0
		}
		y := p.attention.Attend(l.index, q, k, v, l.scale, dropout)
		return l.OProj.Forward(y.Transpose(1, 2).Reshape(n, t, -1))
	})
}

// heads turns x (N, T, heads*D) into (N, heads, T, D), normalized unless norm is nil.
func (l *Attention) heads(x *torch.Tensor, norm nn.Layer) *torch.Tensor {
	x = x.View(x.Size(0), x.Size(1), -1, l.headDim)
	if norm != nil {
		x = norm.Forward(x)
	}
	return x.Transpose(1, 2)
}

// MLP is the feed-forward network of a layer. Follows LlamaMLP.
type MLP struct {
	nn.Base
	GateProj, UpProj, DownProj nn.Layer
	act                        func(*torch.Tensor) *torch.Tensor
}

func newMLP(c Config) *MLP {
	l := new(MLP)
	l.act, _ = models.Activation(c.HiddenAct) // complete has checked it
	l.Init(l)
	l.GateProj = linear(c, c.HiddenSize, c.IntermediateSize, c.MLPBias)
	l.UpProj = linear(c, c.HiddenSize, c.IntermediateSize, c.MLPBias)
	l.DownProj = linear(c, c.IntermediateSize, c.HiddenSize, c.MLPBias)
	return l
}

// Forward takes x of shape (*, hidden) and returns a new tensor of that shape.
func (l *MLP) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return l.DownProj.Forward(l.act(l.GateProj.Forward(x)).Mul_(l.UpProj.Forward(x)))
	})
}
