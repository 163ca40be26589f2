package data

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// FakeData is a [Dataset] of noise images with random labels, for trying a program without
// a real data set. Image i is the same on every call. FakeData is safe for use by several
// goroutines. Follows torchvision.datasets.FakeData.
type FakeData struct {
	size    int
	image   torch.Shape
	classes int64
	offset  int64
}

// A FakeDataOption is an argument of [NewFakeData] that Python takes by keyword:
// [RandomOffset].
//
//gotorch:options RandomOffset
type FakeDataOption interface{ fakeDataOption() }

// RandomOffset is a number that is added to the index of an image. The sum seeds the
// image's random generator. The default is 0. It is random_offset in torchvision.
type RandomOffset int64

// NewFakeData returns a FakeData of size images of shape imageSize (channels, height,
// width) with numClasses classes. In Python these default to 1000, (3, 224, 224) and 10.
// It panics with ErrValue for a negative size, for fewer than 1 class and for a number of
// channels other than 1, 3 or 4, and with ErrShape for an imageSize without three
// dimensions.
func NewFakeData(size int, imageSize torch.Shape, numClasses int64, opts ...FakeDataOption) *FakeData {
	const op = "data.NewFakeData"
	d := &FakeData{
		size: size, image: append(torch.Shape(nil), imageSize...), classes: numClasses,
		offset: int64(opt.Read(op, opts, RandomOffset(0))),
	}
	switch {
	case size < 0:
		panic(torch.NewError(op, torch.ErrValue, "size", fmt.Sprintf("expected 0 or more, got %d", size)))
	case numClasses < 1:
		panic(torch.NewError(op, torch.ErrValue, "numClasses", fmt.Sprintf("expected 1 or more, got %d", numClasses)))
	case len(imageSize) != 3 || imageSize[1] < 1 || imageSize[2] < 1:
		panic(torch.NewError(op, torch.ErrShape, "imageSize",
			fmt.Sprintf("expected (channels, height, width), got %v", imageSize)))
	case imageSize[0] != 1 && imageSize[0] != 3 && imageSize[0] != 4:
		panic(torch.NewError(op, torch.ErrValue, "imageSize",
			fmt.Sprintf("expected 1, 3 or 4 channels, got %d", imageSize[0])))
	}
	return d
}

func (d *FakeData) isMade() bool { return d != nil && d.image != nil }

// Len returns the number of images.
func (d *FakeData) Len() int {
	mustBeMade("data.FakeData.Len", d.isMade())
	return d.size
}

// Get returns image i and its label: Input is uint8 of the image's shape, Target int64 of
// shape (). It draws the same numbers as Python, from a new generator with the seed i plus
// [RandomOffset]. It panics with ErrIndex if i is out of range.
func (d *FakeData) Get(i int) Example {
	const op = "data.FakeData.Get"
	mustBeMade(op, d.isMade())
	if i < 0 || i >= d.size {
		panic(torch.NewError(op, torch.ErrIndex, "i", fmt.Sprintf("%d is out of range for %d examples", i, d.size)))
	}
	g := torch.NewGenerator(torch.CPU)
	g.ManualSeed(uint64(int64(i) + d.offset)) //nolint:gosec // Python wraps negative seeds too
	ts := torch.TidyAll(func() []*torch.Tensor {
		image := torch.Randn(d.image, torch.CPU, torch.Float32, g)
		target := torch.RandInt(0, d.classes, torch.Shape{}, torch.CPU, g)
		return []*torch.Tensor{image.MulScalar_(255).To(torch.Uint8), target}
	})
	return Example{Input: ts[0], Target: ts[1]}
}

// String returns the text that Python prints, such as "Dataset FakeData\n    Number of
// datapoints: 1000".
func (d *FakeData) String() string {
	if !d.isMade() {
		return "FakeData(nil)"
	}
	return fmt.Sprintf("Dataset FakeData\n    Number of datapoints: %d", d.size)
}
