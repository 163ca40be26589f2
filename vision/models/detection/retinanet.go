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

// RetinaNet detects objects with a network that classifies anchors. Follows
// torchvision.models.detection.RetinaNet.
type RetinaNet struct {
	nn.Base
	Backbone        *BackboneWithFPN
	AnchorGenerator *AnchorGenerator
	Head            *RetinaNetHead
	Transform       *GeneralizedRCNNTransform

	config  *config
	matcher matcher
	coder   boxCoder
}

// RetinaNetHead computes scores and boxes from feature maps. Follows
// torchvision.models.detection.retinanet.RetinaNetHead.
type RetinaNetHead struct {
	nn.Base
	ClassificationHead *RetinaNetClassificationHead
	RegressionHead     *RetinaNetRegressionHead
	giou               bool // the loss of boxes
}

// RetinaNetClassificationHead computes the scores of all classes.
// Follows torchvision.models.detection.retinanet.RetinaNetClassificationHead.
type RetinaNetClassificationHead struct {
	nn.Base
	Conv      *nn.Sequential
	CLSLogits *nn.Conv2d

	classes int64
}

// RetinaNetRegressionHead computes boxes. Follows
// torchvision.models.detection.retinanet.RetinaNetRegressionHead.
type RetinaNetRegressionHead struct {
	nn.Base
	Conv    *nn.Sequential
	BBoxReg *nn.Conv2d
}

// NewRetinaNetResNet50FPN returns a RetinaNet on a ResNet-50. It panics with ErrValue for an invalid
// option. Follows torchvision.models.detection.retinanet_resnet50_fpn.
func NewRetinaNetResNet50FPN(opts ...RetinaNetOption) *RetinaNet {
	return newRetinaNet("detection.NewRetinaNetResNet50FPN", false, opts)
}

// NewRetinaNetResNet50FPNV2 is like NewRetinaNetResNet50FPN, with normalizations in the head and another
// loss of boxes. Follows torchvision.models.detection.retinanet_resnet50_fpn_v2.
func NewRetinaNetResNet50FPNV2(opts ...RetinaNetOption) *RetinaNet {
	return newRetinaNet("detection.NewRetinaNetResNet50FPNV2", true, opts)
}

func newRetinaNet(op string, v2 bool, opts []RetinaNetOption) *RetinaNet {
	d := defaults()
	d.scoreThresh, d.nmsThresh, d.detections, d.fg, d.bg, d.topK = 0.05, 0.5, 300, 0.5, 0.4, 1000
	c := read(op, d, 5, 3, opts)
	body := c.resNet(2, !v2)
	in := int64(256)
	var norm ops.NormLayer
	if v2 {
		in = 2048
		norm = func(channels int64) nn.Layer { return nn.NewGroupNorm(32, channels) }
	}
	extra := ops.NewLastLevelP6P7(in, 256)
	backbone := newBackbone(body, []int64{512, 1024, 2048}, extra, nil)
	var sizes, aspects [][]float64
	for _, s := range []float64{32, 64, 128, 256, 512} {
		sizes = append(sizes, []float64{s, math.Floor(s * math.Pow(2, 1.0/3)), math.Floor(s * math.Pow(2, 2.0/3))})
		aspects = append(aspects, []float64{0.5, 1, 2})
	}
	m := &RetinaNet{config: c, matcher: matcher{c.fg, c.bg, true}, coder: boxCoder{1, 1, 1, 1}}
	m.Init(m)
	m.Backbone = backbone
	m.Register("backbone", backbone)
	m.AnchorGenerator = NewAnchorGenerator(sizes, aspects)
	m.Register("anchor_generator", m.AnchorGenerator)
	m.Head = newRetinaNetHead(backbone.OutChannels, m.AnchorGenerator.perLocation(0), c.numClasses, norm)
	m.Head.giou = v2
	m.Register("head", m.Head)
	m.Transform = newTransform(c, 32, [2]int64{})
	m.Register("transform", m.Transform)
	old.Countless(m)
	return m
}

func newRetinaNetHead(in, anchors, classes int64, norm ops.NormLayer) *RetinaNetHead {
	h := new(RetinaNetHead)
	h.Init(h)
	c := &RetinaNetClassificationHead{classes: classes}
	c.Init(c)
	c.Conv = towers(in, norm).In(c, "conv")
	normal(c.Conv)
	c.CLSLogits = nn.NewConv2d(in, anchors*classes, 3, nn.Padding(1), c.As("cls_logits"))
	nninit.Normal_(c.CLSLogits.Weight, 0, 0.01)
	nninit.Constant_(c.CLSLogits.Bias, -math.Log((1-0.01)/0.01))
	renameTowers(c)
	h.ClassificationHead = c
	h.Register("classification_head", c)
	r := new(RetinaNetRegressionHead)
	r.Init(r)
	r.Conv = towers(in, norm).In(r, "conv")
	r.BBoxReg = nn.NewConv2d(in, anchors*4, 3, nn.Padding(1), r.As("bbox_reg"))
	normalConv(r.BBoxReg)
	normal(r.Conv)
	renameTowers(r)
	h.RegressionHead = r
	h.Register("regression_head", r)
	return h
}

// towers returns the four convolutions of a head.
func towers(in int64, norm ops.NormLayer) *nn.Sequential {
	s := nn.NewSequential()
	for range 4 {
		s.Append(ops.NewConv2dNormActivation(in, in, norm))
	}
	return s
}

// normal draws the weights of all convolutions from a narrow normal distribution.
func normal(m nn.Module) {
	for _, m := range nn.Modules(m) {
		if c, ok := m.(*nn.Conv2d); ok {
			normalConv(c)
		}
	}
}

func normalConv(c *nn.Conv2d) {
	nninit.Normal_(c.Weight, 0, 0.01)
	if c.Bias != nil {
		nninit.Zeros_(c.Bias)
	}
}

// Forward returns the scores of the classes of all anchors, of shape (N, anchors, classes).
func (h *RetinaNetClassificationHead) Forward(maps []*torch.Tensor) *torch.Tensor {
	return h.CallN(maps, func(maps []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{overMaps(maps, h.Conv, h.CLSLogits, h.classes)}
	})[0]
}

// Forward returns the boxes of all anchors, of shape (N, anchors, 4), as differences from the anchors.
func (h *RetinaNetRegressionHead) Forward(maps []*torch.Tensor) *torch.Tensor {
	return h.CallN(maps, func(maps []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{overMaps(maps, h.Conv, h.BBoxReg, 4)}
	})[0]
}

// overMaps runs layers on each feature map, and joins the results for all anchors.
func overMaps(maps []*torch.Tensor, conv, last nn.Layer, columns int64) *torch.Tensor {
	all := make([]*torch.Tensor, len(maps))
	for i, x := range maps {
		t := conv.Forward(x)
		all[i] = flatten(last.Forward(t), columns)
		own.Release(t)
	}
	return torch.Cat(all, 1)
}

// Losses returns the losses of a batch, in training mode: "classification" and "bbox_regression". images
// contains images of shape (3, H, W) with values from 0 to 1, whose sizes may differ, and targets their
// objects. The labels are from 0 to NumClasses - 1. It panics with ErrShape, ErrDType or ErrValue for
// invalid images and targets, with ErrIndex for a label that is not below NumClasses, and with ErrValue in
// evaluation mode.
func (m *RetinaNet) Losses(images []*torch.Tensor, targets []Target) Losses {
	return train("detection.RetinaNet.Losses", m, images, targets, false, false)
}

// Detect returns the objects in images, in evaluation mode. images contains images of shape (3, H, W) with
// values from 0 to 1, whose sizes may differ. It panics with ErrShape or ErrDType for other images, and
// with ErrValue in training mode.
func (m *RetinaNet) Detect(images []*torch.Tensor) []Detection {
	return find("detection.RetinaNet.Detect", m, images)
}

func (m *RetinaNet) transform() *GeneralizedRCNNTransform { return m.Transform }

func (m *RetinaNet) classes() int64 { return m.Head.ClassificationHead.classes }

// values returns the tensors of feature maps.
func values(maps []nn.NamedTensor) []*torch.Tensor {
	list := make([]*torch.Tensor, len(maps))
	for i, n := range maps {
		list[i] = n.Tensor
	}
	return list
}

func (m *RetinaNet) losses(b *batch) Losses {
	maps := values(m.Backbone.Forward(b.images))
	logits, codes := m.Head.ClassificationHead.Forward(maps), m.Head.RegressionHead.Forward(maps)
	anchors := m.AnchorGenerator.anchors(b.images, maps)
	var classification, regression []*torch.Tensor
	for i, t := range b.targets {
		matched := m.matcher.match(t.Boxes, anchors)
		object := where(matched.GeScalar(0))
		box := rows(matched, object)
		n := float64(max(1, object.Numel()))
		own := logits.Select(0, int64(i))
		classes := torch.ZerosLike(own).SetIndex(1, object, rows(t.Labels, box))
		valid := where(matched.NeScalar(between))
		loss := ops.SigmoidFocalLoss(rows(own, valid), rows(classes, valid), ops.ReductionSum)
		classification = append(classification, loss.DivScalar(n))
		regression = append(regression,
			m.boxLoss(rows(codes.Select(0, int64(i)), object), rows(anchors, object), rows(t.Boxes, box)).DivScalar(n))
	}
	images := len(b.targets)
	return Losses{
		{Name: "classification", Tensor: add(classification).DivScalar(images)},
		{Name: "bbox_regression", Tensor: add(regression).DivScalar(images)},
	}
}

func (m *RetinaNet) boxLoss(codes, anchors, boxes *torch.Tensor) *torch.Tensor {
	if m.Head.giou {
		return ops.GeneralizedBoxIoULoss(m.coder.decode(codes, anchors), boxes, ops.ReductionSum)
	}
	return F.L1Loss(codes, m.coder.encode(boxes, anchors), F.ReductionSum)
}

func (m *RetinaNet) detect(b *batch) []Detection {
	maps := values(m.Backbone.Forward(b.images))
	logits, codes := m.Head.ClassificationHead.Forward(maps), m.Head.RegressionHead.Forward(maps)
	anchors := m.AnchorGenerator.anchors(b.images, maps)
	n := int(m.AnchorGenerator.perLocation(0))
	return perLevel(m.config, b, maps, n, logits, codes, nil, anchors, m.coder.decode)
}

// perLevel returns the detections of a model that has the scores of all classes for each anchor. The
// candidates of each feature map are chosen separately. centerness may be nil.
func perLevel(c *config, b *batch, maps []*torch.Tensor, perLocation int, logits, codes, centerness,
	anchors *torch.Tensor, decode func(codes, anchors *torch.Tensor) *torch.Tensor,
) (all []Detection) {
	classes := logits.Size(2)
	for i := range b.sizes {
		var boxes, scores, labels []*torch.Tensor
		first := int64(0)
		for _, x := range maps {
			n := x.Size(2) * x.Size(3) * int64(perLocation)
			part := func(t *torch.Tensor) *torch.Tensor { return t.Select(0, int64(i)).Narrow(0, first, n) }
			score := part(logits).Sigmoid()
			if centerness != nil {
				score = score.Mul(part(centerness).Sigmoid()).Sqrt()
			}
			best, index := topScores(score.Flatten(), c.scoreThresh, c.topK)
			anchor := index.DivScalar(classes, torch.RoundingModeFloor)
			box := decode(rows(part(codes), anchor), rows(anchors.Narrow(0, first, n), anchor))
			boxes = append(boxes, ops.ClipBoxesToImage(box, b.sizes[i][0], b.sizes[i][1]))
			scores = append(scores, best)
			labels = append(labels, index.RemainderScalar(classes))
			first += n
		}
		all = append(all, bestOf(boxes, scores, labels, c.nmsThresh, c.detections))
	}
	return all
}
