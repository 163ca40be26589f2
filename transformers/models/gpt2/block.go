package gpt2

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Block is a layer of a [Model]. Follows GPT2Block.
type Block struct {
	nn.Base
	LN1  nn.Layer `torch:"ln_1"`
	Attn *Attention
	LN2  nn.Layer `torch:"ln_2"`
	MLP  *MLP
}

func newBlock(c Config, i int) *Block {
	l := new(Block)
	l.Init(l)
	l.LN1 = norm(c)
	l.Attn = newAttention(c, i)
	l.LN2 = norm(c)
	l.MLP = newMLP(c)
	return l
}

func (l *Block) forward(x *torch.Tensor, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = l.Attn.forward(l.LN1.Forward(x), a).Add(x)
		return l.MLP.Forward(l.LN2.Forward(x)).Add(x)
	})
}

// Attention is the self-attention of a [Block]. Follows GPT2Attention.
type Attention struct {
	nn.Base
	CAttn, CProj nn.Layer
	ResidDropout *nn.Dropout

	index          int
	heads          int64
	scale, dropout float64
}

func newAttention(c Config, i int) *Attention {
	l := &Attention{index: i, heads: c.Heads, scale: 1, dropout: c.AttnPDrop}
	if c.ScaleAttnWeights {
		l.scale = 1 / math.Sqrt(float64(c.Embd/c.Heads))
	}
	if c.ScaleByLayer {
		l.scale /= float64(i + 1)
	}
	l.Init(l)
	l.CAttn = newConv1D(c.Embd, 3*c.Embd, c.InitializerRange)
	l.CProj = newConv1D(c.Embd, c.Embd, projectionRange(c))
	l.ResidDropout = nn.NewDropout(c.ResidPDrop)
	return l
}

// projectionRange is the standard deviation of the initial weights of the projections
// before residual additions. There are two in each layer.
func projectionRange(c Config) float64 { return c.InitializerRange / math.Sqrt(2*float64(c.Layers)) }

func (l *Attention) forward(x *torch.Tensor, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		n, t, c := x.Size(0), x.Size(1), x.Size(2)
		qkv := l.CAttn.Forward(x).View(n, t, 3, l.heads, c/l.heads).Permute(2, 0, 3, 1, 4)
		dropout := l.dropout
		if !l.Training() {
			dropout = 0
		}
		y := a.Attend(l.index, qkv.Select(0, 0), qkv.Select(0, 1), qkv.Select(0, 2), l.scale, dropout)
		return l.ResidDropout.Forward(l.CProj.Forward(y.Transpose(1, 2).Reshape(n, t, c)))
	})
}

// MLP is the feed-forward network of a [Block]. Follows GPT2MLP.
type MLP struct {
	nn.Base
	CFC     nn.Layer `torch:"c_fc"`
	CProj   nn.Layer
	Dropout *nn.Dropout
	act     func(*torch.Tensor) *torch.Tensor
}

func newMLP(c Config) *MLP {
	l := new(MLP)
	l.act, _ = models.Activation(c.Activation) // check has checked it
	l.Init(l)
	l.CFC = newConv1D(c.Embd, c.Inner, c.InitializerRange)
	l.CProj = newConv1D(c.Inner, c.Embd, projectionRange(c))
	l.Dropout = nn.NewDropout(c.ResidPDrop)
	return l
}

// Forward takes x of shape (*, n_embd) and returns a new tensor of that shape.
func (l *MLP) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return l.Dropout.Forward(l.CProj.Forward(l.act(l.CFC.Forward(x))))
	})
}

// Conv1D is a linear layer whose weights are transposed: (in, out). Follows
// transformers.Conv1D.
type Conv1D struct {
	nn.Base
	Weight, Bias *torch.Tensor
}

func newConv1D(in, out int64, std float64) *Conv1D {
	l := new(Conv1D)
	l.Init(l)
	l.Weight = l.RegisterParameter("weight", torch.Empty(torch.Shape{in, out}))
	l.Bias = l.RegisterParameter("bias", torch.Zeros(torch.Shape{out}))
	if l.Weight.Device() != torch.Meta {
		nninit.Normal_(l.Weight, 0, std)
	}
	return l
}

// Forward takes x of shape (*, in) and returns a new tensor of shape (*, out).
func (l *Conv1D) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		s := x.Shape()
		s[len(s)-1] = l.Weight.Size(1)
		return l.Bias.Addmm(x.Reshape(-1, l.Weight.Size(0)), l.Weight).View(s...)
	})
}
