package main

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// size is the number of pixels on each side of an image.
const size = 128

// classes are the names of the labels.
var classes = []string{"background", "circle", "square", "triangle"}

// shapes is a dataset of images that are drawn when they are needed. All pixels are whole
// numbers, so that reference.py draws the same images.
type shapes struct {
	seed      uint64
	n         int
	transform tv.Transform
}

func (s shapes) Len() int { return s.n }

// Get draws image i. The Value of the example is a tv.Sample.
func (s shapes) Get(i int) data.Example {
	var sample tv.Sample
	torch.TidyAll(func() []*torch.Tensor {
		sample = s.transform.Forward(draw(1_000_003*s.seed + uint64(i)))
		return []*torch.Tensor{sample.Image, sample.Boxes.Tensor, sample.Labels}
	})
	return data.Example{Value: sample}
}

// draw returns an image with one to four shapes, each in a quarter of its own.
func draw(seed uint64) tv.Sample {
	g := torch.NewGenerator(torch.CPU).ManualSeed(seed)
	below := func(lo, hi int64) int64 { return torch.RandInt(lo, hi, torch.Shape{1}, g).ItemInt() }
	color := func(lo, hi int64) *torch.Tensor { return torch.RandInt(lo, hi, torch.Shape{3}, g).Reshape(3, 1, 1) }
	image := torch.RandInt(0, 48, torch.Shape{3, size, size}, g).Add(color(0, 100))
	rows, columns := torch.Arange(size).Reshape(-1, 1), torch.Arange(size)
	quarters := torch.RandPerm(4, g).Int64s()
	var boxes []float32
	var labels []int64
	for _, quarter := range quarters[:below(1, 5)] {
		label, r := below(1, int64(len(classes))), below(11, 29)
		x := size/2*(quarter%2) + below(r, size/2-r)
		y := size/2*(quarter/2) + below(r, size/2-r)
		dx, dy := columns.SubScalar(x).Abs(), rows.SubScalar(y)
		var inside *torch.Tensor
		switch label {
		case 1:
			inside = dx.Mul(dx).Add(dy.Mul(dy)).LeScalar(r * r)
		case 2:
			inside = dx.LeScalar(r).LogicalAnd(dy.Abs().LeScalar(r))
		case 3:
			inside = dx.MulScalar(2).Le(dy.AddScalar(r)).LogicalAnd(dy.LeScalar(r))
		}
		image = torch.Where(inside, color(130, 256), image)
		boxes = append(boxes, float32(x-r), float32(y-r), float32(x+r+1), float32(y+r+1))
		labels = append(labels, label)
	}
	return tv.Sample{
		Image: image.To(torch.Uint8),
		Boxes: tv.BoundingBoxes{
			Tensor: torch.FromSlice(boxes, int64(len(labels)), 4), Format: tv.BoundingBoxFormatXYXY,
			CanvasSize: [2]int64{size, size},
		},
		Labels: torch.FromSlice(labels),
	}
}
