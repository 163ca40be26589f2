package imageops

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/gotorch/gotorch/torch"
)

// PILToTensor converts an image of package image to a tensor (C, H, W) of bytes, or of
// Uint16 for an *image.Gray16. The number of channels depends on the type:
//
//   - A gray image has one channel.
//   - An image with transparency (NRGBA, NRGBA64, and an RGBA or RGBA64 that is not
//     opaque) has four, with colors that are not premultiplied.
//   - Any other image has three. Palettes and CMYK become red, green and blue, as in
//     torchvision's datasets.
//
// The tensor is a copy. It panics with ErrNil for a nil image and with ErrValue for an
// image without pixels. Follows torchvision.transforms.functional.pil_to_tensor.
func PILToTensor(pic image.Image) *torch.Tensor {
	const op = "imageops.PILToTensor(pic)"
	if pic == nil {
		panic(torch.NewError(op, torch.ErrNil, "pic", "a nil image"))
	}
	b := pic.Bounds()
	w, h := int64(b.Dx()), int64(b.Dy())
	if h <= 0 || w <= 0 {
		panic(torch.NewError(op, torch.ErrValue, "pic",
			fmt.Sprintf("expected an image with pixels, got one of %d x %d", h, w)))
	}
	switch p := pic.(type) {
	case *image.Gray:
		return planes(p.Pix[p.PixOffset(b.Min.X, b.Min.Y):], h, w, int64(p.Stride), 1, 1)
	case *image.Gray16:
		return torch.FromSlice(gray16(p), 1, h, w)
	case *image.NRGBA:
		return planes(p.Pix[p.PixOffset(b.Min.X, b.Min.Y):], h, w, int64(p.Stride), 4, 4)
	case *image.RGBA:
		if p.Opaque() {
			return planes(p.Pix[p.PixOffset(b.Min.X, b.Min.Y):], h, w, int64(p.Stride), 4, 3)
		}
		return withAlpha(p)
	case *image.NRGBA64:
		return withAlpha(p)
	case *image.RGBA64:
		if !p.Opaque() {
			return withAlpha(p)
		}
	}
	if pic.ColorModel() == color.GrayModel {
		gray := image.NewGray(b)
		draw.Draw(gray, b, pic, b.Min, draw.Src)
		return planes(gray.Pix, h, w, int64(gray.Stride), 1, 1)
	}
	rgba := image.NewRGBA(b)
	draw.Draw(rgba, b, pic, b.Min, draw.Src)
	return planes(rgba.Pix, h, w, int64(rgba.Stride), 4, 3)
}

// withAlpha returns a tensor of four channels: the colors of pic and its alpha channel.
func withAlpha(pic image.Image) *torch.Tensor {
	b := pic.Bounds()
	out := image.NewNRGBA(b)
	draw.Draw(out, b, pic, b.Min, draw.Src)
	return planes(out.Pix, int64(b.Dy()), int64(b.Dx()), int64(out.Stride), 4, 4)
}

// planes returns a tensor (c, h, w) of the first c bytes of each n-byte pixel. Rows of pix
// are stride bytes apart; the last row may be shorter.
func planes(pix []byte, h, w, stride, n, c int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		all := torch.FromSliceShared(pix[:(h-1)*stride+w*n])
		return all.AsStrided([]int64{c, h, w}, []int64{1, stride, n}, 0).Clone(torch.ContiguousFormat)
	})
}

func gray16(p *image.Gray16) []uint16 {
	b := p.Bounds()
	list := make([]uint16, 0, b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		line := p.Pix[p.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			list = append(list, uint16(line[2*x])<<8|uint16(line[2*x+1]))
		}
	}
	return list
}

// ToTensor is [PILToTensor] with values scaled to numbers from 0 to 1 of the default
// dtype. Bytes are divided by 255, and 16-bit values by 65535; torchvision does not scale
// 16-bit values. ToTensor panics as PILToTensor does. Follows
// torchvision.transforms.functional.to_tensor.
func ToTensor(pic image.Image) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		x := PILToTensor(pic)
		return x.To(torch.DefaultDType()).DivScalar_(maxValue(x.DType()))
	})
}

// ToPILImage converts a tensor (C, H, W) or (H, W) to an image of package image:
// *image.Gray for one channel, *image.NRGBA for three and four. Floating-point numbers
// are multiplied by 255 and truncated. The image is a copy. It panics with ErrShape for
// other shapes and numbers of channels, and with ErrDType unless the tensor has bytes or
// floating-point numbers. Follows torchvision.transforms.functional.to_pil_image.
func ToPILImage(pic *torch.Tensor) image.Image {
	const op = "imageops.ToPILImage(pic)"
	pic.HandleFor(op, 0)
	shape := pic.Shape()
	if len(shape) == 2 {
		shape = append(torch.Shape{1}, shape...)
	}
	if len(shape) != 3 || shape[0] != 1 && shape[0] != 3 && shape[0] != 4 {
		panic(torch.NewError(op, torch.ErrShape, "pic",
			fmt.Sprintf("expected 1, 3 or 4 channels (C, H, W), got %v", pic.Shape())))
	}
	if pic.DType() != torch.Uint8 && !pic.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "pic",
			fmt.Sprintf("expected bytes or floating-point numbers, got %v", pic.DType())))
	}
	h, w := int(shape[1]), int(shape[2])
	var pix []uint8
	torch.Scope(func() {
		x := pic.Detach().View(shape...)
		if x.IsFloatingPoint() {
			x = x.MulScalar(255).To(torch.Uint8)
		}
		switch shape[0] {
		case 3:
			opaque := torch.Full(torch.Shape{1, shape[1], shape[2]}, 255, torch.Uint8, x.Device())
			x = torch.Cat([]*torch.Tensor{x, opaque}).Permute(1, 2, 0)
		case 4:
			x = x.Permute(1, 2, 0)
		}
		pix = x.Contiguous().Uint8s()
	})
	rect := image.Rect(0, 0, w, h)
	if shape[0] == 1 {
		return &image.Gray{Pix: pix, Stride: w, Rect: rect}
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: rect}
}
