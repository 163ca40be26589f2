package models

import (
	"cmp"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/internal/old"
)

// ResNet is a network of residual blocks. Follows torchvision.models.ResNet.
type ResNet struct {
	nn.Base
	Conv1, BN1, ReLU, MaxPool      nn.Layer
	Layer1, Layer2, Layer3, Layer4 *nn.Sequential // consist of BasicBlocks or Bottlenecks
	AvgPool, FC                    nn.Layer
}

// NewResNet18 returns a ResNet with 18 layers. Follows torchvision.models.resnet18.
func NewResNet18(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNet18", basic, [4]int{2, 2, 2, 2}, 0, 0, opts)
}

// NewResNet34 returns a ResNet with 34 layers. Follows torchvision.models.resnet34.
func NewResNet34(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNet34", basic, [4]int{3, 4, 6, 3}, 0, 0, opts)
}

// NewResNet50 returns a ResNet with 50 layers. Follows torchvision.models.resnet50.
func NewResNet50(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNet50", bottleneck, [4]int{3, 4, 6, 3}, 0, 0, opts)
}

// NewResNet101 returns a ResNet with 101 layers. Follows torchvision.models.resnet101.
func NewResNet101(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNet101", bottleneck, [4]int{3, 4, 23, 3}, 0, 0, opts)
}

// NewResNet152 returns a ResNet with 152 layers. Follows torchvision.models.resnet152.
func NewResNet152(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNet152", bottleneck, [4]int{3, 8, 36, 3}, 0, 0, opts)
}

// NewResNeXt50_32x4d returns a ResNeXt with 50 layers: convolutions in 32 groups of 4
// channels. It panics with ErrValue if [Groups] or [WidthPerGroup] is given with a
// different value. Follows torchvision.models.resnext50_32x4d.
func NewResNeXt50_32x4d(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNeXt50_32x4d", bottleneck, [4]int{3, 4, 6, 3}, 32, 4, opts)
}

// NewResNeXt101_32x8d returns a ResNeXt with 101 layers: convolutions in 32 groups of 8
// channels. It panics with ErrValue if [Groups] or [WidthPerGroup] is given with a
// different value. Follows torchvision.models.resnext101_32x8d.
func NewResNeXt101_32x8d(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNeXt101_32x8d", bottleneck, [4]int{3, 4, 23, 3}, 32, 8, opts)
}

// NewResNeXt101_64x4d returns a ResNeXt with 101 layers: convolutions in 64 groups of 4
// channels. It panics with ErrValue if [Groups] or [WidthPerGroup] is given with a
// different value. Follows torchvision.models.resnext101_64x4d.
func NewResNeXt101_64x4d(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewResNeXt101_64x4d", bottleneck, [4]int{3, 4, 23, 3}, 64, 4, opts)
}

// NewWideResNet50_2 returns a ResNet with 50 layers that are twice as wide. It panics with
// ErrValue if [WidthPerGroup] is given with a value other than 128. Follows
// torchvision.models.wide_resnet50_2.
func NewWideResNet50_2(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewWideResNet50_2", bottleneck, [4]int{3, 4, 6, 3}, 0, 128, opts)
}

// NewWideResNet101_2 returns a ResNet with 101 layers that are twice as wide. It panics
// with ErrValue if [WidthPerGroup] is given with a value other than 128. Follows
// torchvision.models.wide_resnet101_2.
func NewWideResNet101_2(opts ...ResNetOption) *ResNet {
	return newResNet("models.NewWideResNet101_2", bottleneck, [4]int{3, 4, 23, 3}, 0, 128, opts)
}

// newResNet returns a ResNet with the given kind of blocks and number of blocks per layer.
// groups and width are the values that the model requires for Groups and WidthPerGroup. A
// value of 0 means that any value is allowed.
func newResNet(op string, kind blockKind, blocks [4]int, groups, width int64, opts []ResNetOption) *ResNet {
	c := read(op, config{norm: batchNorm, groups: cmp.Or(groups, 1), widthPerGroup: cmp.Or(width, 64)}, opts)
	c.fixed("Groups", c.groups, groups)
	c.fixed("WidthPerGroup", c.widthPerGroup, width)
	if kind == basic {
		c.fixed("Groups", c.groups, 1)
		c.fixed("WidthPerGroup", c.widthPerGroup, 64)
		if c.dilate != [3]bool{} {
			panic(torch.NewError(op, torch.ErrValue, "ReplaceStrideWithDilation",
				"the blocks of this model do not support dilation"))
		}
	}
	m := new(ResNet)
	m.Init(m)
	b := resNetBuilder{config: c, kind: kind, in: 64, dilation: 1}
	m.Conv1 = nn.NewConv2d(3, 64, 7, nn.Stride(2), nn.Padding(3), nn.Bias(false), m.As("conv1"))
	m.BN1 = c.norm(64)
	m.Register("bn1", m.BN1)
	m.ReLU = nn.NewReLU(nn.Inplace(true), m.As("relu"))
	m.MaxPool = nn.NewMaxPool2d(3, nn.Stride(2), nn.Padding(1), m.As("maxpool"))
	m.Layer1 = b.layer(64, blocks[0], 1, false).In(m, "layer1")
	m.Layer2 = b.layer(128, blocks[1], 2, c.dilate[0]).In(m, "layer2")
	m.Layer3 = b.layer(256, blocks[2], 2, c.dilate[1]).In(m, "layer3")
	m.Layer4 = b.layer(512, blocks[3], 2, c.dilate[2]).In(m, "layer4")
	m.AvgPool = nn.NewAdaptiveAvgPool2d([]int64{1, 1}, m.As("avgpool"))
	m.FC = nn.NewLinear(512*kind.expansion(), c.numClasses, m.As("fc"))
	initialize(m, kaimingOut, nil)
	if c.zeroInit {
		for _, m := range nn.Modules(m) {
			switch m := m.(type) {
			case *BasicBlock:
				silence(m.BN2)
			case *Bottleneck:
				silence(m.BN3)
			}
		}
	}
	old.Countless(m)
	return m
}

// fixed panics with ErrValue if the value of the option arg, got, differs from the value
// that the model requires, want. A want of 0 allows any value.
func (c *config) fixed(arg string, got, want int64) {
	if want != 0 && got != want {
		panic(torch.NewError(c.op, torch.ErrValue, arg, fmt.Sprintf("this model only supports %d, got %d", want, got)))
	}
}

// silence sets the weight of a normalization to 0, so that it returns only its bias.
func silence(l nn.Layer) {
	for _, p := range l.NamedParameters() {
		if p.Name == "weight" {
			zero(p.Tensor)
		}
	}
}

// Forward takes normalized images of shape (N, 3, H, W), and returns logits of shape (N,
// NumClasses).
func (m *ResNet) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = chain.Run(x, m.Conv1, m.BN1, m.ReLU, m.MaxPool, m.Layer1, m.Layer2, m.Layer3, m.Layer4, m.AvgPool)
		return m.FC.Forward(chain.Flat(x))
	})
}
