package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Chain transforms for training. data.WithTransform passes the chain to a dataset, which
// applies it to each image. The loader frees the results with the batch.
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

// Resize the shorter side to 4 pixels, and keep the aspect ratio.
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

// Crop the four corners and the center.
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

// Crop the image and its mirror image as FiveCrop does.
func ExampleTenCrop() {
	crops := transforms.NewTenCrop(2)
	torch.Scope(func() {
		image := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 4, 4)
		fmt.Println(len(crops.Crops(image)))
	})
	// Output: 10
}

// Add a black border of one pixel.
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

// Crop a square of 2 x 2 pixels at a random position.
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

// Crop a random part of 8 to 100 percent of the image and resize it, the usual first step
// for photos.
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

// Rotate by an angle from a range. This range contains only one angle, a quarter turn.
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

// Rotate by up to 10 degrees, and translate by up to a tenth of the size.
func ExampleRandomAffine() {
	affine := transforms.NewRandomAffine(10, transforms.Translate(0.1, 0.1))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 8, 8}, 100, torch.Uint8)
		fmt.Println(affine.Forward(image).Shape())
	})
	// Output: (3, 8, 8)
}

// Change the perspective, as if the image were seen from the side. With probability 0,
// nothing changes.
func ExampleRandomPerspective() {
	perspective := transforms.NewRandomPerspective(transforms.P(0))
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 2, 2)
		fmt.Println(perspective.Forward(image).Float32s())
	})
	// Output: [1 2 3 4]
}

// Deform the image smoothly, as if it were printed on rubber.
func ExampleElasticTransform() {
	elastic := transforms.NewElasticTransform(transforms.Alpha(30))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{1, 64, 64}, 100, torch.Uint8)
		fmt.Println(elastic.Forward(image).Shape())
	})
	// Output: (1, 64, 64)
}
