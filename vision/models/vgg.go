package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/internal/old"
)

// VGG is a network of small convolutions. Follows torchvision.models.VGG.
type VGG struct {
	nn.Base
	Features   *nn.Sequential
	AvgPool    nn.Layer
	Classifier *nn.Sequential
}

// The number of output channels of each convolution of each VGG, in order. 0 stands for a
// pooling layer.
var (
	vggA = []int64{64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}
	vggB = []int64{64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}
	vggD = []int64{64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0}
	vggE = []int64{64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0}
)

// NewVGG11 returns a VGG with 11 layers and a default [WithDropout] of 0.5. Follows
// torchvision.models.vgg11.
func NewVGG11(opts ...VGGOption) *VGG { return newVGG("models.NewVGG11", vggA, false, opts) }

// NewVGG11BN is like NewVGG11, with batch normalization. Follows
// torchvision.models.vgg11_bn.
func NewVGG11BN(opts ...VGGOption) *VGG { return newVGG("models.NewVGG11BN", vggA, true, opts) }

// NewVGG13 returns a VGG with 13 layers and a default [WithDropout] of 0.5. Follows
// torchvision.models.vgg13.
func NewVGG13(opts ...VGGOption) *VGG { return newVGG("models.NewVGG13", vggB, false, opts) }

// NewVGG13BN is like NewVGG13, with batch normalization. Follows
// torchvision.models.vgg13_bn.
func NewVGG13BN(opts ...VGGOption) *VGG { return newVGG("models.NewVGG13BN", vggB, true, opts) }

// NewVGG16 returns a VGG with 16 layers and a default [WithDropout] of 0.5. Follows
// torchvision.models.vgg16.
func NewVGG16(opts ...VGGOption) *VGG { return newVGG("models.NewVGG16", vggD, false, opts) }

// NewVGG16BN is like NewVGG16, with batch normalization. Follows
// torchvision.models.vgg16_bn.
func NewVGG16BN(opts ...VGGOption) *VGG { return newVGG("models.NewVGG16BN", vggD, true, opts) }

// NewVGG19 returns a VGG with 19 layers and a default [WithDropout] of 0.5. Follows
// torchvision.models.vgg19.
func NewVGG19(opts ...VGGOption) *VGG { return newVGG("models.NewVGG19", vggE, false, opts) }

// NewVGG19BN is like NewVGG19, with batch normalization. Follows
// torchvision.models.vgg19_bn.
func NewVGG19BN(opts ...VGGOption) *VGG { return newVGG("models.NewVGG19BN", vggE, true, opts) }

func newVGG(op string, channels []int64, norm bool, opts []VGGOption) *VGG {
	c := read(op, config{dropout: 0.5}, opts)
	m := new(VGG)
	m.Init(m)
	m.Features = nn.NewSequential().In(m, "features")
	in := int64(3)
	for _, out := range channels {
		if out == 0 {
			m.Features.Append(nn.NewMaxPool2d(2, nn.Stride(2)))
			continue
		}
		m.Features.Append(nn.NewConv2d(in, out, 3, nn.Padding(1)))
		if norm {
			m.Features.Append(nn.NewBatchNorm2d(out))
		}
		m.Features.Append(nn.NewReLU(nn.Inplace(true)))
		in = out
	}
	m.AvgPool = nn.NewAdaptiveAvgPool2d([]int64{7, 7}, m.As("avgpool"))
	m.Classifier = nn.NewSequential(
		nn.NewLinear(512*7*7, 4096), nn.NewReLU(nn.Inplace(true)), nn.NewDropout(c.dropout),
		nn.NewLinear(4096, 4096), nn.NewReLU(nn.Inplace(true)), nn.NewDropout(c.dropout),
		nn.NewLinear(4096, c.numClasses),
	).In(m, "classifier")
	if c.initWeights {
		initialize(m, kaimingOut, narrow)
	}
	old.Countless(m)
	return m
}

// Forward takes normalized images of shape (N, 3, H, W), with at least 32 x 32 pixels,
// and returns logits of shape (N, NumClasses).
func (m *VGG) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return m.Classifier.Forward(chain.Flat(chain.Run(x, m.Features, m.AvgPool)))
	})
}
