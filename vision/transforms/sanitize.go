package transforms

import (
	"fmt"
	"slices"
	"strings"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// SanitizeBoundingBoxes removes boxes that are too small or outside of the image, with their labels and
// masks. Follows torchvision.transforms.v2.SanitizeBoundingBoxes.
type SanitizeBoundingBoxes struct {
	minSize, minArea float64
	labels           []string
}

// NewSanitizeBoundingBoxes returns a SanitizeBoundingBoxes. It panics with ErrValue for a [MinSize]
// or a [MinArea] less than 1.
func NewSanitizeBoundingBoxes(opts ...SanitizeBoundingBoxesOption) *SanitizeBoundingBoxes {
	const op = "transforms.NewSanitizeBoundingBoxes"
	size, area, labels := common.Read3(op, opts, MinSize(1), MinArea(1), LabelsGetter{"Labels"})
	for arg, v := range map[string]float64{"MinSize": float64(size), "MinArea": float64(area)} {
		if !(v >= 1) {
			panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected at least 1, got %v", v)))
		}
	}
	return &SanitizeBoundingBoxes{float64(size), float64(area), slices.Clone(labels)}
}

// Forward returns the sample without the invalid boxes. A mask of shape (N, H, W), where N is the number
// of boxes, loses the same entries. It panics with ErrValue for a sample without boxes or without a
// tensor that [LabelsGetter] names, and with ErrShape if such a tensor does not have one entry for each box.
func (r *SanitizeBoundingBoxes) Forward(s Sample) Sample {
	there(r != nil, "SanitizeBoundingBoxes")
	const op = "transforms.SanitizeBoundingBoxes(s)"
	return apply(op, s, func(s Sample) Sample {
		if s.Boxes.Tensor == nil {
			panic(torch.NewError(op, torch.ErrValue, "s", "expected boxes"))
		}
		valid := r.valid(s.Boxes)
		n := s.Boxes.Tensor.Size(0)
		s = only(op, s, r.labels, valid)
		s.Boxes.Tensor = s.Boxes.Tensor.Index(valid)
		if m := s.Mask.Tensor; m != nil && m.Dim() > 2 && m.Size(0) == n {
			s.Mask.Tensor = m.Index(valid)
		}
		return s
	})
}

// valid returns for each box whether it stays.
func (r *SanitizeBoundingBoxes) valid(b BoundingBoxes) *torch.Tensor {
	xyxy := converted(b.Tensor, b.format(), BoundingBoxFormatXYXY)
	w := xyxy.Select(1, 2).Sub(xyxy.Select(1, 0))
	h := xyxy.Select(1, 3).Sub(xyxy.Select(1, 1))
	valid := w.GeScalar(r.minSize).LogicalAnd_(h.GeScalar(r.minSize)).LogicalAnd_(w.Mul(h).GeScalar(r.minArea)).
		LogicalAnd_(xyxy.GeScalar(0).All(torch.Dim(1)))
	for i := range int64(4) {
		valid.LogicalAnd_(xyxy.Select(1, i).LeScalar(b.CanvasSize[1-i%2]))
	}
	return valid
}

// only returns s with only the valid entries of the tensors that names lists.
func only(op string, s Sample, names []string, valid *torch.Tensor) Sample {
	some := func(name string, t *torch.Tensor) *torch.Tensor {
		if t.Dim() < 1 || t.Size(0) != valid.Size(0) {
			panic(torch.NewError(op, torch.ErrShape, "s",
				fmt.Sprintf("%s has shape %v, expected %d entries", name, t.Shape(), valid.Size(0))))
		}
		return t.Index(valid)
	}
	s = s.replace(func(t *torch.Tensor) *torch.Tensor { return t }) // copies Extra
	for _, name := range names {
		switch t := s.Extra[name]; {
		case name == "Labels" && s.Labels != nil:
			s.Labels = some(name, s.Labels)
		case t != nil:
			s.Extra[name] = some(name, t)
		case name != "Labels":
			panic(torch.NewError(op, torch.ErrValue, "s", fmt.Sprintf("has no %q in Extra", name)))
		}
	}
	return s
}

// String returns the settings as Python prints them.
func (r *SanitizeBoundingBoxes) String() string {
	if r == nil {
		return "SanitizeBoundingBoxes(nil)"
	}
	labels := ""
	if slices.Equal(r.labels, []string{"Labels"}) {
		labels = "labels_getter=default"
	} else if len(r.labels) > 0 {
		labels = "labels_getter=[" + strings.Join(r.labels, ", ") + "]"
	}
	return repr("SanitizeBoundingBoxes", "min_size="+pyFloats(r.minSize), "min_area="+pyFloats(r.minArea), labels)
}

// SanitizeKeyPoints removes key points outside of the image. If the points are of shape (N, ..., 2), it
// removes each of the N groups of which a point is outside. Follows
// torchvision.transforms.v2.SanitizeKeyPoints.
type SanitizeKeyPoints struct{ labels []string }

// NewSanitizeKeyPoints returns a SanitizeKeyPoints. labelsGetter lists the tensors that lose the
// entries of removed points; without it, there are none.
func NewSanitizeKeyPoints(labelsGetter ...LabelsGetter) *SanitizeKeyPoints {
	r := new(SanitizeKeyPoints)
	for _, names := range labelsGetter {
		r.labels = slices.Clone(names)
	}
	return r
}

// Forward returns the sample without the invalid key points. It panics with ErrValue for a sample without
// key points or without a tensor of labelsGetter, and with ErrShape if such a tensor does not have one
// entry for each group of points.
func (r *SanitizeKeyPoints) Forward(s Sample) Sample {
	there(r != nil, "SanitizeKeyPoints")
	const op = "transforms.SanitizeKeyPoints(s)"
	return apply(op, s, func(s Sample) Sample {
		k := s.KeyPoints
		if k.Tensor == nil {
			panic(torch.NewError(op, torch.ErrValue, "s", "expected key points"))
		}
		t := k.Tensor
		if t.Dim() == 1 {
			t = t.Unsqueeze(0)
		}
		x, y := t.Select(-1, 0), t.Select(-1, 1)
		valid := x.GeScalar(0).LogicalAnd_(x.LtScalar(k.CanvasSize[1])).LogicalAnd_(y.GeScalar(0)).
			LogicalAnd_(y.LtScalar(k.CanvasSize[0]))
		if valid.Dim() > 1 {
			valid = valid.Flatten(1).All(torch.Dim(1))
		}
		s = only(op, s, r.labels, valid)
		s.KeyPoints.Tensor = t.Index(valid)
		return s
	})
}

// String returns the settings.
func (r *SanitizeKeyPoints) String() string {
	switch {
	case r == nil:
		return "SanitizeKeyPoints(nil)"
	case len(r.labels) == 0:
		return repr("SanitizeKeyPoints")
	}
	return repr("SanitizeKeyPoints", "labels_getter=["+strings.Join(r.labels, ", ")+"]")
}
