package show

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// An ImagesOption is an option of [Images]: [Columns] or [Scale].
//
//gotorch:options Columns Scale
type ImagesOption interface{ imagesOption() }

// Columns is the number of images per row. The default is 8.
type Columns int

// Scale is the factor by which images are enlarged. The default is 1.
type Scale int

// Images shows images side by side. x has shape (N, C, H, W) with one or three channels,
// (C, H, W) or (H, W). Its values are uint8, or floating-point numbers from 0 to 1;
// numbers outside this range are clamped. It panics with ErrShape for any other shape,
// with ErrDType for any other dtype, with ErrValue for an option below 1, and with ErrNil
// for nil. Follows torchvision.utils.make_grid, including its frames.
func Images(x *torch.Tensor, opts ...ImagesOption) Content {
	const op = "show.Images(x, opts)"
	columns, scale := int64(8), int64(1)
	for _, o := range opts {
		switch o := o.(type) {
		case Columns:
			columns = atLeastOne(op, "Columns", int(o))
		case Scale:
			scale = atLeastOne(op, "Scale", int(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	var picture []byte
	var n int64
	torch.NoGrad(func() {
		torch.Scope(func() {
			pictures := asBytes(op, x)
			n = pictures.Size(0)
			if scale > 1 {
				pictures = pictures.RepeatInterleave(scale, torch.Dim(2)).RepeatInterleave(scale, torch.Dim(3))
			}
			picture = data.EncodePNG(sheet(pictures, columns))
		})
	})
	return Content{Text: fmt.Sprintf("%d pictures of %v", n, x.Shape()[max(0, x.Dim()-3):]), PNG: picture}
}

func atLeastOne(op, name string, n int) int64 {
	if n < 1 {
		panic(torch.NewError(op, torch.ErrValue, "opts", fmt.Sprintf("%s must be at least 1, got %d", name, n)))
	}
	return int64(n)
}

// asBytes returns x as uint8 with four axes.
func asBytes(op string, x *torch.Tensor) *torch.Tensor {
	x.HandleFor(op, 0)
	if d := x.Dim(); d < 2 || d > 4 {
		panic(torch.NewError(op, torch.ErrShape, "x",
			fmt.Sprintf("expected (N, C, H, W), (C, H, W) or (H, W), got %v", x.Shape())))
	}
	x = x.Detach().To(torch.CPU)
	for x.Dim() < 4 {
		x = x.Unsqueeze(0)
	}
	if c := x.Size(1); c != 1 && c != 3 || x.Numel() == 0 {
		panic(torch.NewError(op, torch.ErrShape, "x",
			fmt.Sprintf("expected pictures of one or three channels, got %v", x.Shape())))
	}
	switch {
	case x.IsFloatingPoint():
		return x.MulScalar(255).Round().Clamp(0, 255).To(torch.Uint8)
	case x.DType() == torch.Uint8:
		return x
	}
	panic(torch.NewError(op, torch.ErrDType, "x",
		fmt.Sprintf("expected bytes or floating-point numbers, got %v", x.DType())))
}

// frame is the width of the black frame around each image, in pixels.
const frame = 2

// sheet arranges the images in rows.
func sheet(x *torch.Tensor, columns int64) *torch.Tensor {
	n, c, h, w := x.Size(0), x.Size(1), x.Size(2), x.Size(3)
	columns = min(columns, n)
	rows := (n + columns - 1) / columns
	out := torch.Zeros(torch.Shape{c, rows*(h+frame) + frame, columns*(w+frame) + frame}, torch.Uint8)
	for i := range n {
		top, left := i/columns*(h+frame)+frame, i%columns*(w+frame)+frame
		out.SetIndex(x.Index(i), torch.All, torch.Slice(top, top+h), torch.Slice(left, left+w))
	}
	return out
}
