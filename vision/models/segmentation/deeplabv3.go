package segmentation

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/models"
)

// DeepLabV3 is a network that looks at each pixel's surroundings at several distances. Follows
// torchvision.models.segmentation.DeepLabV3.
type DeepLabV3 struct {
	nn.Base
	Backbone      *IntermediateLayerGetter
	Classifier    nn.Layer
	AuxClassifier nn.Layer // nil without [AuxLoss]
}

// NewDeepLabV3ResNet50 returns a DeepLabV3 with a ResNet-50. Follows
// torchvision.models.segmentation.deeplabv3_resnet50.
func NewDeepLabV3ResNet50(opts ...DeepLabV3Option) *DeepLabV3 {
	c := read("segmentation.NewDeepLabV3ResNet50", opts)
	return newDeepLabV3(c, resNetBackbone(c, models.NewResNet50), 2048, 1024)
}

// NewDeepLabV3ResNet101 returns a DeepLabV3 with a ResNet-101. Follows
// torchvision.models.segmentation.deeplabv3_resnet101.
func NewDeepLabV3ResNet101(opts ...DeepLabV3Option) *DeepLabV3 {
	c := read("segmentation.NewDeepLabV3ResNet101", opts)
	return newDeepLabV3(c, resNetBackbone(c, models.NewResNet101), 2048, 1024)
}

// NewDeepLabV3MobileNetV3Large returns a DeepLabV3 with a large MobileNetV3. Follows
// torchvision.models.segmentation.deeplabv3_mobilenet_v3_large.
func NewDeepLabV3MobileNetV3Large(opts ...DeepLabV3Option) *DeepLabV3 {
	c := read("segmentation.NewDeepLabV3MobileNetV3Large", opts)
	layers := []string{highLayer, lowLayer}
	if !c.aux {
		layers = layers[:1]
	}
	return newDeepLabV3(c, mobileNetBackbone(layers...), highChannels, lowChannels)
}

// The layers of a dilated MobileNetV3 whose results are 1/8 and 1/16 of the image's size.
const (
	lowLayer, highLayer       = "4", "16"
	lowChannels, highChannels = 40, 960
)

// mobileNetBackbone returns the layers of a large MobileNetV3 whose last blocks have a dilation
// instead of a stride.
func mobileNetBackbone(layers ...string) *IntermediateLayerGetter {
	m := models.NewMobileNetV3Large(models.Dilated(true))
	_ = m.Classifier.Close()
	return NewIntermediateLayerGetter(m.Features, layers...)
}

// newDeepLabV3 returns a DeepLabV3 with the given backbone, whose results have in and auxIn
// channels.
func newDeepLabV3(c config, backbone *IntermediateLayerGetter, in, auxIn int64) *DeepLabV3 {
	m := new(DeepLabV3)
	m.Init(m)
	m.Backbone = backbone
	m.Register("backbone", m.Backbone)
	// In Python, the second classifier draws its initial values first.
	var aux *FCNHead
	if c.aux {
		aux = NewFCNHead(auxIn, c.classes)
	}
	m.Classifier = NewDeepLabHead(in, c.classes)
	m.Register("classifier", m.Classifier)
	if aux != nil {
		m.AuxClassifier = aux
		m.Register("aux_classifier", aux)
	}
	old.Countless(m)
	return m
}

// Forward takes normalized images of shape (N, 3, H, W).
func (m *DeepLabV3) Forward(x *torch.Tensor) Output {
	return run(&m.Base, x, m.Backbone, m.Classifier, m.AuxClassifier)
}

// DeepLabHead is the classifier of a [DeepLabV3]. Follows
// torchvision.models.segmentation.deeplabv3.DeepLabHead.
type DeepLabHead struct{ *nn.Sequential }

// NewDeepLabHead returns a DeepLabHead with the given numbers of input channels and classes, and
// the dilations atrousRates of its [ASPP]; without atrousRates these are 12, 24 and 36. It panics
// with ErrValue for negative numbers.
func NewDeepLabHead(inChannels, numClasses int64, atrousRates ...int64) *DeepLabHead {
	if len(atrousRates) == 0 {
		atrousRates = []int64{12, 24, 36}
	}
	l := &DeepLabHead{nn.NewSequential(
		NewASPP(inChannels, atrousRates),
		nn.NewConv2d(256, 256, 3, nn.Padding(1), nn.Bias(false)),
		nn.NewBatchNorm2d(256),
		nn.NewReLU(),
		nn.NewConv2d(256, numClasses, 1),
	)}
	l.Init(l)
	return l
}

// ASPP is atrous spatial pyramid pooling: convolutions with several dilations, and the mean of
// all pixels. Follows torchvision.models.segmentation.deeplabv3.ASPP.
type ASPP struct {
	nn.Base
	Convs   *nn.ModuleList
	Project *nn.Sequential
}

// NewASPP returns an ASPP with the given number of input channels and the given dilations. Its
// result has 256 channels. It panics with ErrValue for negative numbers.
func NewASPP(inChannels int64, atrousRates []int64) *ASPP {
	const out = 256
	l := new(ASPP)
	l.Init(l)
	l.Convs = nn.NewModuleList(nn.NewSequential(
		nn.NewConv2d(inChannels, out, 1, nn.Bias(false)), nn.NewBatchNorm2d(out), nn.NewReLU(),
	)).In(l, "convs")
	for _, rate := range atrousRates {
		l.Convs.Append(newASPPConv(inChannels, out, rate))
	}
	l.Convs.Append(newASPPPooling(inChannels, out))
	l.Project = nn.NewSequential(
		nn.NewConv2d(int64(l.Convs.Len())*out, out, 1, nn.Bias(false)), nn.NewBatchNorm2d(out), nn.NewReLU(),
		nn.NewDropout(0.5),
	).In(l, "project")
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor of shape (N, 256, H, W).
func (l *ASPP) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		parts := make([]*torch.Tensor, l.Convs.Len())
		for i := range parts {
			parts[i] = l.Convs.At(i).(nn.Layer).Forward(x)
		}
		all := torch.Cat(parts, 1)
		own.ReleaseAll(parts...)
		return own.Instead(all, l.Project.Forward(all))
	})
}

// ASPPConv is a part of an [ASPP]: a convolution with a dilation, a normalization and a ReLU. Follows
// torchvision.models.segmentation.deeplabv3.ASPPConv.
type ASPPConv struct{ *nn.Sequential }

func newASPPConv(in, out, dilation int64) *ASPPConv {
	l := &ASPPConv{nn.NewSequential(
		nn.NewConv2d(in, out, 3, nn.Padding(dilation), nn.Dilation(dilation), nn.Bias(false)),
		nn.NewBatchNorm2d(out),
		nn.NewReLU(),
	)}
	l.Init(l)
	return l
}

// ASPPPooling is a part of an [ASPP]: it computes the mean of all pixels, and repeats the result for
// each pixel. Follows torchvision.models.segmentation.deeplabv3.ASPPPooling.
type ASPPPooling struct{ *nn.Sequential }

func newASPPPooling(in, out int64) *ASPPPooling {
	l := &ASPPPooling{nn.NewSequential(
		nn.NewAdaptiveAvgPool2d(1),
		nn.NewConv2d(in, out, 1, nn.Bias(false)),
		nn.NewBatchNorm2d(out),
		nn.NewReLU(),
	)}
	l.Init(l)
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor with the same height and width.
func (l *ASPPPooling) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return resized(l.Sequential.Forward(x), sizeOf(x))
	})
}
