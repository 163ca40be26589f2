package transforms

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// A Sample is an image with what is known about it. Parts that are absent are nil. In torchvision,
// a sample is any nested list or dict of such parts.
type Sample struct {
	Image     *torch.Tensor // (..., C, H, W), as for package torch/data/transforms
	Boxes     BoundingBoxes
	Mask      Mask
	KeyPoints KeyPoints
	Labels    *torch.Tensor // one for each box
	// Extra has other tensors. No transform changes them, except those that
	// [LabelsGetter] names.
	Extra map[string]*torch.Tensor
}

// BoundingBoxes are boxes in an image. Follows torchvision.tv_tensors.BoundingBoxes.
type BoundingBoxes struct {
	Tensor       *torch.Tensor // (N, 4), integers or floating-point numbers; nil for no boxes
	Format       BoundingBoxFormat
	CanvasSize   [2]int64 // height and width of the image
	ClampingMode ClampingMode
}

// BoundingBoxFormat says what the four numbers of a box are. Follows
// torchvision.tv_tensors.BoundingBoxFormat.
type BoundingBoxFormat string

// These are the formats. The zero value is BoundingBoxFormatXYXY.
const (
	BoundingBoxFormatXYXY   BoundingBoxFormat = "XYXY"   // left, top, right and bottom
	BoundingBoxFormatXYWH   BoundingBoxFormat = "XYWH"   // left, top, width and height
	BoundingBoxFormatCXCYWH BoundingBoxFormat = "CXCYWH" // x and y of the center, width and height
)

// Mask has a class for each pixel, of shape (H, W), or masks of objects, of shape (N, H, W). It may
// have any real dtype, or Bool. Follows torchvision.tv_tensors.Mask.
type Mask struct{ Tensor *torch.Tensor }

// KeyPoints are points in an image. Follows torchvision.tv_tensors.KeyPoints.
type KeyPoints struct {
	Tensor     *torch.Tensor // (..., 2): x and y; nil for no points
	CanvasSize [2]int64      // height and width of the image
}

// A Transform maps a Sample to a Sample. User-defined transforms may return tensors of their
// argument.
type Transform interface {
	Forward(s Sample) Sample
}

// Close frees the tensors of the sample, without waiting for their scope. It always returns nil.
func (s Sample) Close() error {
	for _, t := range s.tensors() {
		_ = t.Close()
	}
	return nil
}

// String shows the types of the tensors, not their values.
func (s Sample) String() string {
	text := ""
	add := func(name string, t *torch.Tensor, more string) {
		if t == nil {
			return
		}
		if text != "" {
			text += ", "
		}
		text += name + " "
		if t.IsClosed() {
			text += "closed"
		} else {
			text += fmt.Sprintf("%v %v", t.DType(), t.Shape())
		}
		text += more
	}
	add("Image", s.Image, "")
	add("Boxes", s.Boxes.Tensor, " "+string(s.Boxes.format()))
	add("Mask", s.Mask.Tensor, "")
	add("KeyPoints", s.KeyPoints.Tensor, "")
	add("Labels", s.Labels, "")
	for _, name := range s.names() {
		add(name, s.Extra[name], "")
	}
	return text
}

// names returns the sorted names of Extra.
func (s Sample) names() []string {
	names := make([]string, 0, len(s.Extra))
	for name := range s.Extra {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tensors returns the tensors of the sample that are not nil.
func (s Sample) tensors() (ts []*torch.Tensor) {
	s.replace(func(t *torch.Tensor) *torch.Tensor {
		ts = append(ts, t)
		return t
	})
	return ts
}

// replace returns s with each tensor replaced by f's result.
func (s Sample) replace(f func(t *torch.Tensor) *torch.Tensor) Sample {
	for _, t := range []**torch.Tensor{&s.Image, &s.Boxes.Tensor, &s.Mask.Tensor, &s.KeyPoints.Tensor, &s.Labels} {
		if *t != nil {
			*t = f(*t)
		}
	}
	if s.Extra != nil {
		extra := make(map[string]*torch.Tensor, len(s.Extra))
		for _, name := range s.names() {
			if extra[name] = s.Extra[name]; extra[name] != nil {
				extra[name] = f(extra[name])
			}
		}
		s.Extra = extra
	}
	return s
}

// format returns the format of the boxes.
func (b BoundingBoxes) format() BoundingBoxFormat {
	if b.Format == "" {
		return BoundingBoxFormatXYXY
	}
	return b.Format
}

// check panics if a part of the sample is invalid.
func (s Sample) check(op string) {
	numbers := func(arg string, t *torch.Tensor) torch.Shape {
		t.HandleFor(op, 0)
		if d := t.DType(); d == torch.Bool || !d.IsFloatingPoint() && !d.IsInteger() {
			panic(torch.NewError(op, torch.ErrDType, arg, fmt.Sprintf("expected integers or real numbers, got %v", d)))
		}
		return t.Shape()
	}
	canvas := func(arg string, size [2]int64) {
		if size[0] < 0 || size[1] < 0 || size[0] > maxPixels || size[1] > maxPixels {
			panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("not a height and a width: %v", size)))
		}
	}
	if t := s.Image; t != nil {
		if shape := numbers("s.Image", t); len(shape) < 3 {
			panic(torch.NewError(op, torch.ErrShape, "s.Image", fmt.Sprintf("expected (..., C, H, W), got %v", shape)))
		}
	}
	if t := s.Boxes.Tensor; t != nil {
		shape := numbers("s.Boxes.Tensor", t)
		if len(shape) != 2 || shape[1] != 4 {
			panic(torch.NewError(op, torch.ErrShape, "s.Boxes.Tensor", fmt.Sprintf("expected (N, 4), got %v", shape)))
		}
		canvas("s.Boxes.CanvasSize", s.Boxes.CanvasSize)
		s.Boxes.format().check(op, "s.Boxes.Format")
		s.Boxes.ClampingMode.check(op, "s.Boxes.ClampingMode")
	}
	if t := s.Mask.Tensor; t != nil {
		t.HandleFor(op, 0)
		if d := t.DType(); !d.IsFloatingPoint() && !d.IsInteger() && d != torch.Bool {
			panic(torch.NewError(op, torch.ErrDType, "s.Mask.Tensor", fmt.Sprintf("expected real numbers, got %v", d)))
		}
		if shape := t.Shape(); len(shape) < 2 {
			panic(torch.NewError(op, torch.ErrShape, "s.Mask.Tensor",
				fmt.Sprintf("expected (..., H, W), got %v", shape)))
		}
	}
	if t := s.KeyPoints.Tensor; t != nil {
		if shape := numbers("s.KeyPoints.Tensor", t); len(shape) < 1 || shape[len(shape)-1] != 2 {
			panic(torch.NewError(op, torch.ErrShape, "s.KeyPoints.Tensor",
				fmt.Sprintf("expected (..., 2), got %v", shape)))
		}
		canvas("s.KeyPoints.CanvasSize", s.KeyPoints.CanvasSize)
	}
	if s.Labels != nil {
		s.Labels.HandleFor(op, 0)
	}
}

func (f BoundingBoxFormat) check(op, arg string) {
	switch f {
	case BoundingBoxFormatXYXY, BoundingBoxFormatXYWH, BoundingBoxFormatCXCYWH:
		return
	}
	panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected XYXY, XYWH or CXCYWH, got %q", string(f))))
}

// size returns the height and the width of the image, mask, boxes and key points, which must agree.
func (s Sample) size(op string) (h, w int64) {
	var size [2]int64
	first := ""
	add := func(name string, have [2]int64) {
		if first != "" && have != size {
			panic(torch.NewError(op, torch.ErrShape, "s",
				fmt.Sprintf("%s is of %d x %d, but %s of %d x %d", first, size[0], size[1], name, have[0], have[1])))
		}
		if first == "" {
			first, size = name, have
		}
	}
	last := func(t *torch.Tensor) [2]int64 { return [2]int64{t.Size(-2), t.Size(-1)} }
	if s.Image != nil {
		add("Image", last(s.Image))
	}
	if s.Boxes.Tensor != nil {
		add("Boxes", s.Boxes.CanvasSize)
	}
	if s.Mask.Tensor != nil {
		add("Mask", last(s.Mask.Tensor))
	}
	if s.KeyPoints.Tensor != nil {
		add("KeyPoints", s.KeyPoints.CanvasSize)
	}
	if first == "" {
		panic(torch.NewError(op, torch.ErrValue, "s", "has no image, boxes, mask or key points"))
	}
	return size[0], size[1]
}

// apply returns fn(s), with views in place of tensors of s. It frees the temporaries of fn.
func apply(op string, s Sample, fn func(s Sample) Sample) Sample {
	s.check(op)
	return tidy(s, fn)
}

// tidy is apply without checks.
func tidy(s Sample, fn func(s Sample) Sample) Sample {
	var out Sample
	results := torch.TidyAll(func() []*torch.Tensor {
		in := s.tensors()
		out = fn(s)
		var results []*torch.Tensor
		out = out.replace(func(t *torch.Tensor) *torch.Tensor {
			if slices.Contains(in, t) || slices.Contains(results, t) {
				t = t.ViewAs(t)
			}
			results = append(results, t)
			return t
		})
		return results
	})
	i := 0
	return out.replace(func(*torch.Tensor) *torch.Tensor {
		i++
		return results[i-1]
	})
}

// there panics with ErrNil for a nil receiver of Forward.
func there(ok bool, name string) {
	if !ok {
		panic(torch.NewError("transforms."+name+".Forward", torch.ErrNil, "receiver", "a nil *transforms."+name))
	}
}

// release frees the tensors of a sample that no longer has a use: those that are not in the argument
// of the transform, nor in the next sample.
func release(s, argument, next Sample) {
	keep := append(argument.tensors(), next.tensors()...)
	for _, t := range s.tensors() {
		if !slices.Contains(keep, t) {
			own.Release(t)
		}
	}
}
