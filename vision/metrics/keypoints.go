package metrics

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// cocoSigmas are params.kpt_oks_sigmas of pycocotools, for the points of a person.
var cocoSigmas = []float64{
	0.026, 0.025, 0.025, 0.035, 0.035, 0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107, 0.087, 0.087,
	0.089, 0.089,
}

// keypoints reads key points. The area of a detection is that of the smallest box around its points, as in
// COCO.loadRes of pycocotools.
func (r *reader) keypoints(t *torch.Tensor, list []object) {
	r.need("Keypoints", t)
	shape, wanted := t.Shape(), r.arg == "wanted"
	if len(shape) != 3 || shape[0] != int64(len(list)) || shape[1] != int64(r.points) ||
		shape[2] != 3 && (wanted || shape[2] != 2) {
		r.wrongShape("Keypoints", fmt.Sprintf("(%d, %d, 3)", len(list), r.points), t)
	}
	if d := t.DType(); d.IsComplex() {
		panic(torch.NewError(r.op, torch.ErrDType, r.arg+".Keypoints", fmt.Sprintf("expected numbers, got %v", d)))
	}
	numbers := t.To(torch.CPU, torch.Float64).Contiguous().Float64s()
	for i := range list {
		o := &list[i]
		o.empty = wanted
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for range r.points {
			x, y := numbers[0], numbers[1]
			o.x, o.y = append(o.x, x), append(o.y, y)
			low = [2]float64{math.Min(low[0], x), math.Min(low[1], y)}
			high = [2]float64{math.Max(high[0], x), math.Max(high[1], y)}
			if wanted {
				o.known = append(o.known, numbers[2] > 0)
				o.empty = o.empty && !(numbers[2] > 0)
			}
			numbers = numbers[shape[2]:]
		}
		o.area = (high[0] - low[0]) * (high[1] - low[1])
	}
}

// similarity returns the similarity of key points, from 0 to 1: the mean over the labeled points of
// exp(-d²/(2·area·(2·sigma)²)), for the distance d of the points. If the target has no labeled points, d is
// the distance from a box of three times the size of the target's.
func similarity(found, wanted *object, sigmas []float64) float64 {
	box := &wanted.box
	x0, x1 := box[0]-box[2], box[0]+float64(box[2]*2)
	y0, y1 := box[1]-box[3], box[1]+float64(box[3]*2)
	sum, n := 0.0, 0
	for k, sigma := range sigmas {
		var dx, dy float64
		switch {
		case wanted.empty:
			dx = math.Max(0, x0-found.x[k]) + math.Max(0, found.x[k]-x1)
			dy = math.Max(0, y0-found.y[k]) + math.Max(0, found.y[k]-y1)
		case wanted.known[k]:
			dx, dy = found.x[k]-wanted.x[k], found.y[k]-wanted.y[k]
		default:
			continue
		}
		// The conversions prevent the compiler from fusing products with sums.
		variance := float64(sigma*2) * float64(sigma*2)
		sum += math.Exp(-(float64(dx*dx) + float64(dy*dy)) / variance / (wanted.area + 0x1p-52) / 2)
		n++
	}
	return sum / float64(n)
}
