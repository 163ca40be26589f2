package detection

import (
	"math"
	"strconv"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/models"
	"github.com/gotorch/gotorch/vision/ops"
)

// SSD detects objects with a network that classifies default boxes. Follows
// torchvision.models.detection.SSD.
type SSD struct {
	nn.Base
	Backbone        SSDBackbone
	AnchorGenerator *DefaultBoxGenerator
	Head            *SSDHead
	Transform       *GeneralizedRCNNTransform

	config  *config
	matcher matcher
	coder   boxCoder
}

// An SSDBackbone computes feature maps, the largest first: an [SSDFeatureExtractorVGG] or an
// [SSDLiteFeatureExtractorMobileNet].
type SSDBackbone interface {
	nn.Module
	Forward(x *torch.Tensor) []*torch.Tensor
}

// SSDHead computes scores and boxes from feature maps. Follows torchvision.models.detection.ssd.SSDHead.
type SSDHead struct {
	nn.Base
	ClassificationHead, RegressionHead *SSDScoringHead
}

// SSDScoringHead has a layer for each feature map. Follows
// torchvision.models.detection.ssd.SSDScoringHead.
type SSDScoringHead struct {
	nn.Base
	ModuleList *nn.ModuleList

	columns int64
}

// SSDFeatureExtractorVGG is the backbone of an SSD300. Follows
// torchvision.models.detection.ssd.SSDFeatureExtractorVGG.
type SSDFeatureExtractorVGG struct {
	nn.Base
	ScaleWeight *torch.Tensor
	Features    *nn.Sequential
	Extra       *nn.ModuleList
}

// NewSSD300VGG16 returns an SSD for images of 300 x 300 pixels, on a VGG with 16 layers. It panics with
// ErrValue for an invalid option. Follows torchvision.models.detection.ssd300_vgg16.
func NewSSD300VGG16(opts ...SSDOption) *SSD {
	d := defaults()
	d.scoreThresh, d.nmsThresh, d.detections, d.iou, d.topK, d.positiveFraction = 0.01, 0.45, 200, 0.5, 400, 0.25
	d.imageMean = []float64{0.48235, 0.45882, 0.40784}
	d.imageStd = []float64{1.0 / 255, 1.0 / 255, 1.0 / 255}
	c := read("detection.NewSSD300VGG16", d, 5, 4, opts)
	net := models.NewVGG16()
	_ = net.Classifier.Close()
	layers := net.Features.Children()
	freezeStages(layers, []int{0, 4, 9, 16, 23}, c.trainable)
	backbone := newExtractorVGG(layers)
	g := newDefaultBoxGenerator([][]float64{{2}, {2, 3}, {2, 3}, {2, 3}, {2}, {2}}, 0, 0,
		[]float64{0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05}, []int64{8, 16, 32, 64, 100, 300})
	channels := []int64{512, 1024, 512, 256, 256, 256}
	layer := func(in, out int64) nn.Layer { return nn.NewConv2d(in, out, 3, nn.Padding(1)) }
	return newSSD(c, backbone, g, 300, newSSDHead(channels, g.perLocation(), c.numClasses, "SSD", layer, xavier))
}

func newSSD(c *config, backbone SSDBackbone, g *DefaultBoxGenerator, size int64, head *SSDHead) *SSD {
	m := &SSD{config: c, matcher: matcher{c.iou, c.iou, false}, coder: boxCoder{10, 10, 5, 5}}
	m.Init(m)
	m.Backbone = backbone
	m.Register("backbone", backbone)
	m.AnchorGenerator = g
	m.Register("anchor_generator", g)
	m.Head = head
	m.Register("head", head)
	c.minSize, c.maxSize = []int64{size}, size
	m.Transform = newTransform(c, 1, [2]int64{size, size})
	m.Register("transform", m.Transform)
	old.Countless(m)
	return m
}

// newSSDHead returns a head whose layers layer makes and initial initializes.
func newSSDHead(channels, anchors []int64, classes int64, name string, layer func(in, out int64) nn.Layer,
	initial func(m nn.Module),
) *SSDHead {
	scoring := func(kind string, columns int64) *SSDScoringHead {
		h := &SSDScoringHead{columns: columns}
		h.Init(h, nn.TypeName(name+kind+"Head"))
		h.ModuleList = nn.NewModuleList().In(h, "module_list")
		for i, in := range channels {
			h.ModuleList.Append(layer(in, columns*anchors[i]))
		}
		initial(h.ModuleList)
		return h
	}
	h := new(SSDHead)
	h.Init(h, nn.TypeName(name+"Head"))
	h.ClassificationHead = scoring("Classification", classes)
	h.Register("classification_head", h.ClassificationHead)
	h.RegressionHead = scoring("Regression", 4)
	h.Register("regression_head", h.RegressionHead)
	return h
}

func xavier(m nn.Module) {
	for _, m := range nn.Modules(m) {
		if c, ok := m.(*nn.Conv2d); ok {
			nninit.XavierUniform_(c.Weight)
			if c.Bias != nil {
				nninit.Zeros_(c.Bias)
			}
		}
	}
}

func newExtractorVGG(layers []nn.NamedModule) *SSDFeatureExtractorVGG {
	const pool3, pool4 = 16, 23
	layers[pool3].Module.(*nn.MaxPool2d).CeilMode = true
	b := new(SSDFeatureExtractorVGG)
	b.Init(b)
	b.ScaleWeight = b.RegisterParameter("scale_weight", nn.NewParameter(torch.Full(torch.Shape{512}, 20.0)))
	b.Features = nn.NewSequential().In(b, "features")
	for _, l := range layers[:pool4] {
		b.Features.Append(l.Module.(nn.Layer))
	}
	block := func(in, middle, out int64, opts ...nn.ConvOption) nn.Module {
		kernel := 3
		return nn.NewSequential(nn.NewConv2d(in, middle, 1), nn.NewReLU(nn.Inplace(true)),
			nn.NewConv2d(middle, out, kernel, opts...), nn.NewReLU(nn.Inplace(true)))
	}
	extra := []nn.Module{
		block(1024, 256, 512, nn.Padding(1), nn.Stride(2)), block(512, 128, 256, nn.Padding(1), nn.Stride(2)),
		block(256, 128, 256), block(256, 128, 256),
	}
	for _, m := range extra {
		xavier(m)
	}
	fc := nn.NewSequential(
		nn.NewMaxPool2d(3, nn.Stride(1), nn.Padding(1)), nn.NewConv2d(512, 1024, 3, nn.Padding(6), nn.Dilation(6)),
		nn.NewReLU(nn.Inplace(true)), nn.NewConv2d(1024, 1024, 1), nn.NewReLU(nn.Inplace(true)))
	xavier(fc)
	first := nn.NewSequential()
	for _, l := range layers[pool4 : len(layers)-1] {
		first.Append(l.Module.(nn.Layer))
	}
	first.Append(fc)
	b.Extra = nn.NewModuleList(append([]nn.Module{first}, extra...)...).In(b, "extra")
	return b
}

// Forward takes normalized images of shape (N, 3, H, W), and returns feature maps, the largest first.
func (b *SSDFeatureExtractorVGG) Forward(x *torch.Tensor) []*torch.Tensor {
	return b.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		x := b.Features.Forward(in[0])
		n := F.Normalize(x)
		maps := []*torch.Tensor{b.ScaleWeight.View(1, -1, 1, 1).Mul(n)}
		own.Release(n)
		for i := range b.Extra.Len() {
			y := b.Extra.At(i).(nn.Layer).Forward(x)
			if i == 0 {
				own.Release(x)
			}
			x = y
			maps = append(maps, x)
		}
		return maps
	})
}

// Forward returns the results for all boxes, of shape (N, boxes, columns).
func (h *SSDScoringHead) Forward(maps []*torch.Tensor) *torch.Tensor {
	return h.CallN(maps, func(maps []*torch.Tensor) []*torch.Tensor {
		all := make([]*torch.Tensor, len(maps))
		for i, x := range maps {
			all[i] = flatten(h.ModuleList.At(i).(nn.Layer).Forward(x), h.columns)
		}
		return []*torch.Tensor{torch.Cat(all, 1)}
	})[0]
}

// Losses returns the losses of a batch, in training mode: "bbox_regression" and "classification". Arguments
// and errors are those of [RetinaNet.Losses], but the labels are from 1 to NumClasses - 1.
func (m *SSD) Losses(images []*torch.Tensor, targets []Target) Losses {
	return train("detection.SSD.Losses", m, images, targets, false, false)
}

// Detect returns the objects in images, in evaluation mode. Arguments and errors are those of
// [RetinaNet.Detect].
func (m *SSD) Detect(images []*torch.Tensor) []Detection {
	return find("detection.SSD.Detect", m, images)
}

func (m *SSD) transform() *GeneralizedRCNNTransform { return m.Transform }

func (m *SSD) classes() int64 { return m.Head.ClassificationHead.columns }

func (m *SSD) losses(b *batch) Losses {
	maps := m.Backbone.Forward(b.images)
	codes, logits := m.Head.RegressionHead.Forward(maps), m.Head.ClassificationHead.Forward(maps)
	anchors := m.AnchorGenerator.anchors(b.images, maps)
	var boxLoss, labels []*torch.Tensor
	objects := int64(0)
	for i, t := range b.targets {
		matched := m.matcher.match(t.Boxes, anchors)
		if n := t.Boxes.Size(0); n > 0 { // the best default box of each object stands for it
			_, best := ops.BoxIoU(t.Boxes, anchors).MaxDim(1)
			matched = matched.SetIndex(torch.Arange(n).To(anchors.Device()), best)
		}
		object := where(matched.GeScalar(0))
		box := rows(matched, object)
		objects += object.Numel()
		want := m.coder.encode(rows(t.Boxes, box), rows(anchors, object))
		boxLoss = append(boxLoss, smoothL1(rows(codes.Select(0, int64(i)), object), want, 1))
		l := torch.Zeros(torch.Shape{anchors.Size(0)}, torch.Int64, anchors.Device())
		labels = append(labels, l.SetIndex(rows(t.Labels, box), object))
	}
	label := torch.Stack(labels)
	classes := logits.Size(-1)
	loss := F.CrossEntropy(logits.View(-1, classes), label.View(-1), F.ReductionNone).View(label.Shape()...)
	object := label.GtScalar(0)
	// The loss counts the boxes without objects that have the largest losses.
	ratio := (1 - m.config.positiveFraction) / m.config.positiveFraction
	negatives := object.Sum(torch.Dim(1), torch.KeepDim(true)).MulScalar(ratio)
	_, order := loss.Detach().MaskedFill(object, math.Inf(-1)).Sort(torch.Dim(1), torch.Descending(true))
	_, rank := order.Sort(torch.Dim(1))
	background := rank.Lt(negatives)
	n := max(1, objects)
	sum := loss.Index(object).Sum().Add(loss.Index(background).Sum())
	return Losses{
		{Name: "bbox_regression", Tensor: torch.Stack(boxLoss).Sum().DivScalar(n)},
		{Name: "classification", Tensor: sum.DivScalar(n)},
	}
}

func (m *SSD) detect(b *batch) (all []Detection) {
	maps := m.Backbone.Forward(b.images)
	codes, logits := m.Head.RegressionHead.Forward(maps), m.Head.ClassificationHead.Forward(maps)
	anchors := m.AnchorGenerator.anchors(b.images, maps)
	probability := logits.Softmax(-1)
	for i := range b.sizes {
		decoded := m.coder.decode(codes.Select(0, int64(i)), anchors)
		decoded = ops.ClipBoxesToImage(decoded, b.sizes[i][0], b.sizes[i][1])
		var boxes, scores, labels []*torch.Tensor
		for c := int64(1); c < probability.Size(-1); c++ {
			best, index := topScores(probability.Select(0, int64(i)).Select(1, c), m.config.scoreThresh, m.config.topK)
			boxes = append(boxes, rows(decoded, index))
			scores = append(scores, best)
			labels = append(labels, torch.FullLike(index, c))
		}
		if len(boxes) == 0 { // there is only the background
			boxes = append(boxes, decoded.Narrow(0, 0, 0))
			scores = append(scores, decoded.Select(1, 0).Narrow(0, 0, 0))
			labels = append(labels, torch.Empty(torch.Shape{0}, torch.Int64, decoded.Device()))
		}
		all = append(all, bestOf(boxes, scores, labels, m.config.nmsThresh, m.config.detections))
	}
	return all
}

// SSDLiteFeatureExtractorMobileNet is the backbone of an SSDlite. Follows
// torchvision.models.detection.ssdlite.SSDLiteFeatureExtractorMobileNet.
type SSDLiteFeatureExtractorMobileNet struct {
	nn.Base
	Features *nn.Sequential
	Extra    *nn.ModuleList
}

// NewSSDLite320MobileNetV3Large returns an SSDlite for images of 320 x 320 pixels, on a MobileNetV3. It
// panics with ErrValue for an invalid option. Follows
// torchvision.models.detection.ssdlite320_mobilenet_v3_large.
func NewSSDLite320MobileNetV3Large(opts ...SSDLiteOption) *SSD {
	d := defaults()
	d.scoreThresh, d.nmsThresh, d.detections, d.iou, d.topK, d.positiveFraction = 0.001, 0.55, 300, 0.5, 300, 0.25
	d.imageMean, d.imageStd = []float64{0.5, 0.5, 0.5}, []float64{0.5, 0.5, 0.5}
	c := read("detection.NewSSDLite320MobileNetV3Large", d, 6, 6, opts)
	if c.norm == nil {
		c.norm = func(channels int64) nn.Layer {
			return nn.NewBatchNorm2d(channels, nn.Eps(0.001), nn.Momentum(0.03))
		}
	}
	norm := ops.NormLayer(c.norm)
	net := models.NewMobileNetV3Large(models.NormLayer(c.norm), models.ReducedTail(true))
	wide(net)
	_ = net.Classifier.Close()
	layers := net.Features.Children()
	freezeStages(layers, mobileStages, c.trainable)
	backbone := newExtractorMobileNet(layers, norm)
	ratios := make([][]float64, 6)
	for i := range ratios {
		ratios[i] = []float64{2, 3}
	}
	g := newDefaultBoxGenerator(ratios, 0.2, 0.95, nil, nil)
	relu6 := ops.ActivationLayer(func(inplace bool) nn.Layer { return nn.NewReLU6(nn.Inplace(inplace)) })
	layer := func(in, out int64) nn.Layer {
		first := ops.NewConv2dNormActivation(in, in, ops.Groups(in), norm, relu6)
		return nn.NewSequential(first, nn.NewConv2d(in, out, 1))
	}
	head := newSSDHead([]int64{672, 480, 512, 256, 256, 128}, g.perLocation(), c.numClasses, "SSDLite", layer, wide)
	return newSSD(c, backbone, g, 320, head)
}

// wide draws the weights of all convolutions from a normal distribution.
func wide(m nn.Module) {
	for _, m := range nn.Modules(m) {
		if c, ok := m.(*nn.Conv2d); ok {
			nninit.Normal_(c.Weight, 0, 0.03)
			if c.Bias != nil {
				nninit.Zeros_(c.Bias)
			}
		}
	}
}

func newExtractorMobileNet(layers []nn.NamedModule, norm ops.NormLayer) *SSDLiteFeatureExtractorMobileNet {
	const c4 = 13
	b := new(SSDLiteFeatureExtractorMobileNet)
	b.Init(b)
	// The block at c4 is split after its first convolution, the result of which is a feature map.
	split := layers[c4].Module.(*models.InvertedResidualV3).Block
	head, tail, rest := nn.NewSequential(), nn.NewSequential(), nn.NewSequential()
	for _, l := range layers[:c4] {
		head.Append(l.Module.(nn.Layer))
	}
	head.Append(split.At(0))
	for i := 1; i < split.Len(); i++ {
		rest.Add(strconv.Itoa(i), split.At(i))
	}
	tail.Append(rest)
	for _, l := range layers[c4+1:] {
		tail.Append(l.Module.(nn.Layer))
	}
	b.Features = nn.NewSequential(head, tail).In(b, "features")
	relu6 := ops.ActivationLayer(func(inplace bool) nn.Layer { return nn.NewReLU6(nn.Inplace(inplace)) })
	block := func(in, out int64) nn.Module {
		n := out / 2
		return nn.NewSequential(ops.NewConv2dNormActivation(in, n, ops.KernelSize(1), norm, relu6),
			ops.NewConv2dNormActivation(n, n, ops.Stride(2), ops.Groups(n), norm, relu6),
			ops.NewConv2dNormActivation(n, out, ops.KernelSize(1), norm, relu6))
	}
	b.Extra = nn.NewModuleList(block(480, 512), block(512, 256), block(256, 256), block(256, 128)).In(b, "extra")
	wide(b.Extra)
	return b
}

// Forward takes normalized images of shape (N, 3, H, W), and returns feature maps, the largest first.
func (b *SSDLiteFeatureExtractorMobileNet) Forward(x *torch.Tensor) []*torch.Tensor {
	return b.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) (maps []*torch.Tensor) {
		x := in[0]
		for i := range b.Features.Len() {
			x = b.Features.At(i).Forward(x)
			maps = append(maps, x)
		}
		for i := range b.Extra.Len() {
			x = b.Extra.At(i).(nn.Layer).Forward(x)
			maps = append(maps, x)
		}
		return maps
	})
}
