package detection

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/ops"
)

// RoIHeads classifies the proposals of a [RegionProposalNetwork] and refines their boxes. A Mask R-CNN also
// has the parts for masks, and a Keypoint R-CNN those for keypoints; in other models they are nil. Follows
// torchvision.models.detection.roi_heads.RoIHeads.
type RoIHeads struct {
	nn.Base
	BoxRoIPool   *ops.MultiScaleRoIAlign
	BoxHead      nn.Layer
	BoxPredictor *FastRCNNPredictor

	MaskRoIPool   *ops.MultiScaleRoIAlign
	MaskHead      nn.Layer
	MaskPredictor nn.Layer

	KeypointRoIPool   *ops.MultiScaleRoIAlign
	KeypointHead      nn.Layer
	KeypointPredictor nn.Layer

	region     region
	detections int64
	matcher    matcher
	coder      boxCoder
}

// FastRCNNPredictor computes the scores and boxes of all classes. Follows
// torchvision.models.detection.faster_rcnn.FastRCNNPredictor.
type FastRCNNPredictor struct {
	nn.Base
	CLSScore, BBoxPred *nn.Linear
}

// NewFastRCNNPredictor returns a FastRCNNPredictor for inChannels features. It panics with ErrValue for
// negative numbers. To train a model for other classes, replace its predictor:
//
//	old := model.RoIHeads.BoxPredictor
//	model.RoIHeads.BoxPredictor = detection.NewFastRCNNPredictor(1024, 5).In(model.RoIHeads, "box_predictor")
//	old.Close()
func NewFastRCNNPredictor(inChannels, numClasses int64) *FastRCNNPredictor {
	p := new(FastRCNNPredictor)
	p.Init(p)
	p.CLSScore = nn.NewLinear(inChannels, numClasses, p.As("cls_score"))
	p.BBoxPred = nn.NewLinear(inChannels, numClasses*4, p.As("bbox_pred"))
	return p
}

// In registers p as a submodule of parent under name, and returns p. It panics like nn.Base.Register.
func (p *FastRCNNPredictor) In(parent nn.Module, name string) *FastRCNNPredictor {
	parent.ModuleBase().Register(name, p)
	return p
}

// Forward takes features of shape (N, inChannels), and returns scores of shape (N, classes) and boxes of
// shape (N, 4 * classes), as differences from the proposals. It panics like the layers.
func (p *FastRCNNPredictor) Forward(x *torch.Tensor) (scores, boxes *torch.Tensor) {
	out := p.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		x := in[0].Flatten(1)
		return []*torch.Tensor{p.CLSScore.Forward(x), p.BBoxPred.Forward(x)}
	})
	return out[0], out[1]
}

func newRoIHeads(c *config, pool *ops.MultiScaleRoIAlign, head nn.Layer, predictor *FastRCNNPredictor) *RoIHeads {
	h := &RoIHeads{region: c.box, detections: c.detections, matcher: matcher{c.box.fg, c.box.bg, false}}
	w := c.regWeights
	h.coder = boxCoder{w[0], w[1], w[2], w[3]}
	h.Init(h)
	h.BoxRoIPool = pool
	h.Register("box_roi_pool", pool)
	h.BoxHead = head
	h.Register("box_head", head)
	h.BoxPredictor = predictor
	h.Register("box_predictor", predictor)
	return h
}

// samples are the proposals of an image that the losses use.
type samples struct {
	proposals, labels, matched *torch.Tensor // matched contains indices of the target's boxes
	want                       *torch.Tensor // the boxes as differences from the proposals
}

// draw chooses proposals of an image for the losses.
func (h *RoIHeads) draw(proposals *torch.Tensor, t Target) samples {
	boxes := t.Boxes.To(proposals.DType())
	proposals = torch.Cat([]*torch.Tensor{proposals, boxes})
	var index, labels *torch.Tensor
	if boxes.Numel() == 0 {
		index = torch.Zeros(torch.Shape{proposals.Size(0)}, torch.Int64, proposals.Device())
		labels = torch.ZerosLike(index)
		boxes = torch.Zeros(torch.Shape{1, 4}, proposals.DType(), proposals.Device())
	} else {
		matched := h.matcher.match(boxes, proposals)
		index = matched.Clamp(0, nil)
		labels = rows(t.Labels, index).MaskedFill(matched.EqScalar(below), 0).MaskedFill(matched.EqScalar(between), -1)
	}
	objects, background := sample(labels, h.region.batchSize, h.region.positiveFraction)
	chosen, _ := torch.Cat([]*torch.Tensor{objects, background}).Sort()
	s := samples{proposals: rows(proposals, chosen), labels: rows(labels, chosen), matched: rows(index, chosen)}
	s.want = h.coder.encode(rows(boxes, s.matched), s.proposals)
	return s
}

func (h *RoIHeads) losses(b *batch, maps []nn.NamedTensor, proposals []*torch.Tensor) Losses {
	all := make([]samples, len(proposals))
	list := func(fn func(s samples) *torch.Tensor) []*torch.Tensor {
		ts := make([]*torch.Tensor, len(all))
		for i, s := range all {
			ts[i] = fn(s)
		}
		return ts
	}
	torch.NoGrad(func() {
		for i, p := range proposals {
			all[i] = h.draw(p, b.targets[i])
		}
	})
	chosen := list(func(s samples) *torch.Tensor { return s.proposals })
	scores, codes := h.BoxPredictor.Forward(h.BoxHead.Forward(h.BoxRoIPool.Forward(maps, chosen, b.sizes)))
	labels := torch.Cat(list(func(s samples) *torch.Tensor { return s.labels }))
	want := torch.Cat(list(func(s samples) *torch.Tensor { return s.want }))
	object := where(labels.GtScalar(0))
	own := codes.Reshape(codes.Size(0), -1, 4).Index(object, rows(labels, object))
	losses := Losses{
		{Name: "loss_classifier", Tensor: F.CrossEntropy(scores, labels)},
		{Name: "loss_box_reg", Tensor: smoothL1(own, rows(want, object), 1.0/9).DivScalar(labels.Numel())},
	}
	if h.MaskPredictor == nil && h.KeypointPredictor == nil {
		return losses
	}
	// Masks and keypoints are learned from the proposals with objects.
	for i, s := range all {
		object := where(s.labels.GtScalar(0))
		all[i] = samples{proposals: rows(s.proposals, object), matched: rows(s.matched, object)}
	}
	chosen = list(func(s samples) *torch.Tensor { return s.proposals })
	if h.MaskPredictor != nil {
		logits := h.MaskPredictor.Forward(h.MaskHead.Forward(h.MaskRoIPool.Forward(maps, chosen, b.sizes)))
		losses = append(losses, nn.NamedTensor{Name: "loss_mask", Tensor: maskLoss(logits, b.targets, all)})
	}
	if h.KeypointPredictor != nil {
		logits := h.KeypointPredictor.Forward(h.KeypointHead.Forward(h.KeypointRoIPool.Forward(maps, chosen, b.sizes)))
		losses = append(losses, nn.NamedTensor{Name: "loss_keypoint", Tensor: keypointLoss(logits, b.targets, all)})
	}
	return losses
}

// maskLoss compares masks with those of the targets, cut out at the proposals.
func maskLoss(logits *torch.Tensor, targets []Target, all []samples) *torch.Tensor {
	size := logits.Size(-1)
	var labels, want []*torch.Tensor
	for i, s := range all {
		t := targets[i]
		labels = append(labels, rows(t.Labels, s.matched))
		rois := torch.Cat([]*torch.Tensor{s.matched.To(s.proposals.DType()).Unsqueeze(1), s.proposals}, 1)
		masks := ops.ApplyRoIAlign(t.Masks.Unsqueeze(1).To(rois.DType()), rois, size)
		want = append(want, masks.Select(1, 0))
	}
	label, mask := torch.Cat(labels), torch.Cat(want)
	if mask.Numel() == 0 {
		return logits.Sum().MulScalar(0)
	}
	own := logits.Index(torch.Arange(label.Size(0)).To(label.Device()), label)
	return F.BinaryCrossEntropyWithLogits(own, mask)
}

// keypointLoss classifies the cells of a grid over each proposal: one of them has the keypoint.
func keypointLoss(logits *torch.Tensor, targets []Target, all []samples) *torch.Tensor {
	n, k, size := logits.Size(0), logits.Size(1), logits.Size(2)
	var cells, valid []*torch.Tensor
	for i, s := range all {
		if have := targets[i].Keypoints.Size(1); have != k {
			panic(torch.NewError("detection.GeneralizedRCNN.Losses", torch.ErrShape,
				fmt.Sprintf("targets[%d].Keypoints", i), fmt.Sprintf("expected %d for each object, got %d", k, have)))
		}
		c, v := heatmaps(rows(targets[i].Keypoints, s.matched), s.proposals, size)
		cells, valid = append(cells, c.Flatten()), append(valid, v.Flatten())
	}
	cell, visible := torch.Cat(cells), where(torch.Cat(valid))
	if visible.Numel() == 0 {
		return logits.Sum().MulScalar(0)
	}
	return F.CrossEntropy(rows(logits.View(n*k, -1), visible), rows(cell, visible))
}

func (h *RoIHeads) detect(b *batch, maps []nn.NamedTensor, proposals []*torch.Tensor) []Detection {
	scores, codes := h.BoxPredictor.Forward(h.BoxHead.Forward(h.BoxRoIPool.Forward(maps, proposals, b.sizes)))
	classes := scores.Size(1)
	boxes := h.coder.decode(codes, torch.Cat(proposals)).Reshape(codes.Size(0), classes, 4)
	probability := scores.Softmax(-1)
	all := make([]Detection, len(proposals))
	chosen, labels := make([]*torch.Tensor, len(all)), make([]*torch.Tensor, len(all))
	first := int64(0)
	for i, p := range proposals {
		n := p.Size(0)
		box := ops.ClipBoxesToImage(boxes.Narrow(0, first, n), b.sizes[i][0], b.sizes[i][1])
		box = box.Narrow(1, 1, classes-1).Reshape(-1, 4) // without the background
		score := probability.Narrow(0, first, n).Narrow(1, 1, classes-1).Reshape(-1)
		keep := where(score.GtScalar(h.region.scoreThresh))
		small := ops.RemoveSmallBoxes(rows(box, keep), 1e-2)
		keep = rows(keep, small)
		label := keep.RemainderScalar(max(classes-1, 1)).AddScalar(1)
		all[i] = bestOf([]*torch.Tensor{rows(box, keep)}, []*torch.Tensor{rows(score, keep)}, []*torch.Tensor{label},
			h.region.nmsThresh, h.detections)
		chosen[i], labels[i] = all[i].Boxes, all[i].Labels
		first += n
	}
	count := func(i int) int64 { return chosen[i].Size(0) }
	if h.MaskPredictor != nil {
		logits := h.MaskPredictor.Forward(h.MaskHead.Forward(h.MaskRoIPool.Forward(maps, chosen, b.sizes)))
		label := torch.Cat(labels)
		masks := logits.Sigmoid().Index(torch.Arange(label.Size(0)).To(label.Device()), label).Unsqueeze(1)
		first = 0
		for i := range all {
			all[i].Masks = masks.Narrow(0, first, count(i))
			first += count(i)
		}
	}
	if h.KeypointPredictor != nil {
		logits := h.KeypointPredictor.Forward(h.KeypointHead.Forward(h.KeypointRoIPool.Forward(maps, chosen, b.sizes)))
		first = 0
		for i := range all {
			all[i].Keypoints, all[i].KeypointsScores = fromHeatmaps(logits.Narrow(0, first, count(i)), chosen[i])
			first += count(i)
		}
	}
	return all
}
