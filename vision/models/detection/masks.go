package detection

import (
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// pasteMasks draws masks, of shape (N, 1, M, M), into images of the given size, at the places of boxes.
func pasteMasks(masks, boxes *torch.Tensor, size [2]int64) *torch.Tensor {
	h, w := size[0], size[1]
	result := torch.Zeros(torch.Shape{masks.Size(0), 1, h, w}, masks.DType(), masks.Device())
	if masks.Size(0) == 0 {
		return result
	}
	m := masks.Size(3)
	// A border of one pixel, for which the boxes grow, keeps the edges of masks smooth.
	masks = F.Pad(masks, []int64{1, 1, 1, 1})
	scale := float64(m+2) / float64(m)
	p := boxes.Unbind(1)
	middle := func(a, b *torch.Tensor) *torch.Tensor { return b.Add(a).MulScalar(0.5) }
	half := func(a, b *torch.Tensor) *torch.Tensor { return b.Sub(a).MulScalar(0.5).MulScalar(scale) }
	x, y, dx, dy := middle(p[0], p[2]), middle(p[1], p[3]), half(p[0], p[2]), half(p[1], p[3])
	places := torch.Stack([]*torch.Tensor{x.Sub(dx), y.Sub(dy), x.Add(dx), y.Add(dy)}, 1).To(torch.Int64).Int64s()
	for i := range masks.Size(0) {
		torch.Scope(func() {
			b := places[4*i:]
			bw, bh := max(b[2]-b[0]+1, 1), max(b[3]-b[1]+1, 1)
			x0, x1, y0, y1 := max(b[0], 0), min(b[2]+1, w), max(b[1], 0), min(b[3]+1, h)
			if x0 >= x1 || y0 >= y1 {
				return
			}
			mask := F.Interpolate(masks.Narrow(0, i, 1), F.Sizes{bh, bw}, F.ModeBilinear, F.AlignCorners(false))
			part := mask.Select(0, 0).Narrow(1, y0-b[1], y1-y0).Narrow(2, x0-b[0], x1-x0)
			result.Select(0, i).Narrow(1, y0, y1-y0).Narrow(2, x0, x1-x0).Copy_(part)
		})
	}
	return result
}

// heatmaps returns the cell of each keypoint in a grid over its box, and whether it is visible and inside.
func heatmaps(keypoints, boxes *torch.Tensor, size int64) (cells, valid *torch.Tensor) {
	p, b := keypoints.Unbind(-1), boxes.Unbind(1)
	cell := func(v, low, high *torch.Tensor) *torch.Tensor {
		low, high = low.Unsqueeze(1), high.Unsqueeze(1)
		scale := high.Sub(low).Reciprocal().MulScalar(size)
		at := v.Sub(low).Mul(scale).Floor().To(torch.Int64)
		return at.MaskedFill(v.Eq(high), size-1)
	}
	x, y := cell(p[0], b[0], b[2]), cell(p[1], b[1], b[3])
	inside := x.GeScalar(0).LogicalAnd(y.GeScalar(0)).LogicalAnd(x.LtScalar(size)).LogicalAnd(y.LtScalar(size))
	valid = inside.LogicalAnd(p[2].GtScalar(0))
	return y.MulScalar(size).Add(x).Mul(valid.To(torch.Int64)), valid
}

// fromHeatmaps returns the keypoints (N, K, 3) and their scores (N, K), given maps of shape (N, K, H, W).
func fromHeatmaps(maps, boxes *torch.Tensor) (keypoints, scores *torch.Tensor) {
	n, k := maps.Size(0), maps.Size(1)
	keypoints = torch.Ones(torch.Shape{n, k, 3}, torch.Float32, maps.Device())
	scores = torch.Zeros(torch.Shape{n, k}, torch.Float32, maps.Device())
	b := boxes.Unbind(1)
	widths, heights := b[2].Sub(b[0]).Clamp(1, nil), b[3].Sub(b[1]).Clamp(1, nil)
	w, h := widths.To(torch.Float32).Float32s(), heights.To(torch.Float32).Float32s()
	for i := range n {
		torch.Scope(func() {
			cw, ch := int64(math.Ceil(float64(w[i]))), int64(math.Ceil(float64(h[i])))
			m := F.Interpolate(maps.Select(0, i).Unsqueeze(1), F.Sizes{ch, cw}, F.ModeBicubic, F.AlignCorners(false))
			best, at := m.Reshape(k, -1).MaxDim(1)
			x, y := at.RemainderScalar(cw), at.DivScalar(cw, torch.RoundingModeFloor)
			place := func(v *torch.Tensor, size float32, cells int64, from *torch.Tensor) *torch.Tensor {
				ratio := float64(size / float32(cells))
				return v.To(torch.Float32).AddScalar(0.5).MulScalar(ratio).Add(from.Select(0, i))
			}
			keypoints.Select(0, i).Select(1, 0).Copy_(place(x, w[i], cw, b[0]))
			keypoints.Select(0, i).Select(1, 1).Copy_(place(y, h[i], ch, b[1]))
			scores.Select(0, i).Copy_(best)
		})
	}
	return keypoints, scores
}
