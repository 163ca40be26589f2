package segmentation

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
)

// LRASPP is a small network for mobile devices. Follows torchvision.models.segmentation.LRASPP.
type LRASPP struct {
	nn.Base
	Backbone   *IntermediateLayerGetter
	Classifier *LRASPPHead
}

// NewLRASPPMobileNetV3Large returns an LRASPP with a large MobileNetV3. Follows
// torchvision.models.segmentation.lraspp_mobilenet_v3_large.
func NewLRASPPMobileNetV3Large(opts ...LRASPPOption) *LRASPP {
	c := read("segmentation.NewLRASPPMobileNetV3Large", opts)
	m := new(LRASPP)
	m.Init(m)
	m.Backbone = mobileNetBackbone(lowLayer, highLayer)
	m.Register("backbone", m.Backbone)
	m.Classifier = NewLRASPPHead(lowChannels, highChannels, c.classes, 128)
	m.Register("classifier", m.Classifier)
	old.Countless(m)
	return m
}

// Forward takes normalized images of shape (N, 3, H, W). Aux is always nil.
func (m *LRASPP) Forward(x *torch.Tensor) Output {
	out := m.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		features := m.Backbone.Forward(in[0])
		out := m.Classifier.Forward(features[0], features[1])
		own.ReleaseAll(features...)
		return []*torch.Tensor{resized(out, sizeOf(in[0]))}
	})
	return Output{Out: out[0]}
}

// LRASPPHead is the classifier of an [LRASPP]. Follows
// torchvision.models.segmentation.lraspp.LRASPPHead.
type LRASPPHead struct {
	nn.Base
	CBR, Scale                    *nn.Sequential
	LowClassifier, HighClassifier nn.Layer
}

// NewLRASPPHead returns an LRASPPHead with the given numbers of channels of its two inputs, of
// classes, and of channels between its layers. It panics with ErrValue for negative numbers.
func NewLRASPPHead(lowChannels, highChannels, numClasses, interChannels int64) *LRASPPHead {
	l := new(LRASPPHead)
	l.Init(l)
	l.CBR = nn.NewSequential(
		nn.NewConv2d(highChannels, interChannels, 1, nn.Bias(false)),
		nn.NewBatchNorm2d(interChannels),
		nn.NewReLU(nn.Inplace(true)),
	).In(l, "cbr")
	l.Scale = nn.NewSequential(
		nn.NewAdaptiveAvgPool2d(1),
		nn.NewConv2d(highChannels, interChannels, 1, nn.Bias(false)),
		nn.NewSigmoid(),
	).In(l, "scale")
	l.LowClassifier = nn.NewConv2d(lowChannels, numClasses, 1, l.As("low_classifier"))
	l.HighClassifier = nn.NewConv2d(interChannels, numClasses, 1, l.As("high_classifier"))
	return l
}

// Forward takes low of shape (N, lowChannels, H, W) and high, which may be smaller, of shape (N,
// highChannels, h, w). It returns a new tensor of shape (N, numClasses, H, W).
func (l *LRASPPHead) Forward(low, high *torch.Tensor) *torch.Tensor {
	return l.Call2(low, high, func(low, high *torch.Tensor) *torch.Tensor {
		x, s := l.CBR.Forward(high), l.Scale.Forward(high)
		scaled := x.Mul(s)
		own.ReleaseAll(x, s)
		scaled = resized(scaled, sizeOf(low))
		fine, coarse := l.LowClassifier.Forward(low), l.HighClassifier.Forward(scaled)
		own.Release(scaled)
		sum := fine.Add(coarse)
		own.ReleaseAll(fine, coarse)
		return sum
	})
}
