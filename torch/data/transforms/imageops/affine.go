package imageops

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Rotate rotates image by angle degrees counterclockwise about its center or the
// [Center]. The result has the image's size, or with [Expand] the size of the whole
// rotated image. Pixels outside the image get the [Fill], 0 by default. The
// [Interpolation] is InterpolationNearest, the default, or InterpolationBilinear. The
// result is a new tensor. It panics with ErrValue for any other interpolation, for a NaN
// or infinite angle, and for an invalid number of [Fills]. Follows
// torchvision.transforms.functional.rotate.
func Rotate(image *torch.Tensor, angle float64, opts ...RotateOption) *torch.Tensor {
	s := warping{op: "imageops.Rotate(image)", mode: InterpolationNearest}
	for _, o := range opts {
		switch o := o.(type) {
		case Interpolation:
			s.mode = Interpolation(string(o))
		case Fill:
			s.fill = []float64{float64(o)}
		case Fills:
			s.fill = append([]float64(nil), o...)
		case Expand:
			s.expand = bool(o)
		case CenterOption:
			s.centered, s.center = true, [2]float64{o.X, o.Y}
		default:
			panic(torch.BadOption(s.op, o))
		}
	}
	s.mustAllow(image)
	s.mustBeFinite("angle", angle, s.center[0], s.center[1])
	if angle = math.Mod(angle, 360); angle < 0 {
		angle += 360
	}
	if !s.centered {
		if quarters := angle / 90; quarters == 0 {
			return image.Clone()
		} else if quarters == 2 || quarters == math.Trunc(quarters) && (s.expand || s.h == s.w) {
			return image.Rot90(int64(quarters), -2, -1)
		}
	}
	x, y := s.around()
	m := inverseAffine(x, y, -angle, 0, 0, 1, 0, 0)
	return s.affine(image, m)
}

// Affine rotates image by angle degrees clockwise about its center or the [Center],
// translates it by translate pixels, {x, y}, scales it, and shears it. shear has angles
// in degrees: {x, y}, or one angle for both axes. The result has the image's size. Pixels
// outside the image get the [Fill], 0 by default. The [Interpolation] is
// InterpolationNearest, the default, or InterpolationBilinear. The result is a new
// tensor. It panics with ErrValue for a scale that is not positive, for other lengths of
// translate and shear, for numbers that are not finite, for any other interpolation, and
// for an invalid number of [Fills]. Follows torchvision.transforms.functional.affine.
func Affine(image *torch.Tensor, angle float64, translate []float64, scale float64, shear []float64,
	opts ...AffineOption,
) *torch.Tensor {
	s := warping{op: "imageops.Affine(image)", mode: InterpolationNearest}
	for _, o := range opts {
		switch o := o.(type) {
		case Interpolation:
			s.mode = Interpolation(string(o))
		case Fill:
			s.fill = []float64{float64(o)}
		case Fills:
			s.fill = append([]float64(nil), o...)
		case CenterOption:
			s.centered, s.center = true, [2]float64{o.X, o.Y}
		default:
			panic(torch.BadOption(s.op, o))
		}
	}
	s.mustAllow(image)
	move := opt.Floats(s.op, "translate", translate, 2)
	slant := opt.Floats(s.op, "shear", shear, 1, 2)
	if len(slant) == 1 {
		slant = append(slant, slant[0])
	}
	s.mustBeFinite("angle", angle, scale, s.center[0], s.center[1])
	s.mustBeFinite("translate", move...)
	s.mustBeFinite("shear", slant...)
	if scale <= 0 {
		panic(torch.NewError(s.op, torch.ErrValue, "scale", fmt.Sprintf("expected a positive number, got %v", scale)))
	}
	x, y := s.around()
	return s.affine(image, inverseAffine(x, y, angle, move[0], move[1], scale, slant[0], slant[1]))
}

func (s *warping) mustBeFinite(arg string, list ...float64) {
	for _, v := range list {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(torch.NewError(s.op, torch.ErrValue, arg, fmt.Sprintf("expected finite numbers, got %v", v)))
		}
	}
}

// inverseAffine returns the rows of the matrix that maps pixels of the result to pixels of
// the image. It is the inverse of moving the center (cx, cy) to the origin, shearing,
// scaling, rotating, moving back, and translating by (tx, ty).
func inverseAffine(cx, cy, angle, tx, ty, scale, shearX, shearY float64) []float64 {
	const radians = math.Pi / 180
	rot, sx, sy := angle*radians, shearX*radians, shearY*radians
	a := math.Cos(rot-sy) / math.Cos(sy)
	b := -(a*math.Tan(sx) + math.Sin(rot))
	c := math.Sin(rot-sy) / math.Cos(sy)
	d := math.Cos(rot) - c*math.Tan(sx)
	m := []float64{d / scale, -b / scale, 0, -c / scale, a / scale, 0}
	m[2] = cx - m[0]*(cx+tx) - m[1]*(cy+ty)
	m[5] = cy - m[3]*(cx+tx) - m[4]*(cy+ty)
	return m
}

func (s *warping) affine(image *torch.Tensor, m []float64) *torch.Tensor {
	nh, nw := s.h, s.w
	if s.expand {
		nh, nw = rotatedSize(m, s.h, s.w)
		mustBeArea(s.op, "Expand", nh, nw)
	}
	if image.Numel() == 0 {
		return s.empty(image, nh, nw)
	}
	return torch.Tidy(func() *torch.Tensor {
		d, dev := computeDType(image), image.Device()
		theta := rows(m, d, dev)
		half := torch.FromSliceWith([]float64{0.5 * float64(s.w), 0.5 * float64(s.h)}, nil, d, dev)
		theta.Div_(half)
		base := points((1-float64(nw))*0.5, (1-float64(nh))*0.5, nh, nw, torch.DefaultDType(), d, dev)
		grid := base.Bmm(theta)
		closeAll(base, theta, half)
		return s.apply(image, step(grid, func(g *torch.Tensor) *torch.Tensor { return g.View(1, nh, nw, 2) }), nh, nw)
	})
}

// rotatedSize returns the height and width of the rotated image. It computes in float32 as
// torchvision does, because rounding may change the size by a pixel.
func rotatedSize(m []float64, h, w int64) (nh, nw int64) {
	const tolerance = 1e-4
	var lo, hi [2]float32
	halves := [2]float32{float32(0.5 * float64(w)), float32(0.5 * float64(h))}
	for i := range 2 {
		a, b, c := float32(m[3*i]), float32(m[3*i+1]), float32(m[3*i+2])
		lo[i], hi[i] = float32(math.Inf(1)), float32(math.Inf(-1))
		for _, corner := range [][2]float32{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}} {
			v := corner[0]*halves[0]*a + corner[1]*halves[1]*b + c
			lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
		}
		lo[i], hi[i] = lo[i]+halves[i], hi[i]+halves[i]
	}
	truncated := func(v float32) float64 {
		return float64(float32(math.Trunc(float64(v*float32(1/tolerance)))) * float32(tolerance))
	}
	side := func(i int) int64 { return int64(math.Ceil(truncated(hi[i])) - math.Floor(truncated(lo[i]))) }
	return side(1), side(0)
}
