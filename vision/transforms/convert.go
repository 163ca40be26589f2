package transforms

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// ConvertBoundingBoxFormat converts boxes to a format. Follows
// torchvision.transforms.v2.ConvertBoundingBoxFormat.
type ConvertBoundingBoxFormat struct{ format BoundingBoxFormat }

// NewConvertBoundingBoxFormat returns a ConvertBoundingBoxFormat. It panics with ErrValue for an
// unknown format.
func NewConvertBoundingBoxFormat(format BoundingBoxFormat) *ConvertBoundingBoxFormat {
	format.check("transforms.NewConvertBoundingBoxFormat", "format")
	return &ConvertBoundingBoxFormat{format}
}

// Forward returns the sample with converted boxes, if it has any.
func (c *ConvertBoundingBoxFormat) Forward(s Sample) Sample {
	there(c != nil, "ConvertBoundingBoxFormat")
	return apply("transforms.ConvertBoundingBoxFormat(s)", s, func(s Sample) Sample {
		if s.Boxes.Tensor != nil {
			s.Boxes = s.Boxes.convert(c.format)
		}
		return s
	})
}

// String returns the settings as Python prints them.
func (c *ConvertBoundingBoxFormat) String() string {
	if c == nil {
		return "ConvertBoundingBoxFormat(nil)"
	}
	return repr("ConvertBoundingBoxFormat", "format="+string(c.format))
}

// ClampBoundingBoxes limits boxes to the image. Follows torchvision.transforms.v2.ClampBoundingBoxes.
type ClampBoundingBoxes struct{ mode ClampingMode }

// NewClampBoundingBoxes returns a ClampBoundingBoxes. Without a mode, and with ClampingModeAuto, it
// uses the mode of the boxes. It panics with ErrValue for an unknown mode.
func NewClampBoundingBoxes(clampingMode ...ClampingMode) *ClampBoundingBoxes {
	mode := ClampingModeAuto
	for _, m := range clampingMode {
		if mode = m; m != ClampingModeAuto {
			m.check("transforms.NewClampBoundingBoxes", "clampingMode")
		}
	}
	return &ClampBoundingBoxes{mode}
}

// Forward returns the sample with limited boxes, if it has any.
func (c *ClampBoundingBoxes) Forward(s Sample) Sample {
	there(c != nil, "ClampBoundingBoxes")
	return apply("transforms.ClampBoundingBoxes(s)", s, func(s Sample) Sample {
		if s.Boxes.Tensor != nil {
			s.Boxes = s.Boxes.clamp(c.mode)
		}
		return s
	})
}

// String returns the settings as Python prints them.
func (c *ClampBoundingBoxes) String() string {
	switch {
	case c == nil:
		return "ClampBoundingBoxes(nil)"
	case c.mode == ClampingModeNone:
		return repr("ClampBoundingBoxes")
	}
	return repr("ClampBoundingBoxes", "clamping_mode="+string(c.mode))
}

// ClampKeyPoints moves key points outside of the image to its border. Follows
// torchvision.transforms.v2.ClampKeyPoints.
type ClampKeyPoints struct{}

// NewClampKeyPoints returns a ClampKeyPoints.
func NewClampKeyPoints() *ClampKeyPoints { return new(ClampKeyPoints) }

// Forward returns the sample with limited key points, if it has any.
func (*ClampKeyPoints) Forward(s Sample) Sample {
	return apply("transforms.ClampKeyPoints(s)", s, func(s Sample) Sample {
		if s.KeyPoints.Tensor == nil {
			return s
		}
		d := s.KeyPoints.Tensor.DType()
		t := s.KeyPoints.Tensor
		if d.IsFloatingPoint() {
			t = t.Clone()
		} else {
			t = t.Float()
		}
		for i := range int64(2) {
			part(t, i, 1).ClampMin_(0).ClampMax_(s.KeyPoints.CanvasSize[1-i] - 1)
		}
		s.KeyPoints.Tensor = t.To(d)
		return s
	})
}

// String returns "ClampKeyPoints()".
func (*ClampKeyPoints) String() string { return "ClampKeyPoints()" }

// SetClampingMode sets the ClampingMode of boxes. Follows torchvision.transforms.v2.SetClampingMode.
type SetClampingMode struct{ mode ClampingMode }

// NewSetClampingMode returns a SetClampingMode. It panics with ErrValue for an unknown mode.
func NewSetClampingMode(clampingMode ClampingMode) *SetClampingMode {
	const op = "transforms.NewSetClampingMode"
	if clampingMode == "" {
		panic(torch.NewError(op, torch.ErrValue, "clampingMode", fmt.Sprintf("expected a mode, got %q", "")))
	}
	clampingMode.check(op, "clampingMode")
	return &SetClampingMode{clampingMode}
}

// Forward returns the sample with boxes of the mode.
func (c *SetClampingMode) Forward(s Sample) Sample {
	there(c != nil, "SetClampingMode")
	return apply("transforms.SetClampingMode(s)", s, func(s Sample) Sample {
		s.Boxes.ClampingMode = c.mode
		return s
	})
}

// String returns the settings as Python prints them.
func (c *SetClampingMode) String() string {
	switch {
	case c == nil:
		return "SetClampingMode(nil)"
	case c.mode == ClampingModeNone:
		return repr("SetClampingMode")
	}
	return repr("SetClampingMode", "clamping_mode="+string(c.mode))
}
