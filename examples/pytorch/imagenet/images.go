package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// mean and std are the mean and standard deviation of the colors in ImageNet, where colors
// are scaled to 0..1.
var mean, std = []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}

// images contains the training and validation images. Each image is float32 of shape (3,
// size, size).
type images struct {
	learned, tested data.Dataset
	classes         []string // nil if the classes have no names
}

// open finds the image files. Loaders read them when they need them.
func (c *config) open() (*images, error) {
	if c.dummy {
		noise := func(n int) data.Dataset {
			return data.NewTransformDataset(data.NewFakeData(n, torch.Shape{3, int64(c.size), int64(c.size)}, 1000),
				transforms.NewToTensor())
		}
		return &images{learned: noise(c.examples), tested: noise(c.examples / 25)}, nil
	}
	// Resizing floats gives the same result on every processor; resizing bytes does not.
	float := transforms.NewToDType(torch.Float32, transforms.WithScale(true))
	learned, err := c.folder("train", float, transforms.NewRandomResizedCrop(c.size),
		transforms.NewRandomHorizontalFlip())
	if err != nil {
		return nil, err
	}
	tested, err := c.folder("val", float, transforms.NewResize(c.size*256/224), transforms.NewCenterCrop(c.size))
	if err != nil {
		return nil, err
	}
	return &images{learned, tested, learned.Classes()}, nil
}

// folder returns the transformed and normalized images of one part of the data, train or
// val.
func (c *config) folder(half string, through ...transforms.Transform) (*data.ImageFolder, error) {
	through = append(through, transforms.NewNormalize(mean, std))
	return data.NewImageFolder(filepath.Join(c.data, half), data.WithTransform(transforms.NewCompose(through...)))
}

// draw draws up to twelve validation images with the model's predictions.
func (t *training) draw(im *images) (err error) {
	if t.samples == "" || t.Err() != nil {
		return nil
	}
	n, columns := min(12, im.tested.Len()), 6
	if n%columns != 0 {
		columns = n
	}
	grid := make([][]*plot.Plot, n/columns)
	t.model.Eval()
	torch.NoGrad(func() {
		own := data.Generator(torch.NewGenerator(torch.CPU))
		for batch := range t.loader(im.tested, data.BatchSize(n), data.Shuffle(true), own).All() {
			guesses, targets := t.model.Forward(batch.Input).ArgMax(torch.Dim(1)).Int64s(), batch.Target.Int64s()
			for i, picture := range batch.Input.To(torch.CPU).Unbind() {
				title := im.name(guesses[i])
				if guesses[i] != targets[i] {
					title += ", is " + im.name(targets[i])
				}
				var img image.Image
				if img, err = colored(picture); err != nil {
					return
				}
				grid[i/columns] = append(grid[i/columns], tiles.Picture(title, img))
			}
			break
		}
	})
	if err != nil {
		return err
	}
	return tiles.Save(t.samples, vg.Length(columns)*1.6*vg.Inch, vg.Length(len(grid))*1.9*vg.Inch, grid...)
}

// name returns the name of a class.
func (im *images) name(class int64) string {
	if class < int64(len(im.classes)) {
		return im.classes[class]
	}
	return fmt.Sprint(class)
}

// colored converts a normalized image (3, H, W) to a Go image.
func colored(picture *torch.Tensor) (image.Image, error) {
	var file []byte
	torch.Scope(func() {
		scale, shift := torch.FromSlice(std, 3, 1, 1), torch.FromSlice(mean, 3, 1, 1)
		file = data.EncodePNG(picture.Mul(scale).Add(shift).MulScalar(255).Clamp(0, 255).To(torch.Uint8))
	})
	return png.Decode(bytes.NewReader(file))
}
