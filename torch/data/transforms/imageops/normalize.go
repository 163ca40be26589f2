package imageops

import (
	"fmt"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Normalize returns (image - mean) / std for each channel. mean and std have one number per
// channel, or one for all channels. With [Inplace] it changes the image and returns it. It
// panics with ErrDType unless image is floating point, and with ErrValue for other lengths
// of mean and std and for a std of 0. Follows torchvision.transforms.functional.normalize.
func Normalize(image *torch.Tensor, mean, std []float64, opts ...InplaceOption) *torch.Tensor {
	const op = "imageops.Normalize(image)"
	inplace := readInplace(op, opts)
	c, _, _ := sizes(op, image)
	if !image.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "image",
			fmt.Sprintf("expected floating-point numbers, got %v; use ToTensor or ToDType first", image.DType())))
	}
	for k, list := range [][]float64{mean, std} {
		if n := int64(len(list)); n != 1 && n != c {
			arg := []string{"mean", "std"}[k]
			panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected one number or %d, got %d", c, n)))
		}
	}
	for _, v := range std {
		if v == 0 {
			panic(torch.NewError(op, torch.ErrValue, "std", "expected numbers other than 0"))
		}
	}
	m := perChannel(mean, image)
	defer closeAll(m)
	s := perChannel(std, image)
	defer closeAll(s)
	out := image
	if inplace {
		out.Sub_(m)
	} else {
		out = image.Sub(m)
	}
	return out.Div_(s)
}

func perChannel(list []float64, like *torch.Tensor) *torch.Tensor {
	return torch.FromSliceWith(list, torch.Shape{int64(len(list)), 1, 1}, like.DType(), like.Device())
}

func readInplace(op string, opts []InplaceOption) (inplace bool) {
	return bool(common.Read(op, opts, Inplace(false)))
}

// Erase returns a copy of image in which v replaces the h x w pixels that begin at row i and
// column j. v is a tensor that broadcasts to (..., C, h, w). With [Inplace] it changes
// the image and returns it. The image may also be (H, W). It panics with ErrIndex for a
// part outside of the image, and with ErrShape if v does not broadcast. Follows
// torchvision.transforms.functional.erase.
func Erase(image *torch.Tensor, i, j, h, w int64, v *torch.Tensor, opts ...InplaceOption) *torch.Tensor {
	const op = "imageops.Erase(image, v)"
	inplace := readInplace(op, opts)
	v.HandleFor(op, 1)
	height, width := size(op, image)
	if i < 0 || j < 0 || h < 0 || w < 0 || i > height || j > width || h > height-i || w > width-j {
		panic(torch.NewError(op, torch.ErrIndex, "h",
			fmt.Sprintf("%d x %d pixels at (%d, %d) exceed the image of %d x %d", h, w, i, j, height, width)))
	}
	if inplace {
		erase(image, i, j, h, w, v)
		return image
	}
	return torch.Tidy(func() *torch.Tensor { return erase(image.Clone(), i, j, h, w, v) })
}

func erase(x *torch.Tensor, i, j, h, w int64, v *torch.Tensor) *torch.Tensor {
	part := box(x, i, j, h, w)
	defer closeAll(part)
	part.Copy_(v)
	return x
}

// ToDType converts image to dtype. With [WithScale] it maps the range of the image's
// dtype to the range of dtype: the byte 255 becomes 1.0, and floating-point numbers are
// multiplied by slightly less than 256 to become bytes. The result shares the image's
// memory if it already has the dtype. It panics with ErrDType for bools and complex
// numbers. With WithScale it also panics with ErrDType for integers that the
// floating-point dtype cannot represent: Float32 to Int32 or Int64 and Float64 to Int64.
// Follows torchvision.transforms.v2.functional.to_dtype.
func ToDType(image *torch.Tensor, dtype torch.DType, opts ...ToDTypeOption) *torch.Tensor {
	const op = "imageops.ToDType(image)"
	return convertDType(op, image, dtype, bool(common.Read(op, opts, WithScale(false))))
}

// ConvertImageDType is [ToDType] with [WithScale].
// Follows torchvision.transforms.functional.convert_image_dtype.
func ConvertImageDType(image *torch.Tensor, dtype torch.DType) *torch.Tensor {
	return convertDType("imageops.ConvertImageDType(image)", image, dtype, true)
}

func convertDType(op string, x *torch.Tensor, d torch.DType, scale bool) *torch.Tensor {
	x.HandleFor(op, 0)
	opt.CheckDType(op, x)
	if !d.IsFloatingPoint() && valueBits(d) == 0 {
		panic(torch.NewError(op, torch.ErrDType, "dtype",
			fmt.Sprintf("expected floating-point numbers or integers, got %v", d)))
	}
	switch {
	case x.DType() == d:
		return viewOf(x)
	case scale:
		return scaleRange(op, x, d)
	}
	return x.To(d)
}

// scaleRange converts x to d, and maps the range of x's dtype to the range of d. If x has
// dtype d, it returns x.
func scaleRange(op string, x *torch.Tensor, d torch.DType) *torch.Tensor {
	from := x.DType()
	switch {
	case from == d:
		return x
	case from.IsFloatingPoint() && d.IsFloatingPoint():
		return x.To(d)
	case from.IsFloatingPoint():
		if from == torch.Float32 && (d == torch.Int32 || d == torch.Int64) ||
			from == torch.Float64 && d == torch.Int64 {
			panic(torch.NewError(op, torch.ErrDType, "dtype", fmt.Sprintf("%v cannot represent every %v", from, d)))
		}
		// Multiply by slightly less than the number of values, so that 1 maps to the
		// largest value, and all values get nearly equal shares.
		const below = 1e-3
		return toDType(x.MulScalar(float64(maxValue(d))+1-below), d)
	case d.IsFloatingPoint():
		return x.To(d).MulScalar_(1 / float64(maxValue(from)))
	}
	return shiftBits(x, d)
}

// shiftBits converts images between integer dtypes of different widths, by shifting the
// bits.
func shiftBits(x *torch.Tensor, d torch.DType) *torch.Tensor {
	from := x.DType()
	bits := valueBits(d) - valueBits(from)
	switch {
	case bits < 0 && from == torch.Uint16: // libtorch has no shifts for uint16
		return toDType(x.DivScalar(int64(1)<<-bits), d)
	case bits < 0:
		return toDType(x.BitwiseRightShiftScalar(-bits), d)
	case d == torch.Uint16:
		return step(x.To(d), func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(int64(1) << bits) })
	}
	return x.To(d).BitwiseLeftShiftScalar_(bits)
}

// PermuteChannels permutes the channels of image: channel i of the result is channel
// permutation[i]. The result is a new tensor. It panics with ErrValue unless permutation
// has as many numbers as image has channels, and with ErrIndex for an invalid channel.
// Follows torchvision.transforms.v2.functional.permute_channels.
func PermuteChannels(image *torch.Tensor, permutation []int64) *torch.Tensor {
	const op = "imageops.PermuteChannels(image)"
	c, _, _ := sizes(op, image)
	list := opt.Ints(op, "permutation", permutation, int(c))
	for _, i := range list {
		if i < 0 || i >= c {
			panic(torch.NewError(op, torch.ErrIndex, "permutation",
				fmt.Sprintf("%d is out of range for %d channels", i, c)))
		}
	}
	index := torch.FromSliceWith(list, nil, image.Device())
	defer closeAll(index)
	return image.IndexSelect(-3, index)
}
