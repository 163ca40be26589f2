package bert

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Embeddings are the sums of a token's, its position's and its type's features. Follows
// BertEmbeddings and RobertaEmbeddings.
type Embeddings struct {
	nn.Base
	WordEmbeddings, PositionEmbeddings, TokenTypeEmbeddings nn.Layer

	LayerNorm *nn.LayerNorm `torch:"LayerNorm"`
	Dropout   *nn.Dropout
	pad       *int64 // RoBERTa's positions begin after it; nil for BERT
}

func newEmbeddings(c Config) *Embeddings {
	l := new(Embeddings)
	l.Init(l)
	if c.isRoberta() {
		l.pad = c.PadTokenID
	}
	l.WordEmbeddings = models.NewEmbedding(c.VocabSize, c.HiddenSize, c.InitializerRange, c.PadTokenID)
	l.PositionEmbeddings = models.NewEmbedding(c.MaxPositions, c.HiddenSize, c.InitializerRange, l.pad)
	l.TokenTypeEmbeddings = models.NewEmbedding(c.TypeVocabSize, c.HiddenSize, c.InitializerRange, nil)
	l.LayerNorm = norm(c)
	l.Dropout = nn.NewDropout(c.HiddenDropout)
	return l
}

func (l *Embeddings) forward(in models.EncoderInputs) *torch.Tensor {
	return l.Call(in.IDs, func(ids *torch.Tensor) *torch.Tensor {
		types, positions := in.Types, in.Positions
		if types == nil {
			types = torch.Zeros(torch.Shape{1, ids.Size(1)}, torch.Int64, ids.Device())
		}
		if positions == nil {
			positions = l.positions(ids)
		}
		x := l.WordEmbeddings.Forward(ids).Add(l.TokenTypeEmbeddings.Forward(types))
		return l.Dropout.Forward(l.LayerNorm.Forward(x.Add(l.PositionEmbeddings.Forward(positions))))
	})
}

// positions returns the positions of tokens. RoBERTa counts them without padding.
func (l *Embeddings) positions(ids *torch.Tensor) *torch.Tensor {
	if l.pad == nil {
		return torch.Arange(ids.Size(1), ids.Device()).Unsqueeze(0)
	}
	tokens := ids.NeScalar(*l.pad).Long()
	return tokens.CumSum(1).Mul(tokens).AddScalar(*l.pad)
}

// Stack holds the layers of a [Model]. Follows BertEncoder.
type Stack struct {
	nn.Base
	Layer *nn.ModuleList // of Layers
}

func newStack(c Config) *Stack {
	l := &Stack{Layer: nn.NewModuleList()}
	l.Init(l, nn.TypeName("BertEncoder"))
	for range c.HiddenLayers {
		l.Layer.Append(newLayer(c))
	}
	return l
}

func (l *Stack) forward(x, mask *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		for i, layer := range l.Layer.Values() {
			before := x
			x = layer.(*Layer).forward(before, mask)
			if i > 0 {
				_ = before.Close() // or the scope would keep the results of all layers
			}
		}
		return x
	})
}

// Layer is a layer of a [Model]. Follows BertLayer.
type Layer struct {
	nn.Base
	Attention    *Attention
	Intermediate *Intermediate
	Output       *Output
}

func newLayer(c Config) *Layer {
	l := new(Layer)
	l.Init(l, nn.TypeName("BertLayer"))
	l.Attention = newAttention(c)
	l.Intermediate = newIntermediate(c)
	l.Output = newOutput(c, c.IntermediateSize)
	return l
}

func (l *Layer) forward(x, mask *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = l.Attention.forward(x, mask)
		return l.Output.forward(l.Intermediate.Forward(x), x)
	})
}

// Attention is the attention of a [Layer] with its norm. Follows BertAttention.
type Attention struct {
	nn.Base
	Self   *SelfAttention
	Output *Output
}

func newAttention(c Config) *Attention {
	l := new(Attention)
	l.Init(l, nn.TypeName("BertAttention"))
	l.Self = newSelfAttention(c)
	l.Output = newOutput(c, c.HiddenSize)
	return l
}

func (l *Attention) forward(x, mask *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.Output.forward(l.Self.forward(x, mask), x) })
}

// SelfAttention lets each token attend to all tokens that are not padding. Follows
// BertSelfAttention.
type SelfAttention struct {
	nn.Base
	Query, Key, Value nn.Layer
	Dropout           *nn.Dropout
	headDim           int64
}

func newSelfAttention(c Config) *SelfAttention {
	l := &SelfAttention{headDim: c.HiddenSize / c.AttentionHeads}
	l.Init(l, nn.TypeName("BertSelfAttention"))
	l.Query = linear(c, c.HiddenSize, c.HiddenSize)
	l.Key = linear(c, c.HiddenSize, c.HiddenSize)
	l.Value = linear(c, c.HiddenSize, c.HiddenSize)
	l.Dropout = nn.NewDropout(c.AttentionDropout)
	return l
}

func (l *SelfAttention) forward(x, mask *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		q := models.SplitHeads(l.Query.Forward(x), l.headDim)
		k := models.SplitHeads(l.Key.Forward(x), l.headDim)
		v := models.SplitHeads(l.Value.Forward(x), l.headDim)
		dropout := 0.0
		if l.Training() {
			dropout = l.Dropout.P
		}
		return models.MergeHeads(F.ScaledDotProductAttention(q, k, v, F.AttnMask(mask), F.DropoutP(dropout),
			F.Scale(1/math.Sqrt(float64(l.headDim)))))
	})
}

// Intermediate is the first half of a feed-forward network. Follows BertIntermediate.
type Intermediate struct {
	nn.Base
	Dense nn.Layer
	act   func(*torch.Tensor) *torch.Tensor
}

func newIntermediate(c Config) *Intermediate {
	l := new(Intermediate)
	l.act, _ = models.Activation(c.HiddenAct) // check has checked it
	l.Init(l, nn.TypeName("BertIntermediate"))
	l.Dense = linear(c, c.HiddenSize, c.IntermediateSize)
	return l
}

// Forward takes x of shape (*, hidden) and returns a new tensor of shape (*, intermediate).
func (l *Intermediate) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.act(l.Dense.Forward(x)) })
}

// Output projects features, and adds and normalizes them. Follows BertSelfOutput and
// BertOutput.
type Output struct {
	nn.Base
	Dense     nn.Layer
	LayerNorm *nn.LayerNorm `torch:"LayerNorm"`
	Dropout   *nn.Dropout
}

func newOutput(c Config, in int64) *Output {
	l := new(Output)
	l.Init(l, nn.TypeName("BertOutput"))
	l.Dense = linear(c, in, c.HiddenSize)
	l.LayerNorm = norm(c)
	l.Dropout = nn.NewDropout(c.HiddenDropout)
	return l
}

func (l *Output) forward(x, residual *torch.Tensor) *torch.Tensor {
	return l.Call2(x, residual, func(x, residual *torch.Tensor) *torch.Tensor {
		return l.LayerNorm.Forward(l.Dropout.Forward(l.Dense.Forward(x)).Add(residual))
	})
}

// Pooler makes a feature of a text from that of its first token. Follows BertPooler.
type Pooler struct {
	nn.Base
	Dense nn.Layer
}

func newPooler(c Config) *Pooler {
	l := new(Pooler)
	l.Init(l, nn.TypeName("BertPooler"))
	l.Dense = linear(c, c.HiddenSize, c.HiddenSize)
	return l
}

// Forward takes features (N, T, hidden) and returns a new tensor (N, hidden).
func (l *Pooler) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.Dense.Forward(x.Select(1, 0)).Tanh() })
}

func norm(c Config) *nn.LayerNorm {
	return nn.NewLayerNorm(torch.Shape{c.HiddenSize}, nn.Eps(c.LayerNormEps))
}

func linear(c Config, in, out int64) *models.Linear {
	return models.NewLinear(in, out, true, c.InitializerRange)
}
