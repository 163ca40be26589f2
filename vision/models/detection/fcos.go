package detection

import (
	"math"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/ops"
)

// FCOS detects objects with a network that predicts the edges of an object from each position inside it.
// Follows torchvision.models.detection.FCOS.
type FCOS struct {
	nn.Base
	Backbone        *BackboneWithFPN
	AnchorGenerator *AnchorGenerator
	Head            *FCOSHead
	Transform       *GeneralizedRCNNTransform

	config *config
	coder  linear
}

// FCOSHead computes scores and boxes from feature maps. Follows
// torchvision.models.detection.fcos.FCOSHead.
type FCOSHead struct {
	nn.Base
	ClassificationHead *FCOSClassificationHead
	RegressionHead     *FCOSRegressionHead
}

// FCOSClassificationHead computes the scores of all classes. Follows
// torchvision.models.detection.fcos.FCOSClassificationHead.
type FCOSClassificationHead struct {
	nn.Base
	Conv      *nn.Sequential
	CLSLogits *nn.Conv2d

	classes int64
}

// FCOSRegressionHead computes boxes and how close to the center a position is. Follows
// torchvision.models.detection.fcos.FCOSRegressionHead.
type FCOSRegressionHead struct {
	nn.Base
	Conv                 *nn.Sequential
	BBoxReg, BBoxCtrness *nn.Conv2d
}

// NewFCOSResNet50FPN returns an FCOS on a ResNet-50. It panics with ErrValue for an invalid option.
// Follows torchvision.models.detection.fcos_resnet50_fpn.
func NewFCOSResNet50FPN(opts ...FCOSOption) *FCOS {
	d := defaults()
	d.scoreThresh, d.nmsThresh, d.detections, d.topK, d.radius = 0.2, 0.6, 100, 1000, 1.5
	c := read("detection.NewFCOSResNet50FPN", d, 5, 3, opts)
	body := c.resNet(2, true)
	m := &FCOS{config: c}
	extra := ops.NewLastLevelP6P7(256, 256)
	backbone := newBackbone(body, []int64{512, 1024, 2048}, extra, nil)
	m.Init(m)
	m.Backbone = backbone
	m.Register("backbone", backbone)
	one := []float64{1}
	m.AnchorGenerator = NewAnchorGenerator([][]float64{{8}, {16}, {32}, {64}, {128}},
		[][]float64{one, one, one, one, one})
	m.Register("anchor_generator", m.AnchorGenerator)
	m.Head = newFCOSHead(backbone.OutChannels, c.numClasses)
	m.Register("head", m.Head)
	m.Transform = newTransform(c, 32, [2]int64{})
	m.Register("transform", m.Transform)
	old.Countless(m)
	return m
}

func newFCOSHead(in, classes int64) *FCOSHead {
	h := new(FCOSHead)
	h.Init(h)
	tower := func() *nn.Sequential {
		s := nn.NewSequential()
		for range 4 {
			s.Append(nn.NewConv2d(in, in, 3, nn.Padding(1)))
			s.Append(nn.NewGroupNorm(32, in))
			s.Append(nn.NewReLU())
		}
		return s
	}
	c := &FCOSClassificationHead{classes: classes}
	c.Init(c)
	c.Conv = tower().In(c, "conv")
	normal(c.Conv)
	c.CLSLogits = nn.NewConv2d(in, classes, 3, nn.Padding(1), c.As("cls_logits"))
	nninit.Normal_(c.CLSLogits.Weight, 0, 0.01)
	nninit.Constant_(c.CLSLogits.Bias, -math.Log((1-0.01)/0.01))
	h.ClassificationHead = c
	h.Register("classification_head", c)
	r := new(FCOSRegressionHead)
	r.Init(r)
	r.Conv = tower().In(r, "conv")
	r.BBoxReg = nn.NewConv2d(in, 4, 3, nn.Padding(1), r.As("bbox_reg"))
	r.BBoxCtrness = nn.NewConv2d(in, 1, 3, nn.Padding(1), r.As("bbox_ctrness"))
	normalConv(r.BBoxReg)
	normalConv(r.BBoxCtrness)
	normal(r.Conv)
	h.RegressionHead = r
	h.Register("regression_head", r)
	return h
}

// Forward returns the scores of the classes at all positions, of shape (N, positions, classes).
func (h *FCOSClassificationHead) Forward(maps []*torch.Tensor) *torch.Tensor {
	return h.CallN(maps, func(maps []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{overMaps(maps, h.Conv, h.CLSLogits, h.classes)}
	})[0]
}

// Forward returns the boxes at all positions, of shape (N, positions, 4), as distances of their edges, and
// the logits of the centerness, of shape (N, positions, 1).
func (h *FCOSRegressionHead) Forward(maps []*torch.Tensor) (boxes, centerness *torch.Tensor) {
	out := h.CallN(maps, func(maps []*torch.Tensor) []*torch.Tensor {
		b, c := make([]*torch.Tensor, len(maps)), make([]*torch.Tensor, len(maps))
		for i, x := range maps {
			t := h.Conv.Forward(x)
			b[i] = flatten(F.ReLU(h.BBoxReg.Forward(t)), 4)
			c[i] = flatten(h.BBoxCtrness.Forward(t), 1)
			own.Release(t)
		}
		return []*torch.Tensor{torch.Cat(b, 1), torch.Cat(c, 1)}
	})
	return out[0], out[1]
}

// Losses returns the losses of a batch, in training mode: "classification", "bbox_regression" and
// "bbox_ctrness". Arguments and errors are those of [RetinaNet.Losses].
func (m *FCOS) Losses(images []*torch.Tensor, targets []Target) Losses {
	return train("detection.FCOS.Losses", m, images, targets, false, false)
}

// Detect returns the objects in images, in evaluation mode. Arguments and errors are those of
// [RetinaNet.Detect].
func (m *FCOS) Detect(images []*torch.Tensor) []Detection {
	return find("detection.FCOS.Detect", m, images)
}

func (m *FCOS) transform() *GeneralizedRCNNTransform { return m.Transform }

func (m *FCOS) classes() int64 { return m.Head.ClassificationHead.classes }

// match returns the index of the box for each position, or -1.
func (m *FCOS) match(boxes, anchors *torch.Tensor, first, last int64) *torch.Tensor {
	if boxes.Numel() == 0 {
		return torch.Full(torch.Shape{anchors.Size(0)}, below, torch.Int64, anchors.Device())
	}
	center := func(t *torch.Tensor) *torch.Tensor { return t.Narrow(1, 0, 2).Add(t.Narrow(1, 2, 2)).DivScalar(2) }
	at, size := center(anchors), anchors.Select(1, 2).Sub(anchors.Select(1, 0))
	apart, _ := at.Unsqueeze(1).Sub(center(boxes).Unsqueeze(0)).Abs().MaxDim(2)
	fits := apart.Lt(size.Unsqueeze(1).MulScalar(m.config.radius))
	x, y := at.Select(1, 0).Unsqueeze(1), at.Select(1, 1).Unsqueeze(1)
	b := boxes.Unsqueeze(0).Unbind(2)
	edges := torch.Stack([]*torch.Tensor{x.Sub(b[0]), y.Sub(b[1]), b[2].Sub(x), b[3].Sub(y)}, 2)
	nearest, _ := edges.MinDim(2)
	farthest, _ := edges.MaxDim(2)
	lower, upper := size.MulScalar(4), size.MulScalar(8)
	lower.Narrow(0, 0, first).Zero_()
	upper.Narrow(0, upper.Size(0)-last, last).Fill_(math.Inf(1))
	fits = fits.LogicalAnd(nearest.GtScalar(0))
	fits = fits.LogicalAnd(farthest.Gt(lower.Unsqueeze(1)).LogicalAnd(farthest.Lt(upper.Unsqueeze(1))))
	area := boxes.Select(1, 2).Sub(boxes.Select(1, 0)).Mul(boxes.Select(1, 3).Sub(boxes.Select(1, 1)))
	// The smallest box that fits has the largest value.
	value, matched := fits.To(torch.Float32).Mul(area.RSubScalar(1e8).Unsqueeze(0)).MaxDim(1)
	return matched.MaskedFill(value.LtScalar(1e-5), below)
}

func (m *FCOS) losses(b *batch) Losses {
	maps := values(m.Backbone.Forward(b.images))
	logits := m.Head.ClassificationHead.Forward(maps)
	codes, centerness := m.Head.RegressionHead.Forward(maps)
	anchors := m.AnchorGenerator.anchors(b.images, maps)
	positions := func(x *torch.Tensor) int64 { return x.Size(2) * x.Size(3) }
	var labels, boxes, all []*torch.Tensor
	for _, t := range b.targets {
		matched := m.match(t.Boxes, anchors, positions(maps[0]), positions(maps[len(maps)-1]))
		l := torch.Zeros(torch.Shape{matched.Size(0)}, torch.Int64, anchors.Device())
		box := torch.Zeros(torch.Shape{matched.Size(0), 4}, t.Boxes.DType(), anchors.Device())
		if t.Labels.Numel() > 0 {
			index := matched.Clamp(0, nil)
			l, box = rows(t.Labels, index), rows(t.Boxes, index)
		}
		labels = append(labels, l.MaskedFill(matched.LtScalar(0), -1))
		boxes = append(boxes, box)
		all = append(all, anchors)
	}
	label, box, anchor := torch.Stack(labels), torch.Stack(boxes), torch.Stack(all)
	object := label.GeScalar(0)
	at := object.Nonzero()
	image, position := at.Select(1, 0), at.Select(1, 1)
	n := max(1, at.Size(0))
	classes := torch.ZerosLike(logits).SetIndex(1, image, position, label.Index(object))
	loss := ops.SigmoidFocalLoss(logits, classes, ops.ReductionSum)
	decoded := m.coder.decode(codes, anchor)
	boxLoss := ops.GeneralizedBoxIoULoss(decoded.Index(object), box.Index(object), ops.ReductionSum)
	c := m.coder.encode(anchor, box)
	share := func(i, j int64) *torch.Tensor {
		low, _ := c.IndexSelect(-1, torch.FromSlice([]int64{i, j}).To(c.Device())).MinDim(-1)
		high, _ := c.IndexSelect(-1, torch.FromSlice([]int64{i, j}).To(c.Device())).MaxDim(-1)
		return low.Div(high)
	}
	centers := share(0, 2).Mul(share(1, 3)).Sqrt()
	centerLoss := F.BinaryCrossEntropyWithLogits(centerness.Squeeze(2).Index(object), centers.Index(object),
		F.ReductionSum)
	return Losses{
		{Name: "classification", Tensor: loss.DivScalar(n)},
		{Name: "bbox_regression", Tensor: boxLoss.DivScalar(n)},
		{Name: "bbox_ctrness", Tensor: centerLoss.DivScalar(n)},
	}
}

func (m *FCOS) detect(b *batch) []Detection {
	maps := values(m.Backbone.Forward(b.images))
	logits := m.Head.ClassificationHead.Forward(maps)
	codes, centerness := m.Head.RegressionHead.Forward(maps)
	anchors := m.AnchorGenerator.anchors(b.images, maps)
	return perLevel(m.config, b, maps, 1, logits, codes, centerness, anchors, m.coder.decode)
}
