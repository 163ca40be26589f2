package clip

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Encoder holds the layers of a [TextModel] or a [VisionModel]. Follows CLIPEncoder.
type Encoder struct {
	nn.Base
	Layers *nn.ModuleList // of EncoderLayers
}

func newEncoder(s stack) *Encoder {
	l := &Encoder{Layers: nn.NewModuleList()}
	l.Init(l, nn.TypeName("CLIPEncoder"))
	for i := range s.layers {
		l.Layers.Append(newEncoderLayer(s, i))
	}
	return l
}

// forward runs the layers. a is the attention of a text model, or nil.
func (l *Encoder) forward(x *torch.Tensor, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		for i, layer := range l.Layers.Values() {
			before := x
			x = layer.(*EncoderLayer).forward(before, a)
			if i > 0 {
				_ = before.Close() // or the scope would keep the results of all layers
			}
		}
		return x
	})
}

// EncoderLayer is a layer of an [Encoder]. Follows CLIPEncoderLayer.
type EncoderLayer struct {
	nn.Base
	SelfAttn   *Attention
	LayerNorm1 *nn.LayerNorm `torch:"layer_norm1"`
	MLP        *MLP
	LayerNorm2 *nn.LayerNorm `torch:"layer_norm2"`
}

func newEncoderLayer(s stack, i int) *EncoderLayer {
	l := new(EncoderLayer)
	l.Init(l, nn.TypeName("CLIPEncoderLayer"))
	l.SelfAttn = newAttention(s, i)
	l.LayerNorm1 = norm(s)
	l.MLP = newMLP(s)
	l.LayerNorm2 = norm(s)
	return l
}

func (l *EncoderLayer) forward(x *torch.Tensor, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = x.Add(l.SelfAttn.forward(l.LayerNorm1.Forward(x), a))
		return x.Add(l.MLP.Forward(l.LayerNorm2.Forward(x)))
	})
}

// Attention is the self-attention of a layer. Tokens of texts attend to earlier tokens,
// patches of images to all patches. Follows CLIPAttention.
type Attention struct {
	nn.Base
	KProj, VProj, QProj, OutProj nn.Layer

	index          int
	headDim        int64
	scale, dropout float64
}

func newAttention(s stack, i int) *Attention {
	l := &Attention{index: i, headDim: s.hidden / s.heads, dropout: s.dropout}
	l.scale = 1 / math.Sqrt(float64(l.headDim))
	l.Init(l, nn.TypeName("CLIPAttention"))
	in, out := s.projectionRange(), s.factor/math.Sqrt(float64(s.hidden))
	l.KProj = models.NewLinear(s.hidden, s.hidden, true, in)
	l.VProj = models.NewLinear(s.hidden, s.hidden, true, in)
	l.QProj = models.NewLinear(s.hidden, s.hidden, true, in)
	l.OutProj = models.NewLinear(s.hidden, s.hidden, true, out)
	return l
}

// projectionRange is the standard deviation of initial weights that depends on the number
// of layers.
func (s *stack) projectionRange() float64 {
	return s.factor / math.Sqrt(float64(s.hidden)) / math.Sqrt(2*float64(s.layers))
}

func (l *Attention) forward(x *torch.Tensor, a *models.Attention) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		q := models.SplitHeads(l.QProj.Forward(x), l.headDim)
		k := models.SplitHeads(l.KProj.Forward(x), l.headDim)
		v := models.SplitHeads(l.VProj.Forward(x), l.headDim)
		dropout := l.dropout
		if !l.Training() {
			dropout = 0
		}
		if a != nil {
			return l.OutProj.Forward(models.MergeHeads(a.Attend(l.index, q, k, v, l.scale, dropout)))
		}
		y := F.ScaledDotProductAttention(q, k, v, F.DropoutP(dropout), F.Scale(l.scale))
		return l.OutProj.Forward(models.MergeHeads(y))
	})
}

// MLP is the feed-forward network of a layer. Follows CLIPMLP.
type MLP struct {
	nn.Base
	FC1, FC2 nn.Layer
	act      func(*torch.Tensor) *torch.Tensor
}

func newMLP(s stack) *MLP {
	l := new(MLP)
	l.act, _ = models.Activation(s.act) // check has checked it
	l.Init(l, nn.TypeName("CLIPMLP"))
	l.FC1 = models.NewLinear(s.hidden, s.intermediate, true, s.factor/math.Sqrt(2*float64(s.hidden)))
	l.FC2 = models.NewLinear(s.intermediate, s.hidden, true, s.projectionRange())
	return l
}

// Forward takes x of shape (*, hidden) and returns a new tensor of that shape.
func (l *MLP) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.FC2.Forward(l.act(l.FC1.Forward(x))) })
}

func norm(s stack) *nn.LayerNorm { return nn.NewLayerNorm(torch.Shape{s.hidden}, nn.Eps(s.eps)) }
