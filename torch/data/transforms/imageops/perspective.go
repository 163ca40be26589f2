package imageops

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Perspective applies the perspective transform to image that moves four points,
// startpoints, to endpoints. Points are {x, y}, usually the corners: upper left, upper
// right, lower right, lower left. Pixels outside the image get the [Fill], 0 by default.
// The [Interpolation] is InterpolationBilinear, the default, or InterpolationNearest. The
// result is a new tensor of the image's size. It panics with ErrValue unless both lists
// have four points, for any other interpolation and for an invalid number of [Fills]. It
// panics with ErrLinAlg if no perspective transform maps the points. Follows
// torchvision.transforms.functional.perspective.
func Perspective(image *torch.Tensor, startpoints, endpoints [][]int64, opts ...WarpOption) *torch.Tensor {
	s := readWarp("imageops.Perspective(image)", opts)
	s.mustAllow(image)
	return s.perspective(image, PerspectiveCoefficients(startpoints, endpoints))
}

// PerspectiveCoefficients returns the eight coefficients a to h of the perspective
// transform that moves startpoints to endpoints, for [PerspectiveWith]. The pixel (x, y)
// of the result is the image's pixel at ((ax + by + c) / (gx + hy + 1), (dx + ey + f) /
// (gx + hy + 1)). It panics as [Perspective] does.
func PerspectiveCoefficients(startpoints, endpoints [][]int64) []float64 {
	const op = "imageops.PerspectiveCoefficients(startpoints, endpoints)"
	for k, list := range [][][]int64{startpoints, endpoints} {
		arg := []string{"startpoints", "endpoints"}[k]
		if len(list) != 4 {
			panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected four points, got %d", len(list))))
		}
		for _, p := range list {
			if len(p) != 2 {
				panic(torch.NewError(op, torch.ErrValue, arg,
					fmt.Sprintf("expected points {x, y}, got %v", append([]int64(nil), p...))))
			}
		}
	}
	var a, b []float64
	for i, to := range endpoints {
		x, y := float64(to[0]), float64(to[1])
		u, v := float64(startpoints[i][0]), float64(startpoints[i][1])
		a = append(a, x, y, 1, 0, 0, 0, -u*x, -u*y, 0, 0, 0, x, y, 1, -v*x, -v*y)
		b = append(b, u, v)
	}
	var out []float64
	torch.Scope(func() {
		m, rhs := torch.FromSliceWith(a, torch.Shape{8, 8}, torch.CPU),
			torch.FromSliceWith(b, torch.Shape{8, 1}, torch.CPU)
		solution, _, _, _ := m.LstSq(rhs, torch.DriverGELS)
		for _, v := range solution.To(torch.Float32).Float32s() {
			out = append(out, float64(v))
		}
	})
	return out
}

// PerspectiveWith is [Perspective] with coefficients from [PerspectiveCoefficients]. It
// panics with ErrValue unless there are eight coefficients, and as Perspective does.
func PerspectiveWith(image *torch.Tensor, coefficients []float64, opts ...WarpOption) *torch.Tensor {
	s := readWarp("imageops.PerspectiveWith(image)", opts)
	s.mustAllow(image)
	list := opt.Floats(s.op, "coefficients", coefficients, 8)
	s.mustBeFinite("coefficients", list...)
	return s.perspective(image, list)
}

func readWarp(op string, opts []WarpOption) warping {
	s := warping{op: op, mode: InterpolationBilinear}
	for _, o := range opts {
		switch o := o.(type) {
		case Interpolation:
			s.mode = Interpolation(string(o))
		case Fill:
			s.fill = []float64{float64(o)}
		case Fills:
			s.fill = append([]float64(nil), o...)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}

func (s *warping) perspective(image *torch.Tensor, k []float64) *torch.Tensor {
	if image.Numel() == 0 {
		return s.empty(image, s.h, s.w)
	}
	return torch.Tidy(func() *torch.Tensor {
		d, dev := computeDType(image), image.Device()
		above := rows([]float64{k[0], k[1], k[2], k[3], k[4], k[5]}, d, dev)
		below := rows([]float64{k[6], k[7], 1, k[6], k[7], 1}, d, dev)
		half := torch.FromSliceWith([]float64{0.5 * float64(s.w), 0.5 * float64(s.h)}, nil, d, dev)
		above.Div_(half)
		base := points(0.5, 0.5, s.h, s.w, d, d, dev)
		grid, divisor := base.Bmm(above), base.Bmm(below)
		closeAll(base, above, below, half)
		grid.Div_(divisor).SubScalar_(1)
		closeAll(divisor)
		return s.apply(image, step(grid, func(g *torch.Tensor) *torch.Tensor { return g.View(1, s.h, s.w, 2) }), s.h,
			s.w)
	})
}

// Elastic moves each pixel of image by displacement, a tensor of shape (1, H, W, 2) with
// vectors {x, y}, in units of half the image's size. Pixels outside the image get the
// [Fill], 0 by default. The [Interpolation] is InterpolationBilinear, the default, or
// InterpolationNearest. The result is a new tensor. It panics with ErrShape for a
// displacement of any other shape, and as [Perspective] does for options. Follows
// torchvision.transforms.functional.elastic_transform.
func Elastic(image, displacement *torch.Tensor, opts ...WarpOption) *torch.Tensor {
	s := readWarp("imageops.Elastic(image, displacement)", opts)
	displacement.HandleFor(s.op, 1)
	s.mustAllow(image)
	if want, got := (torch.Shape{1, s.h, s.w, 2}), displacement.Shape(); want.String() != got.String() {
		panic(torch.NewError(s.op, torch.ErrShape, "displacement", fmt.Sprintf("expected %v, got %v", want, got)))
	}
	if image.Numel() == 0 {
		return s.empty(image, s.h, s.w)
	}
	return torch.Tidy(func() *torch.Tensor {
		d, dev := computeDType(image), image.Device()
		// libtorch's grid_sample does not support Float16 on the CPU
		half := d == torch.Float16 && image.IsCPU()
		if half {
			d = torch.Float32
			image = image.To(d)
		}
		grid := torch.Empty(torch.Shape{1, s.h, s.w, 2}, d, dev)
		x := torch.Linspace((1-float64(s.w))/float64(s.w), (float64(s.w)-1)/float64(s.w), s.w, d, dev)
		y := torch.Linspace((1-float64(s.h))/float64(s.h), (float64(s.h)-1)/float64(s.h), s.h, d, dev).Unsqueeze_(-1)
		grid.Select(-1, 0).Copy_(x)
		grid.Select(-1, 1).Copy_(y)
		closeAll(x, y)
		moved := displacement.To(d, dev)
		grid.Add_(moved)
		out := s.apply(image, grid, s.h, s.w)
		if half {
			out = toDType(out, torch.Float16)
		}
		return out
	})
}
