package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// A training pipeline. data.WithTransform passes it to a dataset, which applies it to
// each image and frees the results with the batch.
func Example() {
	torch.ManualSeed(0)
	train := transforms.NewCompose(
		transforms.NewRandomCrop(6, transforms.Padding(1)),
		transforms.NewRandomHorizontalFlip(),
		transforms.NewToDType(torch.Float32, transforms.WithScale(true)),
		transforms.NewNormalize([]float64{0.5}, []float64{0.25}),
	)
	torch.Scope(func() {
		image := torch.Full(torch.Shape{1, 6, 6}, 255, torch.Uint8)
		x := train.Forward(image)
		fmt.Println(x.Shape(), x.DType(), x.Max().Item())
	})
	// Output: (1, 6, 6) float32 2
}

// The shorter side gets 4 pixels; the aspect ratio stays.
func ExampleResize() {
	resize := transforms.NewResize(4)
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 8, 16}, 100, torch.Uint8)
		fmt.Println(resize.Forward(image).Shape())
	})
	// Output: (3, 4, 8)
}

func ExampleCenterCrop() {
	crop := transforms.NewCenterCrop(2)
	torch.Scope(func() {
		image := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 4, 4)
		fmt.Println(crop.Forward(image))
	})
	// Output:
	// tensor([[[ 5.,  6.],
	//          [ 9., 10.]]])
}

// The four corners and the center.
func ExampleFiveCrop() {
	crops := transforms.NewFiveCrop(2)
	torch.Scope(func() {
		image := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 4, 4)
		for _, c := range crops.Crops(image) {
			fmt.Println(c.Float32s())
		}
	})
	// Output:
	// [0 1 4 5]
	// [2 3 6 7]
	// [8 9 12 13]
	// [10 11 14 15]
	// [5 6 9 10]
}

// The crops of FiveCrop, and of the mirrored image.
func ExampleTenCrop() {
	crops := transforms.NewTenCrop(2)
	torch.Scope(func() {
		image := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 4, 4)
		fmt.Println(len(crops.Crops(image)))
	})
	// Output: 10
}

// A black border of one pixel.
func ExamplePad() {
	pad := transforms.NewPad(1)
	torch.Scope(func() {
		image := torch.Ones(torch.Shape{1, 1, 2})
		fmt.Println(pad.Forward(image))
	})
	// Output:
	// tensor([[[0., 0., 0., 0.],
	//          [0., 1., 1., 0.],
	//          [0., 0., 0., 0.]]])
}

// A square of 2 x 2, anywhere.
func ExampleRandomCrop() {
	torch.ManualSeed(0)
	crop := transforms.NewRandomCrop(2)
	torch.Scope(func() {
		image := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 4, 4)
		fmt.Println(crop.Forward(image))
	})
	// Output:
	// tensor([[[ 8.,  9.],
	//          [12., 13.]]])
}

// A random part of 8 to 100 percent of the image, resized: the usual first step for
// photos.
func ExampleRandomResizedCrop() {
	crop := transforms.NewRandomResizedCrop(4)
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 12, 16}, 100, torch.Uint8)
		fmt.Println(crop.Forward(image).Shape())
	})
	// Output: (3, 4, 4)
}

// With probability 1 every image is mirrored; the default is 0.5.
func ExampleRandomHorizontalFlip() {
	flip := transforms.NewRandomHorizontalFlip(transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(flip.Forward(image).Float32s())
	})
	// Output: [3 2 1]
}

func ExampleRandomVerticalFlip() {
	flip := transforms.NewRandomVerticalFlip(transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 2, 3}, 1, 3, 1)
		fmt.Println(flip.Forward(image).Float32s())
	})
	// Output: [3 2 1]
}

// The angle is drawn from a range, here always a quarter turn.
func ExampleRandomRotation() {
	rotate := transforms.NewRandomRotation([]float64{90, 90})
	torch.Scope(func() {
		image := torch.Arange(0, 4, 1, torch.Float32).Reshape(1, 2, 2)
		fmt.Println(rotate.Forward(image))
	})
	// Output:
	// tensor([[[1., 3.],
	//          [0., 2.]]])
}

// Rotated by up to 10 degrees and translated by up to a tenth of the size.
func ExampleRandomAffine() {
	affine := transforms.NewRandomAffine(10, transforms.Translate(0.1, 0.1))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 8, 8}, 100, torch.Uint8)
		fmt.Println(affine.Forward(image).Shape())
	})
	// Output: (3, 8, 8)
}

// As if seen from the side; with probability 0 nothing changes.
func ExampleRandomPerspective() {
	perspective := transforms.NewRandomPerspective(transforms.P(0))
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 2, 2)
		fmt.Println(perspective.Forward(image).Float32s())
	})
	// Output: [1 2 3 4]
}

// As if printed on rubber.
func ExampleElasticTransform() {
	elastic := transforms.NewElasticTransform(transforms.Alpha(30))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{1, 64, 64}, 100, torch.Uint8)
		fmt.Println(elastic.Forward(image).Shape())
	})
	// Output: (1, 64, 64)
}
