package models

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// An ImageEncoder computes features of the patches of an image.
type ImageEncoder interface {
	nn.Module

	// Forward returns features (N, 1+patches, hidden) for pixels (N, channels, height, width),
	// and one row (N, hidden) for each image. The latter is nil if the model has no pooler.
	Forward(pixels *torch.Tensor, opts ...ImageOption) (features, pooled *torch.Tensor)
}

// An ImageClassifier assigns a label to an image.
type ImageClassifier interface {
	nn.Module

	// Forward returns logits (N, labels) for pixels (N, channels, height, width).
	Forward(pixels *torch.Tensor, opts ...ImageOption) *torch.Tensor

	// Labels are the names of the labels.
	Labels() []string
}

// An ImageOption is an option of the forward pass of a model for images:
// [InterpolatePosEncoding].
//
//gotorch:options InterpolatePosEncoding
type ImageOption interface{ imageOption() }

// InterpolatePosEncoding says whether the positions are interpolated, so that images of
// other sizes than the model's can be passed. By default it is false. Follows
// interpolate_pos_encoding.
type InterpolatePosEncoding bool

// ReadImageOptions returns the value of InterpolatePosEncoding. op is the name of the
// function that errors mention.
func ReadImageOptions(op string, opts []ImageOption) (interpolates bool) {
	for _, o := range opts {
		switch o := o.(type) {
		case InterpolatePosEncoding:
			interpolates = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return interpolates
}

// CheckPixels panics with ErrNil or ErrShape if pixels is not (N, channels, height, width).
// Without interpolation it must have the given size, and otherwise at least one patch.
func CheckPixels(op string, pixels *torch.Tensor, channels int64, size, patch Size2D, interpolates bool) {
	if pixels == nil {
		panic(torch.NewError(op, torch.ErrNil, "pixels", "no tensor"))
	}
	s, hint := pixels.Shape(), ""
	ok := len(s) == 4 && s[1] == channels
	if interpolates {
		ok = ok && s[2] >= patch[0] && s[3] >= patch[1]
	} else if ok {
		ok, hint = s[2] == size[0] && s[3] == size[1], "; other sizes need InterpolatePosEncoding"
	}
	if !ok {
		panic(torch.NewError(op, torch.ErrShape, "pixels",
			fmt.Sprintf("expected (N, %d, %d, %d), got %v%s", channels, size[0], size[1], s, hint)))
	}
}

// Size2D is a height and a width: a number or a list of two numbers in JSON.
type Size2D [2]int64

// UnmarshalJSON reads a number or a list of two numbers.
func (s *Size2D) UnmarshalJSON(b []byte) error {
	var one int64
	if string(b) != "null" && json.Unmarshal(b, &one) == nil {
		*s = Size2D{one, one}
		return nil
	}
	var two []int64
	if err := json.Unmarshal(b, &two); err != nil {
		return err
	}
	if len(two) != 2 {
		return fmt.Errorf("expected a number or two, got %s", b)
	}
	*s = Size2D(two)
	return nil
}

// CheckPatches reports an image size that has no patch, or sizes that are too large.
func CheckPatches(image, patch Size2D) error {
	for i, name := range []string{"height", "width"} {
		if patch[i] < 1 || image[i] < patch[i] || image[i] > 1<<20 {
			return fmt.Errorf("image_size and patch_size: the %s is %d with patches of %d", name, image[i], patch[i])
		}
	}
	return nil
}

// Patches returns the number of patches of an image.
func Patches(image, patch Size2D) int64 { return (image[0] / patch[0]) * (image[1] / patch[1]) }

// NewPatchConv returns a convolution that makes features of patches. Its weights are normal
// with a standard deviation of std, and its biases are zero.
func NewPatchConv(channels, features int64, patch Size2D, bias bool, std float64) *nn.Conv2d {
	l := nn.NewConv2d(channels, features, patch[:], nn.Strides(patch[:]), nn.Bias(bias))
	if l.Weight.Device() != torch.Meta {
		nninit.Normal_(l.Weight, 0, std)
		if bias {
			nninit.Zeros_(l.Bias)
		}
	}
	return l
}

// InterpolatePositions returns positions (1, 1+n, C), those of a class token and of a square
// image, for an image of rows times columns patches. It panics with ErrValue if n is no
// square.
func InterpolatePositions(op string, positions *torch.Tensor, rows, columns int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		n, c := positions.Size(1)-1, positions.Size(2)
		side := int64(math.Round(math.Sqrt(float64(n))))
		if side*side != n {
			panic(torch.NewError(op, torch.ErrValue, "InterpolatePosEncoding",
				"the model was not made for square images"))
		}
		x := positions.Narrow(1, 1, n).Reshape(1, side, side, c).Permute(0, 3, 1, 2)
		x = F.Interpolate(x, F.Sizes{rows, columns}, F.ModeBicubic, F.AlignCorners(false))
		return torch.Cat([]*torch.Tensor{positions.Narrow(1, 0, 1), x.Permute(0, 2, 3, 1).Reshape(1, -1, c)}, 1)
	})
}

// An ImageTextOption is an option of the forward pass of a model for texts and images:
// [AttentionMask], [PositionIDs] or [InterpolatePosEncoding].
//
//gotorch:options MaskOption PositionOption InterpolatePosEncoding
type ImageTextOption interface{ imageTextOption() }

// ReadImageTextOptions separates the options for texts from those for images. op is the name
// of the function that errors mention.
func ReadImageTextOptions(op string, opts []ImageTextOption) (text []EncoderOption, image []ImageOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case MaskOption:
			text = append(text, o)
		case PositionOption:
			text = append(text, o)
		case InterpolatePosEncoding:
			image = append(image, o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return text, image
}
