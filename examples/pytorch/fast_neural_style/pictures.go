package main

import (
	"fmt"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// squares cuts all images into uint8 squares (N, 3, size, size), row by row.
func (c *config) squares() (cut *torch.Tensor, err error) {
	paths, err := filepath.Glob(c.data)
	if err != nil {
		return nil, err
	}
	cut = torch.Tidy(func() *torch.Tensor {
		var pictures, all []*torch.Tensor
		for _, path := range paths {
			var picture *torch.Tensor
			if picture, err = data.ReadImage(path, data.ImageReadModeRGB); err != nil {
				return nil
			}
			pictures = append(pictures, picture)
		}
		if c.data == "" {
			pictures = append(pictures, madeUpContent(c.size))
		}
		for _, picture := range pictures {
			for y := c.size; y <= picture.Size(1); y += c.size {
				for x := c.size; x <= picture.Size(2); x += c.size {
					all = append(all, picture.Narrow(1, y-c.size, c.size).Narrow(2, x-c.size, c.size))
				}
			}
		}
		if len(all) == 0 {
			err = fmt.Errorf("-data %q: no image of at least %d x %d pixels", c.data, c.size, c.size)
			return nil
		}
		return torch.Stack(all)
	})
	return cut, err
}

// madeUpContent returns a uint8 image (3, 3 size, 4 size): waves that get shorter to the
// right and to the bottom.
func madeUpContent(size int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		color, y, x := axes(3*size, 4*size)
		return wave(y.Mul(x).FloorDivideScalar(16).Add(color.MulScalar(170)))
	})
}

// madeUpStyle returns a uint8 image (3, size, size) with horizontal, vertical and
// diagonal stripes, each in its own color.
func madeUpStyle(size int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		_, y, x := axes(size, size)
		return wave(torch.Cat([]*torch.Tensor{
			y.MulScalar(40).Add(x.MulScalar(4)), x.MulScalar(40).Add(y.MulScalar(4)),
			x.Sub(y).MulScalar(24),
		}))
	})
}

// axes returns the indices of colors, rows and columns. Their shapes broadcast to (colors,
// h, w).
func axes(h, w int64) (color, y, x *torch.Tensor) {
	return torch.Arange(3).View(3, 1, 1), torch.Arange(h).View(1, h, 1), torch.Arange(w).View(1, 1, w)
}

// wave maps whole numbers to bytes that fall from 255 to 0 and rise again, repeatedly.
func wave(x *torch.Tensor) *torch.Tensor {
	return x.RemainderScalar(510).SubScalar(255).Abs().To(torch.Uint8)
}

// openStyle reads the style image, or generates one if no file is named. The result is
// (1, 3, H, W), with values from 0 to 255.
func (c *config) openStyle() (*torch.Tensor, error) {
	return open(c.style, func() (*torch.Tensor, error) { return madeUpStyle(c.size), nil },
		func(picture *torch.Tensor) *torch.Tensor {
			if c.styleSize > 0 {
				return F.Interpolate(picture, F.Size(c.styleSize), F.ModeBilinear, F.Antialias(true))
			}
			return picture
		})
}

// openContent reads the image to redraw. If no file is named, it returns the first square
// of the training images.
func (c *config) openContent() (*torch.Tensor, error) {
	first := func() (*torch.Tensor, error) {
		squares, err := c.squares()
		if err != nil {
			return nil, err
		}
		return squares.Index(0), nil
	}
	return open(c.content, first, func(picture *torch.Tensor) *torch.Tensor {
		if c.contentScale != 1 {
			return F.Interpolate(picture, F.ScaleFactor(1/c.contentScale), F.ModeBilinear, F.Antialias(true))
		}
		return picture
	})
}

// open reads the image at path, or calls other if path is empty. Then it resizes the
// image.
func open(path string, other func() (*torch.Tensor, error),
	resized func(*torch.Tensor) *torch.Tensor,
) (picture *torch.Tensor, err error) {
	picture = torch.Tidy(func() *torch.Tensor {
		var read *torch.Tensor
		if path == "" {
			read, err = other()
		} else {
			read, err = data.ReadImage(path, data.ImageReadModeRGB)
		}
		if err != nil {
			return nil
		}
		return resized(read.Contiguous().Unsqueeze(0).To(torch.Float32))
	})
	return picture, err
}

// redraw draws the content image in the style. It writes the result to the file
// -output-image. To -samples it writes the content, the style and the result side by
// side.
func (c *config) redraw(model *nn.Sequential, device torch.Device) (err error) {
	if c.output == "" && c.samples == "" {
		return nil
	}
	content, err := c.openContent()
	if err != nil {
		return err
	}
	var drawn *torch.Tensor
	torch.NoGrad(func() { drawn = model.Forward(content.To(device)).To(torch.CPU) })
	if c.output != "" {
		if err := data.WritePNG(bytes(drawn), c.output); err != nil {
			return err
		}
	}
	if c.samples == "" {
		return nil
	}
	style, err := c.openStyle()
	if err != nil {
		return err
	}
	return data.WritePNG(bytes(beside(content, style, drawn)), c.samples)
}

// bytes converts an image (1, 3, H, W) of floats to uint8 (3, H, W).
func bytes(picture *torch.Tensor) *torch.Tensor {
	return picture.Index(0).Clamp(0, 255).To(torch.Uint8)
}

// beside puts images in a row on a white background.
func beside(pictures ...*torch.Tensor) *torch.Tensor {
	const gap = 8
	var height int64
	for _, p := range pictures {
		height = max(height, p.Size(2))
	}
	for i, p := range pictures {
		right := int64(gap)
		if i == len(pictures)-1 {
			right = 0
		}
		pictures[i] = F.Pad(p, []int64{0, right, 0, height - p.Size(2)}, F.Value(255))
	}
	return torch.Cat(pictures, 3)
}
