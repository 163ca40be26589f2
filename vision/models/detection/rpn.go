package detection

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/ops"
)

// RegionProposalNetwork proposes boxes that may contain objects. Follows
// torchvision.models.detection.rpn.RegionProposalNetwork.
type RegionProposalNetwork struct {
	nn.Base
	AnchorGenerator *AnchorGenerator
	Head            *RPNHead

	region  region
	matcher matcher
	coder   boxCoder
}

// RPNHead computes for each anchor whether it contains an object, and a box. Follows
// torchvision.models.detection.rpn.RPNHead.
type RPNHead struct {
	nn.Base
	Conv                *nn.Sequential
	CLSLogits, BBoxPred *nn.Conv2d
}

func newRPNHead(in, anchors int64, depth int) *RPNHead {
	h := new(RPNHead)
	h.Init(h)
	h.Conv = nn.NewSequential().In(h, "conv")
	for range depth {
		h.Conv.Append(ops.NewConv2dNormActivation(in, in, ops.NormLayer(nil)))
	}
	h.CLSLogits = nn.NewConv2d(in, anchors, 1, h.As("cls_logits"))
	h.BBoxPred = nn.NewConv2d(in, anchors*4, 1, h.As("bbox_pred"))
	normal(h)
	renamed(h, map[string]string{"conv.weight": "conv.0.0.weight", "conv.bias": "conv.0.0.bias"})
	return h
}

// Forward returns for each feature map the logits and the boxes of its anchors, as differences from the
// anchors. The channels belong to the anchors of a position.
func (h *RPNHead) Forward(maps []*torch.Tensor) (logits, boxes []*torch.Tensor) {
	out := h.CallN(maps, func(maps []*torch.Tensor) []*torch.Tensor {
		var logits, boxes []*torch.Tensor
		for _, x := range maps {
			t := h.Conv.Forward(x)
			logits = append(logits, h.CLSLogits.Forward(t))
			boxes = append(boxes, h.BBoxPred.Forward(t))
			own.Release(t)
		}
		return append(logits, boxes...)
	})
	return out[:len(maps)], out[len(maps):]
}

func newRPN(c *config, g *AnchorGenerator, head *RPNHead) *RegionProposalNetwork {
	r := &RegionProposalNetwork{
		region: c.rpn, matcher: matcher{c.rpn.fg, c.rpn.bg, true}, coder: boxCoder{1, 1, 1, 1},
	}
	r.Init(r)
	r.AnchorGenerator = g
	r.Register("anchor_generator", g)
	r.Head = head
	r.Register("head", head)
	return r
}

// propose returns the proposals for each image, and in training the losses.
func (r *RegionProposalNetwork) propose(b *batch, maps []*torch.Tensor) (proposals []*torch.Tensor, losses Losses) {
	logitMaps, codeMaps := r.Head.Forward(maps)
	anchors := r.AnchorGenerator.anchors(b.images, maps)
	n := int64(len(b.sizes))
	levels := make([]int64, len(maps)) // the number of anchors on each map
	for i, m := range logitMaps {
		levels[i] = m.Size(1) * m.Size(2) * m.Size(3)
		logitMaps[i], codeMaps[i] = flatten(m, 1), flatten(codeMaps[i], 4)
	}
	logits, codes := torch.Cat(logitMaps, 1).Squeeze(2), torch.Cat(codeMaps, 1)
	torch.NoGrad(func() {
		all := make([]*torch.Tensor, n)
		for i := range all {
			all[i] = anchors
		}
		boxes := r.coder.decode(codes.Detach().Reshape(-1, 4), torch.Cat(all)).View(n, -1, 4)
		for i := range n {
			own := r.filter(boxes.Select(0, i), logits.Detach().Select(0, i), levels, b.sizes[i])
			proposals = append(proposals, own)
		}
	})
	if b.targets != nil {
		losses = r.losses(b, anchors, logits, codes)
	}
	return proposals, losses
}

// filter returns the best boxes of an image.
func (r *RegionProposalNetwork) filter(boxes, logits *torch.Tensor, levels []int64, size [2]int64) *torch.Tensor {
	before, after := r.region.preTest, r.region.postTest
	if r.Training() {
		before, after = r.region.preTrain, r.region.postTrain
	}
	return torch.Tidy(func() *torch.Tensor {
		var top, level []*torch.Tensor
		first := int64(0)
		for i, n := range levels {
			_, index := logits.Narrow(0, first, n).TopK(min(before, n))
			top = append(top, index.AddScalar(first))
			level = append(level, torch.FullLike(index, i))
			first += n
		}
		index := torch.Cat(top)
		scores, lvl := rows(logits, index).Sigmoid(), torch.Cat(level)
		box := ops.ClipBoxesToImage(rows(boxes, index), size[0], size[1])
		keep := ops.RemoveSmallBoxes(box, 1e-3)
		box, scores, lvl = rows(box, keep), rows(scores, keep), rows(lvl, keep)
		keep = where(scores.GeScalar(r.region.scoreThresh))
		box, scores, lvl = rows(box, keep), rows(scores, keep), rows(lvl, keep)
		keep = ops.BatchedNMS(box, scores, lvl, r.region.nmsThresh)
		return rows(box, keep.Narrow(0, 0, min(after, keep.Numel())))
	})
}

func (r *RegionProposalNetwork) losses(b *batch, anchors, logits, codes *torch.Tensor) Losses {
	perImage := anchors.Size(0)
	labels, want := make([]*torch.Tensor, len(b.targets)), make([]*torch.Tensor, len(b.targets))
	for i, t := range b.targets {
		matched := r.matcher.match(t.Boxes, anchors)
		boxes := torch.ZerosLike(anchors)
		if t.Boxes.Numel() > 0 {
			boxes = rows(t.Boxes, matched.Clamp(0, nil))
		}
		label := matched.GeScalar(0).To(torch.Float32)
		labels[i] = label.MaskedFill(matched.EqScalar(between), -1)
		want[i] = r.coder.encode(boxes, anchors)
	}
	var objects, background []*torch.Tensor
	for i, l := range labels {
		o, n := sample(l, r.region.batchSize, r.region.positiveFraction)
		objects = append(objects, o.AddScalar(int64(i)*perImage))
		background = append(background, n.AddScalar(int64(i)*perImage))
	}
	object := torch.Cat(objects)
	all := torch.Cat([]*torch.Tensor{object, torch.Cat(background)})
	boxLoss := smoothL1(rows(codes.Reshape(-1, 4), object), rows(torch.Cat(want), object), 1.0/9)
	loss := F.BinaryCrossEntropyWithLogits(rows(logits.Flatten(), all), rows(torch.Cat(labels), all))
	return Losses{
		{Name: "loss_objectness", Tensor: loss},
		{Name: "loss_rpn_box_reg", Tensor: boxLoss.DivScalar(all.Numel())},
	}
}
