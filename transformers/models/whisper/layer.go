package whisper

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Attention is the attention to the same text or sound, or to the encoder's features.
// Follows WhisperAttention.
type Attention struct {
	nn.Base
	KProj, VProj, QProj, OutProj nn.Layer

	index          int
	headDim        int64
	scale, dropout float64
}

func newAttention(c Config, i int, heads int64) *Attention {
	l := &Attention{index: i, headDim: c.Model / heads, dropout: c.AttentionDropout}
	l.scale = 1 / math.Sqrt(float64(l.headDim))
	l.Init(l, nn.TypeName("WhisperAttention"))
	l.KProj = models.NewLinear(c.Model, c.Model, false, c.InitStd)
	l.VProj = linear(c, c.Model, c.Model)
	l.QProj = linear(c, c.Model, c.Model)
	l.OutProj = linear(c, c.Model, c.Model)
	return l
}

// self attends to x, for a decoder with the attention a to earlier tokens. For an encoder a
// is nil.
func (l *Attention) self(x *torch.Tensor, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		q, k, v := l.queries(x), l.heads(l.KProj, x), l.heads(l.VProj, x)
		if a != nil {
			return l.OutProj.Forward(models.MergeHeads(a.Attend(l.index, q, k, v, 1, l.dropoutNow())))
		}
		return l.attend(q, k, v)
	})
}

// features attends to the encoder's features.
func (l *Attention) features(x *torch.Tensor, in models.DecoderInputs) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		compute := func() (k, v *torch.Tensor) { return l.heads(l.KProj, in.Features), l.heads(l.VProj, in.Features) }
		q := l.queries(x)
		if in.Cache == nil {
			k, v := compute()
			return l.attend(q, k, v)
		}
		k, v := in.Cache.Cross(l.index, compute)
		return l.attend(q, k, v)
	})
}

// queries returns the queries, scaled before the attention as in transformers.
func (l *Attention) queries(x *torch.Tensor) *torch.Tensor {
	return models.SplitHeads(l.QProj.Forward(x).MulScalar(l.scale), l.headDim).Contiguous()
}

func (l *Attention) heads(projection nn.Layer, x *torch.Tensor) *torch.Tensor {
	return models.SplitHeads(projection.Forward(x), l.headDim).Contiguous()
}

func (l *Attention) attend(q, k, v *torch.Tensor) *torch.Tensor {
	y := F.ScaledDotProductAttention(q, k, v, F.DropoutP(l.dropoutNow()), F.Scale(1))
	return l.OutProj.Forward(models.MergeHeads(y))
}

func (l *Attention) dropoutNow() float64 {
	if l.Training() {
		return l.dropout
	}
	return 0
}

// feedForward is the second half of a layer.
type feedForward struct {
	act                    func(*torch.Tensor) *torch.Tensor
	dropout, innerDropout  float64
	norm                   *nn.LayerNorm
	first, second          nn.Layer
	training, clampsHalves bool
}

func (f feedForward) run(x *torch.Tensor) *torch.Tensor {
	y := F.Dropout(f.act(f.first.Forward(f.norm.Forward(x))), F.P(f.innerDropout), F.Training(f.training))
	y = x.Add(F.Dropout(f.second.Forward(y), F.P(f.dropout), F.Training(f.training)))
	if f.clampsHalves && y.DType() == torch.Float16 {
		most := torch.Finfo(torch.Float16).Max - 1000
		y = y.Clamp(-most, most)
	}
	return y
}

// EncoderLayer is a layer of an [Encoder]. Follows WhisperEncoderLayer.
type EncoderLayer struct {
	nn.Base
	SelfAttn          *Attention
	SelfAttnLayerNorm *nn.LayerNorm
	FC1, FC2          nn.Layer
	FinalLayerNorm    *nn.LayerNorm
	feedForward       feedForward
}

func newEncoderLayer(c Config) *EncoderLayer {
	l := &EncoderLayer{feedForward: newFeedForward(c)}
	l.feedForward.clampsHalves = true
	l.Init(l, nn.TypeName("WhisperEncoderLayer"))
	l.SelfAttn = newAttention(c, 0, c.EncoderHeads)
	l.SelfAttnLayerNorm = norm(c)
	l.FC1 = linear(c, c.Model, c.EncoderFeedForward)
	l.FC2 = linear(c, c.EncoderFeedForward, c.Model)
	l.FinalLayerNorm = norm(c)
	return l
}

func newFeedForward(c Config) feedForward {
	f := feedForward{dropout: c.Dropout, innerDropout: c.ActivationDropout}
	f.act, _ = models.Activation(c.ActivationFunction) // check has checked it
	return f
}

// Forward takes x of shape (N, S, d_model) and returns a new tensor of that shape.
func (l *EncoderLayer) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		f := l.feedForward
		f.norm, f.first, f.second, f.training = l.FinalLayerNorm, l.FC1, l.FC2, l.Training()
		y := l.SelfAttn.self(l.SelfAttnLayerNorm.Forward(x), nil)
		return f.run(x.Add(F.Dropout(y, F.P(f.dropout), F.Training(f.training))))
	})
}

// DecoderLayer is a layer of a [Decoder]. Follows WhisperDecoderLayer.
type DecoderLayer struct {
	nn.Base
	SelfAttn             *Attention
	SelfAttnLayerNorm    *nn.LayerNorm
	EncoderAttn          *Attention
	EncoderAttnLayerNorm *nn.LayerNorm
	FC1, FC2             nn.Layer
	FinalLayerNorm       *nn.LayerNorm
	feedForward          feedForward
}

func newDecoderLayer(c Config, i int) *DecoderLayer {
	l := &DecoderLayer{feedForward: newFeedForward(c)}
	l.Init(l, nn.TypeName("WhisperDecoderLayer"))
	l.SelfAttn = newAttention(c, i, c.DecoderHeads)
	l.SelfAttnLayerNorm = norm(c)
	l.EncoderAttn = newAttention(c, i, c.DecoderHeads)
	l.EncoderAttnLayerNorm = norm(c)
	l.FC1 = linear(c, c.Model, c.DecoderFeedForward)
	l.FC2 = linear(c, c.DecoderFeedForward, c.Model)
	l.FinalLayerNorm = norm(c)
	return l
}

func (l *DecoderLayer) forward(x *torch.Tensor, in models.DecoderInputs, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		f := l.feedForward
		f.norm, f.first, f.second, f.training = l.FinalLayerNorm, l.FC1, l.FC2, l.Training()
		y := l.SelfAttn.self(l.SelfAttnLayerNorm.Forward(x), a)
		x = x.Add(F.Dropout(y, F.P(f.dropout), F.Training(f.training)))
		y = l.EncoderAttn.features(l.EncoderAttnLayerNorm.Forward(x), in)
		return f.run(x.Add(F.Dropout(y, F.P(f.dropout), F.Training(f.training))))
	})
}

func norm(c Config) *nn.LayerNorm { return nn.NewLayerNorm(torch.Shape{c.Model}) }

func linear(c Config, in, out int64) *models.Linear {
	return models.NewLinear(in, out, true, c.InitStd)
}
