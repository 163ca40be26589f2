package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Upsample resizes its input. Follows torch.nn.Upsample.
type Upsample struct {
	Base
	opts []F.InterpolateOption
}

// NewUpsample makes a layer that resizes to a [Size] or by a [ScaleFactor]. As in Python,
// Forward reports options that conflict with each other or do not suit the input. Follows
// torch.nn.Upsample.
func NewUpsample(opts ...UpsampleOption) *Upsample {
	const op = "NewUpsample"
	l := new(Upsample)
	var r resizeOptions
	mode := ModeNearest
	for _, o := range opts {
		switch o := o.(type) {
		case Mode:
			mode = o
		case AlignCorners:
			r.forward = append(r.forward, o)
		case RecomputeScaleFactor:
			r.forward = append(r.forward, o)
		default:
			r.read(op, o)
		}
	}
	r.forward = append(r.forward, mode)
	l.opts = r.finish(l, mode)
	return l
}

// Forward takes x of shape (N, C, *), with one to three spatial dimensions. It
// panics as F.Interpolate does.
func (l *Upsample) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Interpolate(x, l.opts...) })
}

// resizeOptions holds the parsed options of all layers that resize.
type resizeOptions struct {
	size, scale         F.InterpolateOption
	sizeText, scaleText string
	forward             []F.InterpolateOption
	as                  Registration
}

// read handles the options common to these layers.
func (r *resizeOptions) read(op string, o any) {
	switch o := o.(type) {
	case Size:
		r.size, r.sizeText = o, fmt.Sprint(int64(o))
	case Sizes:
		list := slices.Clone(o)
		r.size, r.sizeText = list, torch.Shape(list).String()
	case ScaleFactor:
		r.scale, r.scaleText = o, tensorfmt.PyFloat(float64(o))
	case ScaleFactors:
		list := slices.Clone(o)
		r.scale, r.scaleText = list, formatFloats(list)
	case Registration:
		r.as = o
	default:
		panic(opt.Unknown(op, o))
	}
}

// formatFloats formats numbers as a Python tuple.
func formatFloats(list []float64) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = tensorfmt.PyFloat(v)
	}
	if len(list) == 1 {
		return "(" + texts[0] + ",)"
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// finish registers the layer self and returns the options of its Forward.
func (r *resizeOptions) finish(self Module, mode Mode) []F.InterpolateOption {
	what := "size=None"
	switch {
	case r.scale != nil:
		what = "scale_factor=" + r.scaleText
	case r.size != nil:
		what = "size=" + r.sizeText
	}
	opts := r.forward
	for _, o := range []F.InterpolateOption{r.size, r.scale} {
		if o != nil {
			opts = append(opts, o)
		}
	}
	b := self.ModuleBase()
	b.startLayer(self)
	b.SetExtraRepr(what + ", mode='" + string(mode) + "'")
	r.as.register(self)
	return opts
}

// UpsamplingNearest2d resizes images. Follows torch.nn.UpsamplingNearest2d.
type UpsamplingNearest2d struct {
	Base
	opts []F.InterpolateOption
}

// NewUpsamplingNearest2d makes a layer that resizes to a [Size], or by a
// [ScaleFactor]. Follows torch.nn.UpsamplingNearest2d.
func NewUpsamplingNearest2d(opts ...UpsamplingOption) *UpsamplingNearest2d {
	l := new(UpsamplingNearest2d)
	r := resizeOptions{forward: []F.InterpolateOption{F.ModeNearest}}
	for _, o := range opts {
		r.read("NewUpsamplingNearest2d", o)
	}
	l.opts = r.finish(l, ModeNearest)
	return l
}

// Forward takes x of shape (N, C, H, W). It panics as F.Interpolate does.
func (l *UpsamplingNearest2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Interpolate(x, l.opts...) })
}

// UpsamplingBilinear2d resizes images with the corners aligned.
// Follows torch.nn.UpsamplingBilinear2d.
type UpsamplingBilinear2d struct {
	Base
	opts []F.InterpolateOption
}

// NewUpsamplingBilinear2d makes a layer that resizes to a [Size], or by a
// [ScaleFactor]. Follows torch.nn.UpsamplingBilinear2d.
func NewUpsamplingBilinear2d(opts ...UpsamplingOption) *UpsamplingBilinear2d {
	l := new(UpsamplingBilinear2d)
	r := resizeOptions{forward: []F.InterpolateOption{F.ModeBilinear, F.AlignCorners(true)}}
	for _, o := range opts {
		r.read("NewUpsamplingBilinear2d", o)
	}
	l.opts = r.finish(l, ModeBilinear)
	return l
}

// Forward takes x of shape (N, C, H, W). It panics as F.Interpolate does.
func (l *UpsamplingBilinear2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Interpolate(x, l.opts...) })
}
