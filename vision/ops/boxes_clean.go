package ops

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/vision"
	"github.com/gotorch/gotorch/torch"
)

// NMS performs non-maximum suppression: it goes through the boxes in decreasing order of their
// scores, and drops each box whose intersection over union with a better one that it kept is above
// iouThreshold. boxes has shape (N, 4) and FmtXYXY, scores has shape (N). The result contains the
// indices of the kept boxes, the best first, as Int64. It panics with ErrShape for other shapes,
// with ErrDType unless both have the same dtype, Float32 or Float64, and with ErrNotImplemented for
// tensors that are not on the CPU. Follows torchvision.ops.nms.
func NMS(boxes, scores *torch.Tensor, iouThreshold float64) *torch.Tensor {
	const op = "ops.NMS(boxes, scores)"
	b, s := boxes.HandleFor(op, 0), scores.HandleFor(op, 1)
	r := torch.BeginRaw(op, boxes, scores)
	return r.Tensor(vision.NMS(r.Ctx, b, s, iouThreshold))
}

// BatchedNMS is [NMS] for each category separately. idxs, of shape (N), contains the category of
// each box. It panics as NMS does. Follows torchvision.ops.batched_nms.
func BatchedNMS(boxes, scores, idxs *torch.Tensor, iouThreshold float64) *torch.Tensor {
	const op = "ops.BatchedNMS(boxes, scores, idxs)"
	needBoxes(op, 0, "boxes", boxes, 4, 2)
	scores.HandleFor(op, 1)
	idxs.HandleFor(op, 2)
	n := boxes.Size(0)
	if boxes.Dim() != 2 || !scores.Shape().Equal(torch.Shape{n}) || !idxs.Shape().Equal(torch.Shape{n}) {
		panic(torch.NewError(op, torch.ErrShape, "boxes", fmt.Sprintf(
			"expected boxes of shape (N, 4), and scores and idxs of shape (N), got %v, %v and %v", boxes.Shape(),
			scores.Shape(), idxs.Shape())))
	}
	return torch.Tidy(func() *torch.Tensor {
		switch {
		case boxes.Numel() == 0:
			return torch.Empty(torch.Shape{0}, torch.Int64, boxes.Device())
		case boxes.Numel() > 4000: // the limit at which torchvision changes methods on the CPU
			return nmsByCategory(boxes, scores, idxs, iouThreshold)
		}
		// Moves the boxes of each category to a place where no other category has boxes.
		offsets := idxs.To(boxes.DType(), boxes.Device()).Mul(boxes.Max().AddScalar(1))
		return NMS(boxes.Add(offsets.Unsqueeze(1)), scores, iouThreshold)
	})
}

func nmsByCategory(boxes, scores, idxs *torch.Tensor, iouThreshold float64) *torch.Tensor {
	keep := torch.ZerosLike(scores, torch.Bool)
	categories := idxs.Unique()
	for _, c := range categories.Unbind() {
		torch.Scope(func() {
			own := where(idxs.Eq(c))
			kept := NMS(boxes.IndexSelect(0, own), scores.IndexSelect(0, own), iouThreshold)
			keep.SetIndex(true, own.IndexSelect(0, kept))
		})
	}
	kept := where(keep)
	_, order := scores.IndexSelect(0, kept).Sort(torch.Descending(true))
	return kept.IndexSelect(0, order)
}

// where returns the indices at which a list is true.
func where(condition *torch.Tensor) *torch.Tensor { return condition.Nonzero().Select(1, 0) }

// RemoveSmallBoxes returns the indices of the boxes whose width and height are at least minSize, as
// Int64. boxes has shape (N, 4) and FmtXYXY. It panics with ErrShape for other shapes. Follows
// torchvision.ops.remove_small_boxes.
func RemoveSmallBoxes(boxes *torch.Tensor, minSize float64) *torch.Tensor {
	const op = "ops.RemoveSmallBoxes(boxes)"
	needBoxes(op, 0, "boxes", boxes, 4, 2)
	return torch.Tidy(func() *torch.Tensor {
		w, h := column(boxes, 2).Sub(column(boxes, 0)), column(boxes, 3).Sub(column(boxes, 1))
		return where(w.GeScalar(minSize).LogicalAnd(h.GeScalar(minSize)))
	})
}

// ClipBoxesToImage moves the edges of boxes that lie outside an image to its edges. boxes has shape
// (..., 4) and FmtXYXY. The image has the given height and width. It panics with ErrShape for other
// shapes. Follows torchvision.ops.clip_boxes_to_image.
func ClipBoxesToImage(boxes *torch.Tensor, height, width int64) *torch.Tensor {
	const op = "ops.ClipBoxesToImage(boxes)"
	needBoxes(op, 0, "boxes", boxes, 4, 1)
	return torch.Tidy(func() *torch.Tensor {
		x := boxes.Index(torch.Ellipsis, torch.SliceStep(0, torch.End, 2)).Clamp(0, width)
		y := boxes.Index(torch.Ellipsis, torch.SliceStep(1, torch.End, 2)).Clamp(0, height)
		return torch.Stack([]*torch.Tensor{x, y}, torch.Dim(boxes.Dim())).Reshape(boxes.Shape()...)
	})
}

// MasksToBoxes returns the smallest boxes around the nonzero elements of masks, of shape (N, H, W),
// as Float32 of shape (N, 4) in FmtXYXY. The box of a mask without nonzero elements is 0. It panics
// with ErrShape for other shapes. Follows torchvision.ops.masks_to_boxes.
func MasksToBoxes(masks *torch.Tensor) *torch.Tensor {
	const op = "ops.MasksToBoxes(masks)"
	masks.HandleFor(op, 0)
	if masks.Dim() != 3 {
		panic(torch.NewError(op, torch.ErrShape, "masks", fmt.Sprintf("expected (N, H, W), got %v", masks.Shape())))
	}
	if masks.Numel() == 0 {
		return torch.Zeros(torch.Shape{0, 4}, torch.Float32, masks.Device())
	}
	return torch.Tidy(func() *torch.Tensor {
		set := masks.To(torch.Bool)
		ends := func(dim, size int64) (first, last, any *torch.Tensor) {
			any = set.Any(torch.Dim(dim))
			f := any.To(torch.Float32)
			return f.ArgMax(torch.Dim(1)), f.Flip(1).ArgMax(torch.Dim(1)).RSubScalar(size - 1), any
		}
		y1, y2, rows := ends(2, masks.Size(1))
		x1, x2, _ := ends(1, masks.Size(2))
		boxes := torch.Stack([]*torch.Tensor{x1, y1, x2, y2}, 1).To(torch.Float32)
		return boxes.MaskedFill(rows.Any(torch.Dim(1)).LogicalNot().Unsqueeze(1), 0)
	})
}
