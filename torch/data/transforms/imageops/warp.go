package imageops

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// warping holds the options of a function that moves pixels, and the image's size.
type warping struct {
	op       string
	mode     Interpolation
	fill     []float64
	expand   bool
	center   [2]float64
	centered bool
	c, h, w  int64
}

// mustAllow panics if the options do not match the image, for example its number of
// channels.
func (s *warping) mustAllow(image *torch.Tensor) {
	s.mode.CheckWarping(s.op)
	s.c, s.h, s.w = sizes(s.op, image)
	mustBeFill(s.op, s.fill, s.c)
}

// around returns the position given by the Center option, in pixels from the middle of the
// image.
func (s *warping) around() (x, y float64) {
	if !s.centered {
		return 0, 0
	}
	return s.center[0] - float64(s.w)*0.5, s.center[1] - float64(s.h)*0.5
}

// apply samples image at the points of a grid (1, nh, nw, 2), and returns an image of nh x nw
// pixels. The caller's scope frees its temporaries.
func (s *warping) apply(image, grid *torch.Tensor, nh, nw int64) *torch.Tensor {
	shape := withLast(image.Shape(), nh, nw)
	batch := image.Reshape(-1, s.c, s.h, s.w)
	n, d := batch.Size(0), image.DType()
	batch = toDType(batch, grid.DType())
	if n > 1 {
		grid = step(grid, func(g *torch.Tensor) *torch.Tensor { return g.Expand(n, -1, -1, -1) })
	}
	if len(s.fill) > 0 { // the extra channel says how much of each pixel is inside the image
		mask := torch.Ones(torch.Shape{n, 1, s.h, s.w}, batch.DType(), batch.Device())
		batch = step(batch, func(x *torch.Tensor) *torch.Tensor { return torch.Cat([]*torch.Tensor{x, mask}, 1) })
		closeAll(mask)
	}
	out := step(batch, func(x *torch.Tensor) *torch.Tensor {
		return F.GridSample(x, grid, F.Mode(s.mode), F.AlignCorners(false))
	})
	closeAll(grid)
	if len(s.fill) > 0 {
		out = step(out, s.blendFill)
	}
	if !d.IsFloatingPoint() {
		out.Round_()
	}
	return toDType(out, d).Reshape(shape...)
}

// blendFill removes the extra channel, and blends the other channels with the fill where the
// extra channel is less than 1.
func (s *warping) blendFill(x *torch.Tensor) *torch.Tensor {
	out, mask := x.Narrow(-3, 0, s.c), x.Narrow(-3, s.c, 1)
	fill := torch.FromSliceWith(s.fill, torch.Shape{1, int64(len(s.fill)), 1, 1}, x.DType(), x.Device())
	defer closeAll(mask, fill)
	if s.mode == InterpolationNearest {
		outside := mask.LtScalar(0.5)
		defer closeAll(outside, out)
		return torch.Where(outside, fill, out)
	}
	if needsGrad(out) {
		return out.Sub(fill).Mul(mask).Add(fill)
	}
	return out.Sub_(fill).Mul_(mask).Add_(fill)
}

// empty returns the result of a function that moves pixels, for an image without
// elements.
func (s *warping) empty(image *torch.Tensor, nh, nw int64) *torch.Tensor {
	return image.NewEmpty(withLast(image.Shape(), nh, nw))
}

// points returns the homogeneous coordinates of nh x nw pixels, of shape (1, nh*nw, 3). The
// first pixel is at (x0, y0), and the distance between pixels is 1.
func points(x0, y0 float64, nh, nw int64, line, d torch.DType, dev torch.Device) *torch.Tensor {
	base := torch.Empty(torch.Shape{1, nh, nw, 3}, d, dev)
	x := torch.Linspace(x0, x0+float64(nw)-1, nw, line, dev)
	y := torch.Linspace(y0, y0+float64(nh)-1, nh, line, dev).Unsqueeze_(-1)
	base.Select(-1, 0).Copy_(x)
	base.Select(-1, 1).Copy_(y)
	base.Select(-1, 2).Fill_(1)
	closeAll(x, y)
	return step(base, func(t *torch.Tensor) *torch.Tensor { return t.View(1, nh*nw, 3) })
}

// rows returns values as a matrix with rows of three numbers. The matrix is transposed, so
// that points can be multiplied by it.
func rows(values []float64, d torch.DType, dev torch.Device) *torch.Tensor {
	return step(torch.FromSliceWith(values, torch.Shape{1, 2, 3}, d, dev), func(t *torch.Tensor) *torch.Tensor {
		return t.Transpose(1, 2)
	})
}
