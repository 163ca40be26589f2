package models

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/internal/old"
)

// DenseNet is a network in which each layer receives the results of all earlier layers in
// its block. Follows torchvision.models.DenseNet.
type DenseNet struct {
	nn.Base
	Features   *nn.Sequential
	Classifier nn.Layer
}

// NewDenseNet121 returns a DenseNet with 121 layers. torchvision's memory_efficient is
// not supported. Follows torchvision.models.densenet121.
func NewDenseNet121(opts ...DenseNetOption) *DenseNet {
	return newDenseNet("models.NewDenseNet121", 32, [4]int{6, 12, 24, 16}, 64, opts)
}

// NewDenseNet161 returns a DenseNet with 161 layers. Follows
// torchvision.models.densenet161.
func NewDenseNet161(opts ...DenseNetOption) *DenseNet {
	return newDenseNet("models.NewDenseNet161", 48, [4]int{6, 12, 36, 24}, 96, opts)
}

// NewDenseNet169 returns a DenseNet with 169 layers. Follows
// torchvision.models.densenet169.
func NewDenseNet169(opts ...DenseNetOption) *DenseNet {
	return newDenseNet("models.NewDenseNet169", 32, [4]int{6, 12, 32, 32}, 64, opts)
}

// NewDenseNet201 returns a DenseNet with 201 layers. Follows
// torchvision.models.densenet201.
func NewDenseNet201(opts ...DenseNetOption) *DenseNet {
	return newDenseNet("models.NewDenseNet201", 32, [4]int{6, 12, 48, 32}, 64, opts)
}

func newDenseNet(op string, growth int64, blocks [4]int, channels int64, opts []DenseNetOption) *DenseNet {
	c := read(op, config{}, opts)
	m := new(DenseNet)
	m.Init(m)
	m.Features = nn.NewSequential().In(m, "features")
	m.Features.Add("conv0", nn.NewConv2d(3, channels, 7, nn.Stride(2), nn.Padding(3), nn.Bias(false)))
	m.Features.Add("norm0", nn.NewBatchNorm2d(channels))
	m.Features.Add("relu0", nn.NewReLU(nn.Inplace(true)))
	m.Features.Add("pool0", nn.NewMaxPool2d(3, nn.Stride(2), nn.Padding(1)))
	for i, layers := range blocks {
		m.Features.Add(fmt.Sprintf("denseblock%d", i+1), newDenseBlock(c, layers, channels, growth))
		channels += int64(layers) * growth
		if i < len(blocks)-1 {
			m.Features.Add(fmt.Sprintf("transition%d", i+1), newTransition(channels, channels/2))
			channels /= 2
		}
	}
	m.Features.Add("norm5", nn.NewBatchNorm2d(channels))
	m.Classifier = nn.NewLinear(channels, c.numClasses, m.As("classifier"))
	initialize(m, func(w *torch.Tensor) { nninit.KaimingNormal_(w) }, func(l *nn.Linear) { zero(l.Bias) })
	renamed(m, denseName)
	old.Countless(m)
	return m
}

// Forward takes normalized images of shape (N, 3, H, W), with at least 29 x 29 pixels,
// and returns logits of shape (N, NumClasses).
func (m *DenseNet) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = F.ReLU_(m.Features.Forward(x))
		x = own.Instead(x, F.AdaptiveAvgPool2d(x, []int64{1, 1}))
		return m.Classifier.Forward(chain.Flat(x))
	})
}

// DenseBlock is a block of [DenseLayer] modules. It returns its input followed by the
// features that the layers add. Follows torchvision.models.densenet._DenseBlock.
type DenseBlock struct{ *nn.ModuleDict }

func newDenseBlock(c *config, layers int, channels, growth int64) *DenseBlock {
	b := &DenseBlock{nn.NewModuleDict()}
	b.Init(b, nn.TypeName("_DenseBlock"))
	for i := range layers {
		b.Add(fmt.Sprintf("denselayer%d", i+1), newDenseLayer(c, channels+int64(i)*growth, growth))
	}
	return b
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (b *DenseBlock) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor {
		features := []*torch.Tensor{x}
		for _, l := range b.Values() {
			features = append(features, l.(*DenseLayer).Forward(features...))
		}
		return torch.Cat(features, 1)
	})
}

// DenseLayer computes additional features from the features of all earlier layers. Follows
// torchvision.models.densenet._DenseLayer.
type DenseLayer struct {
	nn.Base
	Norm1, ReLU1, Conv1, Norm2, ReLU2, Conv2 nn.Layer
	DropRate                                 float64
}

func newDenseLayer(c *config, in, growth int64) *DenseLayer {
	l := &DenseLayer{DropRate: c.dropRate}
	l.Init(l, nn.TypeName("_DenseLayer"))
	l.Norm1 = nn.NewBatchNorm2d(in, l.As("norm1"))
	l.ReLU1 = nn.NewReLU(nn.Inplace(true), l.As("relu1"))
	l.Conv1 = nn.NewConv2d(in, c.bnSize*growth, 1, nn.Bias(false), l.As("conv1"))
	l.Norm2 = nn.NewBatchNorm2d(c.bnSize*growth, l.As("norm2"))
	l.ReLU2 = nn.NewReLU(nn.Inplace(true), l.As("relu2"))
	l.Conv2 = nn.NewConv2d(c.bnSize*growth, growth, 3, nn.Padding(1), nn.Bias(false), l.As("conv2"))
	return l
}

// Forward takes the results of the earlier layers, each of shape (N, C, H, W), and
// returns a new tensor.
func (l *DenseLayer) Forward(features ...*torch.Tensor) *torch.Tensor {
	return l.CallN(features, func(features []*torch.Tensor) []*torch.Tensor {
		x := chain.Run(torch.Cat(features, 1), l.Norm1, l.ReLU1, l.Conv1, l.Norm2, l.ReLU2, l.Conv2)
		if l.DropRate > 0 {
			x = own.Instead(x, F.Dropout(x, F.P(l.DropRate), F.Training(l.Training())))
		}
		return []*torch.Tensor{x}
	})[0]
}

// Transition is a Sequential that halves the size and the channels between blocks.
// Follows torchvision.models.densenet._Transition.
type Transition struct{ *nn.Sequential }

func newTransition(in, out int64) *Transition {
	l := &Transition{nn.NewSequential()}
	l.Init(l, nn.TypeName("_Transition"))
	l.Add("norm", nn.NewBatchNorm2d(in))
	l.Add("relu", nn.NewReLU(nn.Inplace(true)))
	l.Add("conv", nn.NewConv2d(in, out, 1, nn.Bias(false)))
	l.Add("pool", nn.NewAvgPool2d(2, nn.Stride(2)))
	return l
}
