package imageops_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
)

// Flip, crop and resize an image.
func Example() {
	torch.Scope(func() {
		image := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 4, 4)
		fmt.Println(imageops.HFlip(image).Select(1, 0).Float32s())
		fmt.Println(imageops.Crop(image, 1, 2, 2, 2).Float32s())
		fmt.Println(imageops.Resize(image, 2, imageops.Antialias(false)).Shape())
	})
	// Output:
	// [3 2 1 0]
	// [6 7 10 11]
	// (1, 2, 2)
}

// Convert an image of package image to a tensor, and back.
func ExampleToTensor() {
	pic := image.NewGray(image.Rect(0, 0, 2, 1))
	pic.SetGray(1, 0, color.Gray{Y: 51})
	torch.Scope(func() {
		x := imageops.ToTensor(pic)
		fmt.Println(x.Shape(), x.Float32s())
		fmt.Println(imageops.ToPILImage(x).At(1, 0))
	})
	// Output:
	// (1, 1, 2) [0 0.2]
	// {51}
}
