package transforms

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// pyCenter formats a center as Python prints it. It returns "" if given is false.
func pyCenter(given bool, c CenterOption) string {
	if !given {
		return ""
	}
	return "center=[" + pyNumber(c.X) + ", " + pyNumber(c.Y) + "]"
}

// RandomRotation rotates images by a random angle. Follows
// torchvision.transforms.RandomRotation.
type RandomRotation struct {
	degrees  [2]float64
	mode     Interpolation
	expand   bool
	center   CenterOption
	centered bool
	fill     []float64
}

// NewRandomRotation returns a RandomRotation. degrees is a number v, for angles from -v
// to v, or []float64{smallest, largest}. The defaults are InterpolationNearest and [Fill]
// 0. It panics with ErrType for any other type of degrees, and with ErrValue for a
// negative number, an invalid range and an unknown [Interpolation].
func NewRandomRotation(degrees any, opts ...RotationOption) *RandomRotation {
	const op = "transforms.NewRandomRotation"
	r := &RandomRotation{mode: InterpolationNearest, fill: []float64{0}}
	for _, o := range opts {
		switch o := o.(type) {
		case Interpolation:
			r.mode = Interpolation(string(o))
		case Expand:
			r.expand = bool(o)
		case CenterOption:
			r.center, r.centered = o, true
		case Fill:
			r.fill = []float64{float64(o)}
		case Fills:
			r.fill = append([]float64(nil), o...)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	r.degrees = angles(op, "degrees", degrees)
	r.mode.CheckWarping(op)
	return r
}

// Forward returns imageops.Rotate of x by a random angle.
func (r *RandomRotation) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomRotation", "Forward")
	opt.Sizes("transforms.RandomRotation(image)", x)
	opts := []imageops.RotateOption{r.mode, Expand(r.expand), Fills(r.fill)}
	if r.centered {
		opts = append(opts, r.center)
	}
	return imageops.Rotate(x, uniform(r.degrees[0], r.degrees[1]), opts...)
}

// String returns the settings as Python prints them.
func (r *RandomRotation) String() string {
	if r == nil {
		return "RandomRotation(nil)"
	}
	return repr("RandomRotation", "degrees=["+pyFloats(r.degrees[:]...)+"]", pyInterpolation(r.mode),
		"expand="+pyBool(r.expand),
		pyFill(r.fill), pyCenter(r.centered, r.center))
}

// RandomAffine rotates, translates, scales and shears images at random. Follows
// torchvision.transforms.RandomAffine.
type RandomAffine struct {
	degrees      [2]float64
	translate    TranslateOption
	scale        ScaleOption
	shear        []float64 // the ranges of the shear angles: no, two or four numbers
	mode         Interpolation
	fill         []float64
	center       CenterOption
	moved, sized bool
	centered     bool
}

// NewRandomAffine returns a RandomAffine. degrees is a number v, for angles from -v to v,
// or []float64{smallest, largest}. By default images are not translated, scaled or
// sheared; see [Translate], [Scale] and [Shear]. The defaults are InterpolationNearest
// and [Fill] 0. It panics with ErrType for any other type of degrees. It panics with
// ErrValue for negative degrees or Shear, invalid ranges, translations outside 0 to 1,
// scales that are not positive and an unknown [Interpolation].
func NewRandomAffine(degrees any, opts ...AffineOption) *RandomAffine {
	const op = "transforms.NewRandomAffine"
	r := &RandomAffine{mode: InterpolationNearest, fill: []float64{0}}
	for _, o := range opts {
		switch o := o.(type) {
		case TranslateOption:
			r.translate, r.moved = o, true
		case ScaleOption:
			r.scale, r.sized = o, true
		case Shear:
			s := angles(op, "Shear", float64(o))
			r.shear = s[:]
		case Shears:
			r.shear = append([]float64(nil), o...)
			mustBeShears(op, r.shear)
		case Interpolation:
			r.mode = Interpolation(string(o))
		case Fill:
			r.fill = []float64{float64(o)}
		case Fills:
			r.fill = append([]float64(nil), o...)
		case CenterOption:
			r.center, r.centered = o, true
		default:
			panic(torch.BadOption(op, o))
		}
	}
	r.degrees = angles(op, "degrees", degrees)
	r.mode.CheckWarping(op)
	for _, v := range []float64{r.translate.X, r.translate.Y} {
		if !(v >= 0 && v <= 1) {
			panic(torch.NewError(op, torch.ErrValue, "Translate",
				fmt.Sprintf("expected numbers from 0 to 1, got %v", v)))
		}
	}
	if r.sized {
		checkRange(op, "Scale", r.scale.Min, r.scale.Max, 0, infinity)
		if r.scale.Min == 0 {
			panic(torch.NewError(op, torch.ErrValue, "Scale", "expected positive numbers, got 0"))
		}
	}
	return r
}

func mustBeShears(op string, list []float64) {
	if len(list) == 0 {
		return
	}
	for i := 0; i+1 < len(opt.Floats(op, "Shears", list, 2, 4)); i += 2 {
		checkRange(op, "Shears", list[i], list[i+1], -infinity, infinity)
	}
}

// Forward returns imageops.Affine of x with random parameters.
func (r *RandomAffine) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomAffine", "Forward")
	_, h, w := opt.Sizes("transforms.RandomAffine(image)", x)
	angle := uniform(r.degrees[0], r.degrees[1])
	move := []float64{0, 0}
	if r.moved {
		dx, dy := r.translate.X*float64(w), r.translate.Y*float64(h)
		move[0] = float64(round(uniform(-dx, dx)))
		move[1] = float64(round(uniform(-dy, dy)))
	}
	scale := 1.0
	if r.sized {
		scale = uniform(r.scale.Min, r.scale.Max)
	}
	shear := []float64{0, 0}
	for i := 0; i < len(r.shear); i += 2 {
		shear[i/2] = uniform(r.shear[i], r.shear[i+1])
	}
	opts := []imageops.AffineOption{r.mode, Fills(r.fill)}
	if r.centered {
		opts = append(opts, r.center)
	}
	return imageops.Affine(x, angle, move, scale, shear, opts...)
}

// String returns the settings as Python prints them.
func (r *RandomAffine) String() string {
	if r == nil {
		return "RandomAffine(nil)"
	}
	move, scale, shear := "", "", ""
	if r.moved {
		move = "translate=(" + pyNumber(r.translate.X) + ", " + pyNumber(r.translate.Y) + ")"
	}
	if r.sized {
		scale = "scale=(" + pyNumber(r.scale.Min) + ", " + pyNumber(r.scale.Max) + ")"
	}
	if len(r.shear) > 0 {
		shear = "shear=[" + pyFloats(r.shear...) + "]"
	}
	return repr("RandomAffine", "degrees=["+pyFloats(r.degrees[:]...)+"]", move, scale, shear, pyInterpolation(r.mode),
		pyFill(r.fill),
		pyCenter(r.centered, r.center))
}

// RandomPerspective moves the corners of images to random positions, or leaves the images
// unchanged. Follows torchvision.transforms.RandomPerspective.
type RandomPerspective struct {
	p, distortion float64
	mode          Interpolation
	fill          []float64
}

// NewRandomPerspective returns a RandomPerspective, which moves corners with probability
// [P]. The defaults are P 0.5, [DistortionScale] 0.5, InterpolationBilinear and [Fill] 0.
// It panics with ErrValue for a P or a DistortionScale outside 0 to 1 and for an unknown
// [Interpolation].
func NewRandomPerspective(opts ...PerspectiveOption) *RandomPerspective {
	const op = "transforms.NewRandomPerspective"
	r := &RandomPerspective{p: 0.5, distortion: 0.5, mode: InterpolationBilinear, fill: []float64{0}}
	for _, o := range opts {
		switch o := o.(type) {
		case DistortionScale:
			r.distortion = float64(o)
		case P:
			r.p = float64(o)
		case Interpolation:
			r.mode = Interpolation(string(o))
		case Fill:
			r.fill = []float64{float64(o)}
		case Fills:
			r.fill = append([]float64(nil), o...)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	checkP(op, r.p)
	r.mode.CheckWarping(op)
	if !(r.distortion >= 0 && r.distortion <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "DistortionScale",
			fmt.Sprintf("expected a number from 0 to 1, got %v", r.distortion)))
	}
	return r
}

// Forward returns imageops.Perspective of x with random corners, or a view of x. It
// panics with ErrShape for an image without pixels.
func (r *RandomPerspective) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomPerspective", "Forward")
	const op = "transforms.RandomPerspective(image)"
	_, h, w := opt.Sizes(op, x)
	if h == 0 || w == 0 {
		panic(torch.NewError(op, torch.ErrShape, "image",
			fmt.Sprintf("expected pixels, got an image of %d x %d", h, w)))
	}
	if !happens(r.p) {
		return same(x)
	}
	dy, dx := int64(r.distortion*float64(h/2))+1, int64(r.distortion*float64(w/2))+1
	start := [][]int64{{0, 0}, {w - 1, 0}, {w - 1, h - 1}, {0, h - 1}}
	end := [][]int64{
		{integer(0, dx), integer(0, dy)},
		{integer(w-dx, w), integer(0, dy)},
		{integer(w-dx, w), integer(h-dy, h)},
		{integer(0, dx), integer(h-dy, h)},
	}
	return imageops.Perspective(x, start, end, r.mode, Fills(r.fill))
}

// String returns the settings as Python prints them.
func (r *RandomPerspective) String() string {
	if r == nil {
		return "RandomPerspective(nil)"
	}
	return repr("RandomPerspective", pyP(r.p), "distortion_scale="+pyFloats(r.distortion), pyInterpolation(r.mode),
		pyFill(r.fill))
}

// ElasticTransform moves each pixel of images by a smooth random displacement. Follows
// torchvision.transforms.ElasticTransform.
type ElasticTransform struct {
	alpha, sigma [2]float64
	mode         Interpolation
	fill         []float64
}

// NewElasticTransform returns an ElasticTransform. [Alpha] is the size of displacements,
// and [Sigma] their smoothness. The defaults are Alpha 50, Sigma 5, InterpolationBilinear
// and [Fill] 0. It panics with ErrValue for [Alphas] and [Sigmas] of lengths other than 1
// and 2, for a negative Sigma and for an unknown [Interpolation].
func NewElasticTransform(opts ...ElasticOption) *ElasticTransform {
	const op = "transforms.NewElasticTransform"
	e := &ElasticTransform{
		alpha: [2]float64{50, 50}, sigma: [2]float64{5, 5}, mode: InterpolationBilinear,
		fill: []float64{0},
	}
	for _, o := range opts {
		switch o := o.(type) {
		case Alpha:
			e.alpha = [2]float64{float64(o), float64(o)}
		case Alphas:
			e.alpha = pairOf(op, "Alphas", append([]float64(nil), o...))
		case Sigma:
			e.sigma = [2]float64{float64(o), float64(o)}
		case Sigmas:
			e.sigma = pairOf(op, "Sigmas", append([]float64(nil), o...))
		case Interpolation:
			e.mode = Interpolation(string(o))
		case Fill:
			e.fill = []float64{float64(o)}
		case Fills:
			e.fill = append([]float64(nil), o...)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	e.mode.CheckWarping(op)
	for _, s := range e.sigma {
		if !(s >= 0 && s <= 1e6) {
			panic(torch.NewError(op, torch.ErrValue, "Sigma", fmt.Sprintf("expected numbers from 0 to 1e6, got %v", s)))
		}
	}
	if both := e.sigma[0] > 0 == (e.sigma[1] > 0); !both {
		panic(torch.NewError(op, torch.ErrValue, "Sigmas",
			fmt.Sprintf("expected both numbers to be 0, or neither, got %v", e.sigma)))
	}
	return e
}

func pairOf(op, arg string, list []float64) [2]float64 {
	list = opt.Floats(op, arg, list, 1, 2)
	return [2]float64{list[0], list[len(list)-1]}
}

// Forward returns imageops.Elastic of x with random displacements. It panics with
// ErrShape unless the image is larger than half the smoothing kernel, which is 4 times
// Sigma.
func (e *ElasticTransform) Forward(x *torch.Tensor) *torch.Tensor {
	there(e != nil, "ElasticTransform", "Forward")
	_, h, w := opt.Sizes("transforms.ElasticTransform(image)", x)
	return torch.Tidy(func() *torch.Tensor {
		dx := e.displacement(0, h, w, w)
		dy := e.displacement(1, h, w, h)
		both := torch.Cat([]*torch.Tensor{dx, dy}, 1).Permute(0, 2, 3, 1)
		return imageops.Elastic(x, both, e.mode, Fills(e.fill))
	})
}

// displacement draws the displacements along an axis of n pixels.
func (e *ElasticTransform) displacement(axis int, h, w, n int64) *torch.Tensor {
	d := torch.Rand(torch.Shape{1, 1, h, w}).MulScalar_(2).SubScalar_(1)
	if e.sigma[axis] > 0 {
		kernel := int64(8*e.sigma[axis] + 1)
		if kernel%2 == 0 {
			kernel++
		}
		d = imageops.GaussianBlur(d, kernel, Sigmas(e.sigma[:]))
	}
	return d.MulScalar_(e.alpha[axis]).DivScalar_(n)
}

// String returns the settings as Python prints them.
func (e *ElasticTransform) String() string {
	if e == nil {
		return "ElasticTransform(nil)"
	}
	return repr("ElasticTransform", "alpha=["+pyFloats(e.alpha[:]...)+"]", "sigma=["+pyFloats(e.sigma[:]...)+"]",
		pyInterpolation(e.mode), pyFill(e.fill))
}
