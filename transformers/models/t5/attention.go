package t5

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// pass is what the layers of a forward pass share.
type pass struct {
	in    models.DecoderInputs // of a decoder; an encoder has only IDs
	bias  *torch.Tensor        // what is added to the scores of a token for its own text
	cross *torch.Tensor        // what is added to the scores for the encoder's features
}

// Attention is the attention to the same text, or to the encoder's features. Follows
// T5Attention.
type Attention struct {
	nn.Base
	Q, K, V, O            nn.Layer
	RelativeAttentionBias nn.Layer // of the first layer, otherwise nil

	index                            int
	heads, headDim, buckets, distant int64
	decodes                          bool
	dropout                          float64
}

func newAttention(c Config, i int, decodes, biased bool) *Attention {
	l := &Attention{
		index: i, heads: c.Heads, headDim: c.KeyValue, buckets: c.Buckets, distant: c.MaxDistance, decodes: decodes,
		dropout: c.DropoutRate,
	}
	l.Init(l, nn.TypeName("T5Attention"))
	inner, model := c.Heads*c.KeyValue, 1/math.Sqrt(float64(c.Model))
	l.Q = linear(c, c.Model, inner, model/math.Sqrt(float64(c.KeyValue)))
	l.K = linear(c, c.Model, inner, model)
	l.V = linear(c, c.Model, inner, model)
	l.O = linear(c, inner, c.Model, 1/math.Sqrt(float64(inner)))
	if biased {
		l.RelativeAttentionBias = models.NewEmbedding(c.Buckets, c.Heads, c.InitializerFactor*model, nil)
	}
	return l
}

func linear(c Config, in, out int64, std float64) *models.Linear {
	return models.NewLinear(in, out, false, c.InitializerFactor*std)
}

// self attends to the text of x.
func (l *Attention) self(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		q := models.SplitHeads(l.Q.Forward(x), l.headDim)
		k := models.SplitHeads(l.K.Forward(x), l.headDim)
		v := models.SplitHeads(l.V.Forward(x), l.headDim)
		if p.in.Cache != nil {
			k, v = p.in.Cache.Update(l.index, k, v)
		}
		return l.attend(q, k, v, p.bias)
	})
}

// features attends to the encoder's features.
func (l *Attention) features(x *torch.Tensor, p *pass) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		compute := func() (k, v *torch.Tensor) {
			from := p.in.Features
			return models.SplitHeads(l.K.Forward(from), l.headDim), models.SplitHeads(l.V.Forward(from), l.headDim)
		}
		q := models.SplitHeads(l.Q.Forward(x), l.headDim)
		var k, v *torch.Tensor
		if p.in.Cache != nil {
			k, v = p.in.Cache.Cross(l.index, compute)
		} else {
			k, v = compute()
		}
		return l.attend(q, k, v, p.cross)
	})
}

func (l *Attention) attend(q, k, v, bias *torch.Tensor) *torch.Tensor {
	dropout := l.dropout
	if !l.Training() {
		dropout = 0
	}
	y := F.ScaledDotProductAttention(q, k, v, F.AttnMask(bias), F.DropoutP(dropout), F.Scale(1))
	return l.O.Forward(models.MergeHeads(y))
}

// bias returns what is added to the scores (1, heads, t, length) of t tokens after past
// ones for all length tokens.
func (l *Attention) bias(t, past, length int64, device torch.Device) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		from := torch.Arange(past, past+t, device).Unsqueeze(1)
		distance := torch.Arange(length, device).Unsqueeze(0).Sub(from)
		return l.RelativeAttentionBias.Forward(l.bucket(distance)).Permute(2, 0, 1).Unsqueeze(0)
	})
}

// bucket returns the numbers of the buckets of distances: some for each small distance, and
// the rest for ranges of distances that grow exponentially.
func (l *Attention) bucket(distance *torch.Tensor) *torch.Tensor {
	n := l.buckets
	var first *torch.Tensor
	if l.decodes {
		distance = distance.ClampMax(0).Neg()
	} else {
		n /= 2
		first = distance.GtScalar(0).Long().MulScalar(n)
		distance = distance.Abs()
	}
	exact := n / 2
	far := distance.Float().DivScalar(float64(exact)).Log().
		DivScalar(math.Log(float64(l.distant) / float64(exact))).MulScalar(float64(n - exact)).Long().AddScalar(exact)
	b := torch.Where(distance.LtScalar(exact), distance, far.ClampMax(n-1))
	if first != nil {
		b = first.Add(b)
	}
	return b
}

// masked returns bias where seen is true, and otherwise the smallest number. seen may be
// nil.
func masked(bias, seen *torch.Tensor) *torch.Tensor {
	if seen == nil {
		return bias.Contiguous()
	}
	return torch.Tidy(func() *torch.Tensor {
		lowest := torch.Full(torch.Shape{}, torch.Finfo(bias.DType()).Min, bias.DType(), bias.Device())
		return torch.Where(seen, bias, lowest).Contiguous()
	})
}
