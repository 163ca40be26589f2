package vit

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Embeddings are the features of patches with their positions, after that of a class token.
// Follows ViTEmbeddings.
type Embeddings struct {
	nn.Base
	CLSToken           *torch.Tensor `torch:"cls_token"`
	PositionEmbeddings *torch.Tensor
	PatchEmbeddings    *PatchEmbeddings
	Dropout            *nn.Dropout
	config             Config
}

func newEmbeddings(c Config) *Embeddings {
	l := &Embeddings{config: c}
	l.Init(l, nn.TypeName("ViTEmbeddings"))
	l.CLSToken = l.RegisterParameter("cls_token", torch.Empty(torch.Shape{1, 1, c.HiddenSize}))
	l.PositionEmbeddings = l.RegisterParameter("position_embeddings",
		torch.Empty(torch.Shape{1, models.Patches(c.ImageSize, c.PatchSize) + 1, c.HiddenSize}))
	if l.CLSToken.Device() != torch.Meta {
		nninit.TruncNormal_(l.CLSToken, nninit.Std(c.InitializerRange))
		nninit.TruncNormal_(l.PositionEmbeddings, nninit.Std(c.InitializerRange))
	}
	l.PatchEmbeddings = newPatchEmbeddings(c)
	l.Dropout = nn.NewDropout(c.HiddenDropout)
	return l
}

func (l *Embeddings) forward(op string, pixels *torch.Tensor, interpolates bool) *torch.Tensor {
	return l.Call(pixels, func(pixels *torch.Tensor) *torch.Tensor {
		c := l.config
		models.CheckPixels(op, pixels, c.Channels, c.ImageSize, c.PatchSize, interpolates)
		h, w := pixels.Size(2), pixels.Size(3)
		x := l.PatchEmbeddings.Forward(pixels.To(l.CLSToken.DType()))
		x = torch.Cat([]*torch.Tensor{l.CLSToken.Expand(x.Size(0), -1, -1), x}, 1)
		positions := l.PositionEmbeddings
		if interpolates && (x.Size(1) != positions.Size(1) || h != w) {
			positions = models.InterpolatePositions(op, positions, h/c.PatchSize[0], w/c.PatchSize[1])
		}
		return l.Dropout.Forward(x.Add(positions))
	})
}

// PatchEmbeddings makes features of patches. Follows ViTPatchEmbeddings.
type PatchEmbeddings struct {
	nn.Base
	Projection nn.Layer
}

func newPatchEmbeddings(c Config) *PatchEmbeddings {
	l := new(PatchEmbeddings)
	l.Init(l, nn.TypeName("ViTPatchEmbeddings"))
	l.Projection = models.NewPatchConv(c.Channels, c.HiddenSize, c.PatchSize, true, c.InitializerRange)
	return l
}

// Forward takes pixels (N, channels, height, width) and returns a new tensor
// (N, patches, hidden).
func (l *PatchEmbeddings) Forward(pixels *torch.Tensor) *torch.Tensor {
	return l.Call(pixels, func(pixels *torch.Tensor) *torch.Tensor {
		return l.Projection.Forward(pixels).Flatten(2).Transpose(1, 2)
	})
}

// Layer is a layer of a [Model]. Follows ViTLayer.
type Layer struct {
	nn.Base
	Attention       *Attention
	LayernormBefore *nn.LayerNorm
	LayernormAfter  *nn.LayerNorm
	MLP             *MLP
	Dropout         *nn.Dropout
}

func newLayer(c Config) *Layer {
	l := new(Layer)
	l.Init(l, nn.TypeName("ViTLayer"))
	l.Attention = newAttention(c)
	l.LayernormBefore = norm(c)
	l.LayernormAfter = norm(c)
	l.MLP = newMLP(c)
	l.Dropout = nn.NewDropout(c.HiddenDropout)
	return l
}

// Forward takes x of shape (N, T, hidden) and returns a new tensor of that shape.
func (l *Layer) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = l.Dropout.Forward(l.Attention.Forward(l.LayernormBefore.Forward(x))).Add(x)
		return l.Dropout.Forward(l.MLP.Forward(l.LayernormAfter.Forward(x))).Add(x)
	})
}

// Attention lets each patch attend to all patches. Follows ViTAttention.
type Attention struct {
	nn.Base
	QProj, KProj, VProj, OProj nn.Layer

	headDim int64
	dropout float64
}

func newAttention(c Config) *Attention {
	l := &Attention{headDim: c.HiddenSize / c.AttentionHeads, dropout: c.AttentionDropout}
	l.Init(l, nn.TypeName("ViTAttention"))
	l.QProj = linear(c, c.HiddenSize, c.HiddenSize, c.QKVBias)
	l.KProj = linear(c, c.HiddenSize, c.HiddenSize, c.QKVBias)
	l.VProj = linear(c, c.HiddenSize, c.HiddenSize, c.QKVBias)
	l.OProj = linear(c, c.HiddenSize, c.HiddenSize, true)
	return l
}

// Forward takes x of shape (N, T, hidden) and returns a new tensor of that shape.
func (l *Attention) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		q := models.SplitHeads(l.QProj.Forward(x), l.headDim)
		k := models.SplitHeads(l.KProj.Forward(x), l.headDim)
		v := models.SplitHeads(l.VProj.Forward(x), l.headDim)
		dropout := l.dropout
		if !l.Training() {
			dropout = 0
		}
		y := F.ScaledDotProductAttention(q, k, v, F.DropoutP(dropout), F.Scale(1/math.Sqrt(float64(l.headDim))))
		return l.OProj.Forward(models.MergeHeads(y))
	})
}

// MLP is the feed-forward network of a [Layer]. Follows ViTMLP.
type MLP struct {
	nn.Base
	FC1, FC2 nn.Layer
	act      func(*torch.Tensor) *torch.Tensor
}

func newMLP(c Config) *MLP {
	l := new(MLP)
	l.act, _ = models.Activation(c.HiddenAct) // check has checked it
	l.Init(l, nn.TypeName("ViTMLP"))
	l.FC1 = linear(c, c.HiddenSize, c.IntermediateSize, true)
	l.FC2 = linear(c, c.IntermediateSize, c.HiddenSize, true)
	return l
}

// Forward takes x of shape (*, hidden) and returns a new tensor of that shape.
func (l *MLP) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.FC2.Forward(l.act(l.FC1.Forward(x))) })
}

// Pooler makes a feature of an image from that of its class token. Follows ViTPooler.
type Pooler struct {
	nn.Base
	Dense nn.Layer
	act   func(*torch.Tensor) *torch.Tensor
}

func newPooler(c Config) *Pooler {
	l := new(Pooler)
	l.act, _ = models.Activation(c.PoolerAct) // check has checked it
	l.Init(l, nn.TypeName("ViTPooler"))
	l.Dense = linear(c, c.HiddenSize, c.PoolerOutputSize, true)
	return l
}

// Forward takes features (N, T, hidden) and returns a new tensor (N, pooler_output_size).
func (l *Pooler) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.act(l.Dense.Forward(x.Select(1, 0))) })
}

func norm(c Config) *nn.LayerNorm {
	return nn.NewLayerNorm(torch.Shape{c.HiddenSize}, nn.Eps(c.LayerNormEps))
}

func linear(c Config, in, out int64, bias bool) *models.Linear {
	return models.NewLinear(in, out, bias, c.InitializerRange)
}
