package transforms

import (
	"fmt"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	images "github.com/gotorch/gotorch/torch/data/transforms"
)

// Resize resizes samples. Follows torchvision.transforms.v2.Resize.
type Resize struct {
	size      []int64 // nil if only MaxSize is given
	limit     int64
	mode      Interpolation
	antialias bool
	printed   *images.Resize
}

// NewResize returns a Resize. size is []int{height, width}, or an int for the shorter side; it may
// be nil with a [MaxSize]. The [Interpolation] of images is InterpolationBilinear by default. It
// panics with ErrType for any other type of size, and with ErrValue for a size that is not
// positive, for a MaxSize together with a height and width, for a MaxSize that is not larger than
// size, and for an unknown interpolation.
func NewResize(size any, opts ...ResizeOption) *Resize {
	const op = "transforms.NewResize"
	mode, antialias, limit := common.Read3(op, opts, InterpolationBilinear, Antialias(true), MaxSize(0))
	mode.check(op)
	return &Resize{
		printed: images.NewResize(size, mode.image(), images.Antialias(antialias), images.MaxSize(limit)),
		size:    ints(size), limit: int64(limit), mode: mode, antialias: bool(antialias),
	}
}

// Forward returns the resized sample. It panics with ErrValue if a side would have no pixels.
func (r *Resize) Forward(s Sample) Sample {
	there(r != nil, "Resize")
	return resize("transforms.Resize(s)", s, r.size, r.limit, r.mode, r.antialias)
}

// resize resizes a sample to a height and a width, or a length of the shorter side, with a limit for
// the longer side.
func resize(op string, s Sample, size []int64, limit int64, mode Interpolation, antialias bool) Sample {
	return apply(op, s, func(s Sample) Sample {
		return resized(func(h, w int64) (nh, nw int64) {
			return newSize(op, h, w, size, limit)
		}, mode, antialias).apply(s)
	})
}

// newSize returns the height and the width of an image of h x w pixels after resizing.
func newSize(op string, h, w int64, size []int64, limit int64) (nh, nw int64) {
	if h == 0 || w == 0 {
		panic(torch.NewError(op, torch.ErrShape, "s", fmt.Sprintf("expected pixels, got a size of %d x %d", h, w)))
	}
	short, long := min(h, w), max(h, w)
	ratio := func(a, b, c int64) int64 { return int64(float64(a) * float64(b) / float64(c)) }
	switch {
	case len(size) == 2:
		mustBePixels(op, size[0], size[1])
		return size[0], size[1]
	case size == nil:
		short, long = ratio(limit, short, long), limit
	default:
		short, long = size[0], ratio(size[0], long, short)
		if limit != 0 && long > limit {
			short, long = ratio(limit, short, long), limit
		}
	}
	mustBePixels(op, short, long)
	if w <= h {
		return long, short
	}
	return short, long
}

// mustBePixels panics with ErrValue unless an image of h x w pixels has pixels, and could fit in memory.
func mustBePixels(op string, h, w int64) {
	if h < 1 || w < 1 || h > maxPixels || w > maxPixels/h {
		panic(torch.NewError(op, torch.ErrValue, "s", fmt.Sprintf("cannot be resized to %d x %d pixels", h, w)))
	}
}

// String returns the settings as Python prints them.
func (r *Resize) String() string {
	if r == nil {
		return "Resize(nil)"
	}
	return r.printed.String()
}

// RandomResize resizes samples to a random size. Follows torchvision.transforms.v2.RandomResize.
type RandomResize struct {
	minSize, maxSize int64
	mode             Interpolation
	antialias        bool
}

// NewRandomResize returns a RandomResize, which resizes the shorter side to minSize at least and to
// less than maxSize. It panics with ErrValue for sizes that are not positive, unless minSize is less
// than maxSize, and for an unknown [Interpolation].
func NewRandomResize(minSize, maxSize int64, opts ...RandomResizeOption) *RandomResize {
	const op = "transforms.NewRandomResize"
	mode, antialias := common.Read2(op, opts, InterpolationBilinear, Antialias(true))
	mode.check(op)
	mustBePositive(op, "minSize", minSize, maxSize)
	if minSize >= maxSize {
		panic(torch.NewError(op, torch.ErrValue, "maxSize",
			fmt.Sprintf("expected more than minSize %d, got %d", minSize, maxSize)))
	}
	return &RandomResize{minSize, maxSize, mode, bool(antialias)}
}

// Forward returns the resized sample.
func (r *RandomResize) Forward(s Sample) Sample {
	there(r != nil, "RandomResize")
	const op = "transforms.RandomResize(s)"
	s.check(op)
	return resize(op, s, []int64{integer(r.minSize, r.maxSize)}, 0, r.mode, r.antialias)
}

// String returns the settings as Python prints them.
func (r *RandomResize) String() string {
	if r == nil {
		return "RandomResize(nil)"
	}
	return repr("RandomResize", "min_size="+pyInts(r.minSize), "max_size="+pyInts(r.maxSize), r.mode.repr(),
		"antialias="+pyBool(r.antialias))
}

// RandomShortestSize resizes samples so that the shorter side gets one of several lengths. Follows
// torchvision.transforms.v2.RandomShortestSize.
type RandomShortestSize struct {
	minSize   []int64
	limit     int64
	mode      Interpolation
	antialias bool
}

// NewRandomShortestSize returns a RandomShortestSize. minSize is an int, or a slice of ints from
// which one is drawn for each sample. The longer side gets at most the [MaxSize]. It panics with
// ErrType for any other type of minSize, and with ErrValue for an empty list, for sizes that are not
// positive and for an unknown [Interpolation].
func NewRandomShortestSize(minSize any, opts ...RandomShortestSizeOption) *RandomShortestSize {
	const op = "transforms.NewRandomShortestSize"
	limit, mode, antialias := common.Read3(op, opts, MaxSize(0), InterpolationBilinear, Antialias(true))
	mode.check(op)
	r := &RandomShortestSize{ints(minSize), int64(limit), mode, bool(antialias)}
	switch minSize.(type) {
	case int, int64, []int, []int64, torch.Shape:
	default:
		panic(torch.NewError(op, torch.ErrType, "minSize",
			fmt.Sprintf("expected an int or a slice of ints, got %T", minSize)))
	}
	if len(r.minSize) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "minSize", "an empty list"))
	}
	mustBePositive(op, "minSize", r.minSize...)
	if r.limit < 0 || r.limit > maxPixels {
		panic(torch.NewError(op, torch.ErrValue, "MaxSize",
			fmt.Sprintf("expected a positive number up to %d, got %d", int64(maxPixels), r.limit)))
	}
	return r
}

// Forward returns the resized sample. It panics with ErrValue if a side would have no pixels.
func (r *RandomShortestSize) Forward(s Sample) Sample {
	there(r != nil, "RandomShortestSize")
	const op = "transforms.RandomShortestSize(s)"
	s.check(op)
	h, w := s.size(op)
	ratio := float64(r.minSize[integer(0, int64(len(r.minSize)))]) / float64(min(h, w))
	if r.limit != 0 {
		ratio = min(ratio, float64(r.limit)/float64(max(h, w)))
	}
	size := []int64{int64(float64(h) * ratio), int64(float64(w) * ratio)}
	return resize(op, s, size, 0, r.mode, r.antialias)
}

// String returns the settings as Python prints them.
func (r *RandomShortestSize) String() string {
	if r == nil {
		return "RandomShortestSize(nil)"
	}
	limit := ""
	if r.limit != 0 {
		limit = "max_size=" + pyInts(r.limit)
	}
	return repr("RandomShortestSize", "min_size=["+pyInts(r.minSize...)+"]", limit, r.mode.repr(),
		"antialias="+pyBool(r.antialias))
}

// ScaleJitter resizes samples to a random multiple of a size, and keeps the aspect ratio. Follows
// torchvision.transforms.v2.ScaleJitter.
type ScaleJitter struct {
	target    []int64
	scale     ScaleRangeOption
	mode      Interpolation
	antialias bool
}

// NewScaleJitter returns a ScaleJitter. targetSize is []int{width, height}, or an int for both: the
// sample is resized to fit, times a number from the [ScaleRange], by default 0.1 to 2. It panics with
// ErrType for any other type of targetSize, and with ErrValue for a size that is not positive, for a
// range that is invalid or negative, and for an unknown [Interpolation].
func NewScaleJitter(targetSize any, opts ...ScaleJitterOption) *ScaleJitter {
	const op = "transforms.NewScaleJitter"
	scale, mode, antialias := common.Read3(op, opts, ScaleRange(0.1, 2), InterpolationBilinear, Antialias(true))
	mode.check(op)
	mustBeRange(op, "ScaleRange", scale.Min, scale.Max, 0)
	w, h := pair(op, "targetSize", targetSize)
	return &ScaleJitter{[]int64{w, h}, scale, mode, bool(antialias)}
}

// Forward returns the resized sample. It panics with ErrValue if a side would have no pixels.
func (r *ScaleJitter) Forward(s Sample) Sample {
	there(r != nil, "ScaleJitter")
	const op = "transforms.ScaleJitter(s)"
	s.check(op)
	h, w := s.size(op)
	var size []int64
	torch.Scope(func() {
		ratio := between(r.scale.Min, r.scale.Max, 1).
			MulScalar_(min(float64(r.target[1])/float64(h), float64(r.target[0])/float64(w)))
		size = []int64{times(h, ratio, 0), times(w, ratio, 0)}
	})
	return resize(op, s, size, 0, r.mode, r.antialias)
}

// String returns the settings as Python prints them.
func (r *ScaleJitter) String() string {
	if r == nil {
		return "ScaleJitter(nil)"
	}
	return repr("ScaleJitter", "target_size=("+pyInts(r.target...)+")",
		"scale_range=("+pyFloats(r.scale.Min, r.scale.Max)+")", r.mode.repr(), "antialias="+pyBool(r.antialias))
}
