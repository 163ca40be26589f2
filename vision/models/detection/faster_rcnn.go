package detection

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/ops"
)

// GeneralizedRCNN detects objects in two steps: it proposes regions, and then classifies each of them. It is
// a Faster R-CNN, a Mask R-CNN, which also finds the pixels of the objects, or a Keypoint R-CNN, which also
// finds their keypoints. Follows torchvision.models.detection.generalized_rcnn.GeneralizedRCNN, FasterRCNN,
// MaskRCNN and KeypointRCNN.
type GeneralizedRCNN struct {
	nn.Base
	Transform *GeneralizedRCNNTransform
	Backbone  *BackboneWithFPN
	RPN       *RegionProposalNetwork
	RoIHeads  *RoIHeads
}

// NewFasterRCNNResNet50FPN returns a Faster R-CNN on a ResNet-50. It panics with ErrValue for an invalid
// option. Follows torchvision.models.detection.fasterrcnn_resnet50_fpn.
func NewFasterRCNNResNet50FPN(opts ...RCNNOption) *GeneralizedRCNN {
	c := read("detection.NewFasterRCNNResNet50FPN", defaults(), 5, 3, opts)
	return newRCNN(c, c.resNetFPN(false), fpnAnchors(5), nil, nil, "FasterRCNN")
}

// NewFasterRCNNResNet50FPNV2 is like NewFasterRCNNResNet50FPN, with more layers and normalizations. Follows
// torchvision.models.detection.fasterrcnn_resnet50_fpn_v2.
func NewFasterRCNNResNet50FPNV2(opts ...RCNNOption) *GeneralizedRCNN {
	c := read("detection.NewFasterRCNNResNet50FPNV2", defaults(), 5, 3, opts)
	backbone := c.resNetFPN(true)
	rpn, box := headsV2()
	return newRCNN(c, backbone, fpnAnchors(5), rpn, box, "FasterRCNN")
}

// NewFasterRCNNMobileNetV3LargeFPN returns a Faster R-CNN on a MobileNetV3. It panics with ErrValue for an
// invalid option. Follows torchvision.models.detection.fasterrcnn_mobilenet_v3_large_fpn.
func NewFasterRCNNMobileNetV3LargeFPN(opts ...RCNNOption) *GeneralizedRCNN {
	d := defaults()
	d.rpn.scoreThresh = 0.05
	return newMobileRCNN("detection.NewFasterRCNNMobileNetV3LargeFPN", d, opts)
}

// NewFasterRCNNMobileNetV3Large320FPN is like NewFasterRCNNMobileNetV3LargeFPN, for small images. Follows
// torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn.
func NewFasterRCNNMobileNetV3Large320FPN(opts ...RCNNOption) *GeneralizedRCNN {
	d := defaults()
	d.rpn.scoreThresh, d.rpn.preTest, d.rpn.postTest = 0.05, 150, 150
	d.minSize, d.maxSize = []int64{320}, 640
	return newMobileRCNN("detection.NewFasterRCNNMobileNetV3Large320FPN", d, opts)
}

func newMobileRCNN(op string, d config, opts []RCNNOption) *GeneralizedRCNN {
	c := read(op, d, 6, 3, opts)
	backbone := newBackbone(c.mobileNet(), []int64{160, 960}, ops.NewLastLevelMaxPool(), nil)
	sizes := []float64{32, 64, 128, 256, 512}
	aspects := []float64{0.5, 1, 2}
	anchors := NewAnchorGenerator([][]float64{sizes, sizes, sizes}, [][]float64{aspects, aspects, aspects})
	return newRCNN(c, backbone, anchors, nil, nil, "FasterRCNN")
}

// NewMaskRCNNResNet50FPN returns a Mask R-CNN on a ResNet-50. It panics with ErrValue for an invalid option.
// Follows torchvision.models.detection.maskrcnn_resnet50_fpn.
func NewMaskRCNNResNet50FPN(opts ...RCNNOption) *GeneralizedRCNN {
	c := read("detection.NewMaskRCNNResNet50FPN", defaults(), 5, 3, opts)
	backbone := c.resNetFPN(false)
	return newMaskRCNN(c, backbone, nil, nil, newMaskHead(nil))
}

// NewMaskRCNNResNet50FPNV2 is like NewMaskRCNNResNet50FPN, with more layers and normalizations. Follows
// torchvision.models.detection.maskrcnn_resnet50_fpn_v2.
func NewMaskRCNNResNet50FPNV2(opts ...RCNNOption) *GeneralizedRCNN {
	c := read("detection.NewMaskRCNNResNet50FPNV2", defaults(), 5, 3, opts)
	backbone := c.resNetFPN(true)
	rpn, box := headsV2()
	return newMaskRCNN(c, backbone, rpn, box, newMaskHead(batchNorm))
}

func newMaskRCNN(c *config, backbone *BackboneWithFPN, rpn *RPNHead, box, head nn.Layer) *GeneralizedRCNN {
	predictor := nn.NewSequential().Add("conv5_mask", nn.NewConvTranspose2d(256, 256, 2, nn.Stride(2))).
		Add("relu", nn.NewReLU(nn.Inplace(true))).Add("mask_fcn_logits", nn.NewConv2d(256, c.numClasses, 1))
	for _, p := range predictor.NamedParameters() {
		if p.Tensor.Dim() > 1 {
			nninit.KaimingNormal_(p.Tensor, nninit.ModeFanOut, nninit.NonlinearityReLU)
		}
	}
	m := newRCNN(c, backbone, fpnAnchors(5), rpn, box, "MaskRCNN")
	h := m.RoIHeads
	h.MaskRoIPool = pooler(14)
	h.Register("mask_roi_pool", h.MaskRoIPool)
	h.MaskHead = head
	h.Register("mask_head", head)
	named := &MaskRCNNPredictor{predictor}
	named.Init(named)
	h.MaskPredictor = named
	h.Register("mask_predictor", named)
	return m
}

// MaskRCNNHeads are the convolutions before a [MaskRCNNPredictor]. Follows
// torchvision.models.detection.mask_rcnn.MaskRCNNHeads.
type MaskRCNNHeads struct{ *nn.Sequential }

// MaskRCNNPredictor computes a mask for each class. Follows
// torchvision.models.detection.mask_rcnn.MaskRCNNPredictor.
type MaskRCNNPredictor struct{ *nn.Sequential }

// KeypointRCNNHeads are the convolutions before a [KeypointRCNNPredictor]. Follows
// torchvision.models.detection.keypoint_rcnn.KeypointRCNNHeads.
type KeypointRCNNHeads struct{ *nn.Sequential }

// FastRCNNConvFCHead consists of convolutions and a linear layer. Follows
// torchvision.models.detection.faster_rcnn.FastRCNNConvFCHead.
type FastRCNNConvFCHead struct{ *nn.Sequential }

func batchNorm(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels) }

// kaimingOut draws the weights of all convolutions from the Kaiming normal distribution.
func kaimingOut(m nn.Module) {
	for _, m := range nn.Modules(m) {
		if c, ok := m.(*nn.Conv2d); ok {
			nninit.KaimingNormal_(c.Weight, nninit.ModeFanOut, nninit.NonlinearityReLU)
			if c.Bias != nil {
				nninit.Zeros_(c.Bias)
			}
		}
	}
}

func newMaskHead(norm ops.NormLayer) nn.Layer {
	h := &MaskRCNNHeads{nn.NewSequential()}
	h.Init(h)
	names := map[string]string{}
	for i := range 4 {
		h.Append(ops.NewConv2dNormActivation(256, 256, norm))
		for _, kind := range []string{"weight", "bias"} {
			names[fmt.Sprintf("mask_fcn%d.%s", i+1, kind)] = fmt.Sprintf("%d.0.%s", i, kind)
		}
	}
	kaimingOut(h)
	renamed(h, names)
	return h
}

// headsV2 returns the heads of the models of version 2.
func headsV2() (*RPNHead, nn.Layer) {
	rpn := newRPNHead(256, 3, 2)
	box := &FastRCNNConvFCHead{nn.NewSequential()}
	box.Init(box)
	for range 4 {
		box.Append(ops.NewConv2dNormActivation(256, 256, ops.NormLayer(batchNorm)))
	}
	box.Append(nn.NewFlatten())
	box.Append(nn.NewLinear(256*7*7, 1024))
	box.Append(nn.NewReLU(nn.Inplace(true)))
	kaimingOut(box)
	return rpn, box
}

// NewKeypointRCNNResNet50FPN returns a Keypoint R-CNN on a ResNet-50. It panics with ErrValue for an invalid
// option. Follows torchvision.models.detection.keypointrcnn_resnet50_fpn.
func NewKeypointRCNNResNet50FPN(opts ...KeypointRCNNOption) *GeneralizedRCNN {
	d := defaults()
	d.numClasses, d.minSize = 2, []int64{640, 672, 704, 736, 768, 800}
	c := read("detection.NewKeypointRCNNResNet50FPN", d, 5, 3, opts)
	backbone := c.resNetFPN(false)
	head := &KeypointRCNNHeads{nn.NewSequential()}
	head.Init(head)
	in := int64(256)
	for range 8 {
		head.Append(nn.NewConv2d(in, 512, 3, nn.Padding(1)))
		head.Append(nn.NewReLU(nn.Inplace(true)))
		in = 512
	}
	kaimingOut(head)
	predictor := NewKeypointRCNNPredictor(512, c.keypoints)
	m := newRCNN(c, backbone, fpnAnchors(5), nil, nil, "KeypointRCNN")
	h := m.RoIHeads
	h.KeypointRoIPool = pooler(14)
	h.Register("keypoint_roi_pool", h.KeypointRoIPool)
	h.KeypointHead = head
	h.Register("keypoint_head", head)
	h.KeypointPredictor = predictor
	h.Register("keypoint_predictor", predictor)
	return m
}

// KeypointRCNNPredictor computes a map for each keypoint. Follows
// torchvision.models.detection.keypoint_rcnn.KeypointRCNNPredictor.
type KeypointRCNNPredictor struct {
	nn.Base
	KPSScoreLowres *nn.ConvTranspose2d
}

// NewKeypointRCNNPredictor returns a KeypointRCNNPredictor. It panics with ErrValue for negative numbers.
func NewKeypointRCNNPredictor(inChannels, numKeypoints int64) *KeypointRCNNPredictor {
	p := new(KeypointRCNNPredictor)
	p.Init(p)
	p.KPSScoreLowres = nn.NewConvTranspose2d(inChannels, numKeypoints, 4, nn.Stride(2), nn.Padding(1),
		p.As("kps_score_lowres"))
	nninit.KaimingNormal_(p.KPSScoreLowres.Weight, nninit.ModeFanOut, nninit.NonlinearityReLU)
	nninit.Zeros_(p.KPSScoreLowres.Bias)
	return p
}

// Forward takes features of shape (N, inChannels, H, W), and returns maps of shape (N, numKeypoints, 4 * H,
// 4 * W). It panics like the layers.
func (p *KeypointRCNNPredictor) Forward(x *torch.Tensor) *torch.Tensor {
	return p.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := p.KPSScoreLowres.Forward(x)
		return own.Instead(y, F.Interpolate(y, F.ScaleFactor(2), F.ModeBilinear, F.AlignCorners(false),
			F.RecomputeScaleFactor(false)))
	})
}

// TwoMLPHead consists of two linear layers. Follows
// torchvision.models.detection.faster_rcnn.TwoMLPHead.
type TwoMLPHead struct {
	nn.Base
	FC6, FC7 *nn.Linear
}

func newTwoMLPHead(in, features int64) *TwoMLPHead {
	h := new(TwoMLPHead)
	h.Init(h)
	h.FC6 = nn.NewLinear(in, features, h.As("fc6"))
	h.FC7 = nn.NewLinear(features, features, h.As("fc7"))
	return h
}

// Forward takes features of shape (N, C, H, W), and returns features of shape (N, features).
func (h *TwoMLPHead) Forward(x *torch.Tensor) *torch.Tensor {
	return h.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = F.ReLU(h.FC6.Forward(x.Flatten(1)))
		return F.ReLU(h.FC7.Forward(x))
	})
}

// resNetFPN returns the backbone of a model on a ResNet-50.
func (c *config) resNetFPN(v2 bool) *BackboneWithFPN {
	var norm ops.NormLayer
	if v2 {
		norm = batchNorm
	}
	return newBackbone(c.resNet(1, !v2), []int64{256, 512, 1024, 2048}, ops.NewLastLevelMaxPool(), norm)
}

// fpnAnchors returns the anchors for feature maps of n sizes.
func fpnAnchors(n int) *AnchorGenerator {
	var sizes, aspects [][]float64
	for i := range n {
		sizes = append(sizes, []float64{float64(int(32) << i)})
		aspects = append(aspects, []float64{0.5, 1, 2})
	}
	return NewAnchorGenerator(sizes, aspects)
}

func pooler(size int) *ops.MultiScaleRoIAlign {
	return ops.NewMultiScaleRoIAlign([]string{"0", "1", "2", "3"}, size, 2)
}

// newRCNN returns a model. rpn and box are its heads, or nil for the usual ones.
func newRCNN(c *config, backbone *BackboneWithFPN, anchors *AnchorGenerator, rpn *RPNHead, box nn.Layer,
	name string,
) *GeneralizedRCNN {
	if rpn == nil {
		rpn = newRPNHead(backbone.OutChannels, anchors.perLocation(0), 1)
	}
	network := newRPN(c, anchors, rpn)
	if box == nil {
		box = newTwoMLPHead(backbone.OutChannels*7*7, 1024)
	}
	predictor := NewFastRCNNPredictor(1024, c.numClasses)
	m := new(GeneralizedRCNN)
	m.Init(m, nn.TypeName(name))
	m.Transform = newTransform(c, 32, [2]int64{})
	m.Register("transform", m.Transform)
	m.Backbone = backbone
	m.Register("backbone", backbone)
	m.RPN = network
	m.Register("rpn", network)
	m.RoIHeads = newRoIHeads(c, pooler(7), box, predictor)
	m.Register("roi_heads", m.RoIHeads)
	old.Countless(m)
	return m
}

// Losses returns the losses of a batch, in training mode: "loss_classifier", "loss_box_reg", then "loss_mask"
// in a Mask R-CNN and "loss_keypoint" in a Keypoint R-CNN, "loss_objectness" and "loss_rpn_box_reg". The
// labels are from 1 to NumClasses - 1. A Mask R-CNN needs Masks, and a Keypoint R-CNN Keypoints. Arguments
// and errors are otherwise those of [RetinaNet.Losses].
func (m *GeneralizedRCNN) Losses(images []*torch.Tensor, targets []Target) Losses {
	return train("detection.GeneralizedRCNN.Losses", m, images, targets, m.RoIHeads.MaskPredictor != nil,
		m.RoIHeads.KeypointPredictor != nil)
}

// Detect returns the objects in images, in evaluation mode. Arguments and errors are those of
// [RetinaNet.Detect].
func (m *GeneralizedRCNN) Detect(images []*torch.Tensor) []Detection {
	return find("detection.GeneralizedRCNN.Detect", m, images)
}

func (m *GeneralizedRCNN) transform() *GeneralizedRCNNTransform { return m.Transform }

func (m *GeneralizedRCNN) classes() int64 { return m.RoIHeads.BoxPredictor.CLSScore.OutFeatures }

func (m *GeneralizedRCNN) losses(b *batch) Losses {
	maps := m.Backbone.Forward(b.images)
	proposals, losses := m.RPN.propose(b, values(maps))
	return append(m.RoIHeads.losses(b, maps, proposals), losses...)
}

func (m *GeneralizedRCNN) detect(b *batch) []Detection {
	maps := m.Backbone.Forward(b.images)
	proposals, _ := m.RPN.propose(b, values(maps))
	return m.RoIHeads.detect(b, maps, proposals)
}
