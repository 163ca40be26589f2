package main

import (
	"fmt"
	"path/filepath"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// open returns pairs of small and large squares from all images. Every eighth pair goes
// to the test set, and the other pairs go to the training set.
func (c *config) open() (learned, tested *data.TensorDataset, err error) {
	if c.factor < 1 || c.crop < c.factor || c.crop%c.factor != 0 {
		return nil, nil, fmt.Errorf("-crop must be a multiple of -upscale-factor; got %d and %d", c.crop,
			c.factor)
	}
	torch.Scope(func() {
		var squares []*torch.Tensor
		if squares, err = c.squares(); err != nil {
			return
		}
		large := torch.Stack(squares)
		small := F.Interpolate(large, F.Size(c.crop/c.factor), F.ModeBilinear, F.Antialias(true))
		i := torch.Arange(large.Size(0)).RemainderScalar(8)
		of := func(mask *torch.Tensor) *data.TensorDataset {
			return data.NewTensorDataset(torch.Disown(small.Index(mask)), torch.Disown(large.Index(mask)))
		}
		learned, tested = of(i.NeScalar(7)), of(i.EqScalar(7))
	})
	return learned, tested, err
}

// squares cuts the brightness of all images into squares (1, crop, crop), row by row.
func (c *config) squares() (list []*torch.Tensor, err error) {
	if c.data == "" {
		return c.cut(list, madeUp(c.crop)), nil
	}
	paths, err := filepath.Glob(c.data)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		picture, err := data.ReadImage(path, data.ImageReadModeRGB)
		if err != nil {
			return nil, err
		}
		list = c.cut(list, brightness(picture))
		_ = picture.Close()
	}
	if len(list) < 8 {
		return nil, fmt.Errorf("-data %q: got %d squares of %d pixels, expected at least 8", c.data, len(list), c.crop)
	}
	return list, nil
}

// cut appends the squares of one image to list.
func (c *config) cut(list []*torch.Tensor, picture *torch.Tensor) []*torch.Tensor {
	for y := c.crop; y <= picture.Size(1); y += c.crop {
		for x := c.crop; x <= picture.Size(2); x += c.crop {
			list = append(list, picture.Narrow(1, y-c.crop, c.crop).Narrow(2, x-c.crop, c.crop))
		}
	}
	return list
}

// brightness converts a uint8 image (3, H, W) to (1, H, W), with values from 0 to 1.
func brightness(picture *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		weights := torch.FromSlice([]float32{0.299, 0.587, 0.114}, 3, 1, 1)
		return picture.To(torch.Float32).Mul_(weights).Sum(torch.Dim(0), torch.KeepDim(true)).DivScalar_(255)
	})
}

// madeUp generates an image (1, 6 crop, 8 crop). It shows waves that get shorter to the
// right and to the bottom.
func madeUp(crop int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		y, x := torch.Arange(6*crop, torch.Float32).View(1, -1, 1), torch.Arange(8*crop, torch.Float32)
		return y.Mul(x).DivScalar_(10 * crop).Sin_().MulScalar_(0.5).AddScalar_(0.5)
	})
}
