package transforms

import (
	"fmt"
	"slices"
	"strings"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Compose applies transforms one after the other. Follows torchvision.transforms.v2.Compose.
type Compose struct{ transforms []Transform }

// NewCompose returns a Compose. It panics with ErrValue without transforms and with ErrNil for a nil
// transform.
func NewCompose(transforms ...Transform) *Compose {
	const op = "transforms.NewCompose"
	if len(transforms) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "transforms", "an empty list"))
	}
	for i, t := range transforms {
		if common.IsNil(t) {
			panic(torch.NewError(op, torch.ErrNil, "transforms", fmt.Sprintf("number %d is nil", i)))
		}
	}
	return &Compose{slices.Clone(transforms)}
}

// Forward applies the transforms to s one after the other, and frees their temporaries. A user-defined
// transform that keeps a tensor for later must call [torch.Disown] on it.
func (c *Compose) Forward(s Sample) Sample {
	there(c != nil, "Compose")
	return tidy(s, func(s Sample) Sample {
		out := s
		for _, t := range c.transforms {
			next := t.Forward(out)
			release(out, s, next)
			out = next
		}
		return out
	})
}

// Transforms returns the transforms.
func (c *Compose) Transforms() []Transform {
	if c == nil {
		panic(torch.NewError("transforms.Compose.Transforms", torch.ErrNil, "receiver", "a nil *transforms.Compose"))
	}
	return slices.Clone(c.transforms)
}

// String returns the transforms as Python prints them, one per line.
func (c *Compose) String() string {
	if c == nil {
		return "Compose(nil)"
	}
	return lines("Compose", c.transforms)
}

// lines formats a list of transforms as Python does, one transform per line.
func lines(name string, ts []Transform) string {
	if len(ts) == 1 {
		if s := fmt.Sprint(ts[0]); !strings.Contains(s, "\n") {
			return name + "(    " + s + ")"
		}
	}
	var b strings.Builder
	b.WriteString(name + "(\n")
	for _, t := range ts {
		b.WriteString("      " + strings.ReplaceAll(fmt.Sprint(t), "\n", "\n  ") + "\n")
	}
	b.WriteString(")")
	return b.String()
}

// An ImageTransform maps an image to an image, as the transforms of package
// torch/data/transforms and layers do.
type ImageTransform interface {
	Forward(x *torch.Tensor) *torch.Tensor
}

// ImageOnly applies a transform of images to the image of a sample, and leaves the rest unchanged. It
// is for transforms that do not change the geometry, such as those of colors. In Python, these
// transforms take samples themselves.
type ImageOnly struct{ transform ImageTransform }

// NewImageOnly returns an ImageOnly. It panics with ErrNil for a nil transform.
func NewImageOnly(transform ImageTransform) *ImageOnly {
	if common.IsNil(transform) {
		panic(torch.NewError("transforms.NewImageOnly", torch.ErrNil, "transform", "a nil transform"))
	}
	return &ImageOnly{transform}
}

// Forward applies the transform to the image of s, if it has one.
func (o *ImageOnly) Forward(s Sample) Sample {
	there(o != nil, "ImageOnly")
	return apply("transforms.ImageOnly(s)", s, func(s Sample) Sample {
		if s.Image != nil {
			s.Image = o.transform.Forward(s.Image)
		}
		return s
	})
}

// String returns the transform of images.
func (o *ImageOnly) String() string {
	if o == nil {
		return "ImageOnly(nil)"
	}
	return fmt.Sprint(o.transform)
}
