package models

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/ops"
)

// VisionTransformer is a transformer over image patches. Follows
// torchvision.models.VisionTransformer.
type VisionTransformer struct {
	nn.Base
	ConvProj   nn.Layer      // a convolution; with ConvStemConfigs a Sequential of convolutions
	ClassToken *torch.Tensor // (1, 1, features)
	Encoder    *Encoder
	Heads      *nn.Sequential

	ImageSize, PatchSize, HiddenDim int64
}

// vitSize holds the sizes of a VisionTransformer.
type vitSize struct{ patch, layers, heads, hidden, mlp int64 }

// NewViTB16 returns a base VisionTransformer with 16x16 patches. It panics with ErrValue
// if [ImageSize] is not a multiple of the patch size. Follows
// torchvision.models.vit_b_16.
func NewViTB16(opts ...VisionTransformerOption) *VisionTransformer {
	return newViT("models.NewViTB16", vitSize{16, 12, 12, 768, 3072}, opts)
}

// NewViTB32 returns a base VisionTransformer with 32x32 patches. It panics like
// NewViTB16. Follows torchvision.models.vit_b_32.
func NewViTB32(opts ...VisionTransformerOption) *VisionTransformer {
	return newViT("models.NewViTB32", vitSize{32, 12, 12, 768, 3072}, opts)
}

// NewViTL16 returns a large VisionTransformer with 16x16 patches. It panics like
// NewViTB16. Follows torchvision.models.vit_l_16.
func NewViTL16(opts ...VisionTransformerOption) *VisionTransformer {
	return newViT("models.NewViTL16", vitSize{16, 24, 16, 1024, 4096}, opts)
}

// NewViTL32 returns a large VisionTransformer with 32x32 patches. It panics like
// NewViTB16. Follows torchvision.models.vit_l_32.
func NewViTL32(opts ...VisionTransformerOption) *VisionTransformer {
	return newViT("models.NewViTL32", vitSize{32, 24, 16, 1024, 4096}, opts)
}

// NewViTH14 returns a huge VisionTransformer with 14x14 patches. It panics like
// NewViTB16. Follows torchvision.models.vit_h_14.
func NewViTH14(opts ...VisionTransformerOption) *VisionTransformer {
	return newViT("models.NewViTH14", vitSize{14, 32, 16, 1280, 5120}, opts)
}

func newViT(op string, s vitSize, opts []VisionTransformerOption) *VisionTransformer {
	c := read(op, config{norm: layerNorm}, opts)
	if c.imageSize%s.patch != 0 {
		panic(torch.NewError(op, torch.ErrValue, "ImageSize",
			fmt.Sprintf("expected a multiple of the patch size %d, got %d", s.patch, c.imageSize)))
	}
	for _, s := range c.stem {
		count(op, "ConvStemConfigs", s.OutChannels, 1)
		count(op, "ConvStemConfigs", s.KernelSize, 1)
		count(op, "ConvStemConfigs", s.Stride, 1)
	}
	m := &VisionTransformer{ImageSize: c.imageSize, PatchSize: s.patch, HiddenDim: s.hidden}
	m.Init(m)
	if c.stem != nil {
		m.ConvProj = convStem(c.stem, s.hidden)
		m.Register("conv_proj", m.ConvProj)
	} else {
		m.ConvProj = nn.NewConv2d(3, s.hidden, s.patch, nn.Stride(s.patch), m.As("conv_proj"))
	}
	m.ClassToken = m.RegisterParameter("class_token", torch.Zeros(torch.Shape{1, 1, s.hidden}))
	side := c.imageSize / s.patch
	m.Encoder = newEncoder(c, s, side*side+1)
	m.Register("encoder", m.Encoder)
	m.Heads = nn.NewSequential().In(m, "heads")
	in := s.hidden
	if c.representation > 0 {
		m.Heads.Add("pre_logits", nn.NewLinear(in, c.representation)).Add("act", nn.NewTanh())
		in = c.representation
	}
	m.Heads.Add("head", nn.NewLinear(in, c.numClasses))
	m.initialize()
	old.Countless(m)
	return m
}

// convStem returns the convolutions of ConvStemConfigs.
func convStem(configs []ConvStemConfig, hidden int64) nn.Layer {
	stem, in := nn.NewSequential(), int64(3)
	for i, s := range configs {
		norm, activation := s.NormLayer, s.ActivationLayer
		if norm == nil {
			norm = batchNorm
		}
		if activation == nil {
			activation = relu
		}
		stem.Add(fmt.Sprintf("conv_bn_relu_%d", i), ops.NewConv2dNormActivation(in, s.OutChannels,
			ops.KernelSize(s.KernelSize), ops.Stride(s.Stride), ops.NormLayer(norm), ops.ActivationLayer(activation)))
		in = s.OutChannels
	}
	return stem.Add("conv_last", nn.NewConv2d(in, hidden, 1))
}

// initialize draws the initial values of the layers before and after the encoder.
func (m *VisionTransformer) initialize() {
	if conv, ok := m.ConvProj.(*nn.Conv2d); ok {
		in, _ := nninit.Fans(conv.Weight)
		nninit.TruncNormal_(conv.Weight, nninit.Std(math.Sqrt(1/float64(in))))
		zero(conv.Bias)
	} else {
		last := m.ConvProj.(*nn.Sequential).At(-1).(*nn.Conv2d)
		nninit.Normal_(last.Weight, 0, math.Sqrt(2/float64(last.OutChannels)))
		zero(last.Bias)
	}
	if l, ok := m.Heads.Get("pre_logits").(*nn.Linear); ok {
		nninit.TruncNormal_(l.Weight, nninit.Std(math.Sqrt(1/float64(l.InFeatures))))
		zero(l.Bias)
	}
	head := m.Heads.At(-1).(*nn.Linear)
	zero(head.Weight)
	zero(head.Bias)
}

// Forward takes normalized images of shape (N, 3, ImageSize, ImageSize), and returns
// logits of shape (N, NumClasses). It panics with ErrShape for images of a different
// size.
func (m *VisionTransformer) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		const op = "models.VisionTransformer.Forward"
		x.HandleFor(op, 0)
		s := x.Shape()
		if len(s) != 4 || s[2] != m.ImageSize || s[3] != m.ImageSize {
			panic(torch.NewError(op, torch.ErrShape, "x",
				fmt.Sprintf("expected (N, 3, %d, %d), got %v", m.ImageSize, m.ImageSize, s)))
		}
		side := m.ImageSize / m.PatchSize
		x = m.ConvProj.Forward(x)
		x = own.Instead(x, x.Reshape(s[0], m.HiddenDim, side*side))
		x = own.Instead(x, x.Permute(0, 2, 1))
		x = own.Instead(x, torch.Cat([]*torch.Tensor{m.ClassToken.Expand(s[0], -1, -1), x}, 1))
		x = own.Instead(x, m.Encoder.Forward(x))
		return m.Heads.Forward(own.Instead(x, x.Select(1, 0)))
	})
}

func layerNorm(features int64) nn.Layer { return nn.NewLayerNorm(torch.Shape{features}, nn.Eps(1e-6)) }
