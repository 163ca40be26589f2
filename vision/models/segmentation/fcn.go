package segmentation

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/models"
)

// FCN is a fully convolutional network. Follows torchvision.models.segmentation.FCN.
type FCN struct {
	nn.Base
	Backbone      *IntermediateLayerGetter
	Classifier    nn.Layer
	AuxClassifier nn.Layer // nil without [AuxLoss]
}

// NewFCNResNet50 returns an FCN with a ResNet-50. Follows
// torchvision.models.segmentation.fcn_resnet50.
func NewFCNResNet50(opts ...FCNOption) *FCN {
	return newFCN(read("segmentation.NewFCNResNet50", opts), models.NewResNet50)
}

// NewFCNResNet101 returns an FCN with a ResNet-101. Follows
// torchvision.models.segmentation.fcn_resnet101.
func NewFCNResNet101(opts ...FCNOption) *FCN {
	return newFCN(read("segmentation.NewFCNResNet101", opts), models.NewResNet101)
}

func newFCN(c config, resNet func(opts ...models.ResNetOption) *models.ResNet) *FCN {
	m := new(FCN)
	m.Init(m)
	m.Backbone = resNetBackbone(c, resNet)
	m.Register("backbone", m.Backbone)
	// In Python, the second classifier draws its initial values first.
	var aux *FCNHead
	if c.aux {
		aux = NewFCNHead(1024, c.classes)
	}
	m.Classifier = NewFCNHead(2048, c.classes)
	m.Register("classifier", m.Classifier)
	if aux != nil {
		m.AuxClassifier = aux
		m.Register("aux_classifier", aux)
	}
	old.Countless(m)
	return m
}

// resNetBackbone returns the layers of a ResNet whose last two layers have a dilation instead of a
// stride.
func resNetBackbone(c config, resNet func(opts ...models.ResNetOption) *models.ResNet) *IntermediateLayerGetter {
	layers := []string{"layer4", "layer3"}
	if !c.aux {
		layers = layers[:1]
	}
	return NewIntermediateLayerGetter(resNet(models.ReplaceStrideWithDilation{false, true, true}), layers...)
}

// Forward takes normalized images of shape (N, 3, H, W).
func (m *FCN) Forward(x *torch.Tensor) Output {
	return run(&m.Base, x, m.Backbone, m.Classifier, m.AuxClassifier)
}

// FCNHead is the classifier of an [FCN]. Follows torchvision.models.segmentation.fcn.FCNHead.
type FCNHead struct{ *nn.Sequential }

// NewFCNHead returns an FCNHead with the given numbers of input channels and classes. It panics
// with ErrValue for negative numbers.
func NewFCNHead(inChannels, channels int64) *FCNHead {
	inner := inChannels / 4
	l := &FCNHead{nn.NewSequential(
		nn.NewConv2d(inChannels, inner, 3, nn.Padding(1), nn.Bias(false)),
		nn.NewBatchNorm2d(inner),
		nn.NewReLU(),
		nn.NewDropout(0.1),
		nn.NewConv2d(inner, channels, 1),
	)}
	l.Init(l)
	return l
}
