package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Change brightness and contrast by up to 40 percent.
func ExampleColorJitter() {
	jitter := transforms.NewColorJitter(transforms.Brightness(0.4), transforms.Contrast(0.4))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 4, 4}, 100, torch.Uint8)
		x := jitter.Forward(image)
		fmt.Println(x.Shape(), x.DType())
	})
	// Output: (3, 4, 4) uint8
}

func ExampleGrayscale() {
	gray := transforms.NewGrayscale()
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{255, 0, 0}, 3, 1, 1) // one red pixel
		fmt.Println(gray.Forward(image).Item())
	})
	// Output: 76
}

// The result has as many channels as the image.
func ExampleRandomGrayscale() {
	gray := transforms.NewRandomGrayscale(transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{255, 0, 0}, 3, 1, 1)
		fmt.Println(gray.Forward(image).Flatten())
	})
	// Output: tensor([76, 76, 76], dtype=torch.uint8)
}

// Convert a one-channel image to three channels, which models for color images expect.
func ExampleRGB() {
	rgb := transforms.NewRGB()
	torch.Scope(func() {
		image := torch.Full(torch.Shape{1, 8, 8}, 7, torch.Uint8)
		fmt.Println(rgb.Forward(image).Shape())
	})
	// Output: (3, 8, 8)
}

// The width of the blur is drawn from a range.
func ExampleGaussianBlur() {
	blur := transforms.NewGaussianBlur(3)
	torch.Scope(func() {
		image := torch.Ones(torch.Shape{1, 5, 5})
		fmt.Println(blur.Forward(image).Shape())
	})
	// Output: (1, 5, 5)
}

func ExampleGaussianNoise() {
	torch.ManualSeed(0)
	noise := transforms.NewGaussianNoise(transforms.Sigma(0.1))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{1, 2, 2}, 0.5)
		fmt.Printf("%.2f\n", noise.Forward(image).Float32s())
	})
	// Output: [0.65 0.47 0.28 0.56]
}

// Make a negative of the image.
func ExampleRandomInvert() {
	invert := transforms.NewRandomInvert(transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 255}, 1, 1, 3)
		fmt.Println(invert.Forward(image).Flatten())
	})
	// Output: tensor([255, 155,   0], dtype=torch.uint8)
}

// Keep two bits of each value.
func ExampleRandomPosterize() {
	posterize := transforms.NewRandomPosterize(2, transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 255}, 1, 1, 3)
		fmt.Println(posterize.Forward(image).Flatten())
	})
	// Output: tensor([  0,  64, 192], dtype=torch.uint8)
}

// Invert pixels at or above the threshold.
func ExampleRandomSolarize() {
	solarize := transforms.NewRandomSolarize(128, transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 200}, 1, 1, 3)
		fmt.Println(solarize.Forward(image).Flatten())
	})
	// Output: tensor([  0, 100,  55], dtype=torch.uint8)
}

// Factor 1 leaves the image unchanged, 0 blurs it, 2 sharpens it.
func ExampleRandomAdjustSharpness() {
	sharpen := transforms.NewRandomAdjustSharpness(0, transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 0, 0, 0, 130, 0, 0, 0, 0}, 1, 3, 3)
		fmt.Println(sharpen.Forward(image))
	})
	// Output:
	// tensor([[[ 0,  0,  0],
	//          [ 0, 50,  0],
	//          [ 0,  0,  0]]], dtype=torch.uint8)
}

// Make the darkest pixel black and the lightest almost white.
func ExampleRandomAutocontrast() {
	contrast := transforms.NewRandomAutocontrast(transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{50, 100, 150}, 1, 1, 3)
		fmt.Println(contrast.Forward(image).Flatten())
	})
	// Output: tensor([  0, 127, 254], dtype=torch.uint8)
}

// All brightness levels become about equally frequent.
func ExampleRandomEqualize() {
	equalize := transforms.NewRandomEqualize(transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{10, 20, 30, 40}, 1, 1, 4)
		fmt.Println(equalize.Forward(image).Flatten())
	})
	// Output: tensor([10, 20, 30, 40], dtype=torch.uint8)
}

// Permute the color channels.
func ExampleRandomChannelPermutation() {
	torch.ManualSeed(0)
	permute := transforms.NewRandomChannelPermutation()
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{1, 2, 3}, 3, 1, 1)
		fmt.Println(permute.Forward(image).Flatten())
	})
	// Output: tensor([3, 1, 2], dtype=torch.uint8)
}

// Erase a part of the image.
func ExampleRandomErasing() {
	torch.ManualSeed(0)
	erase := transforms.NewRandomErasing(transforms.P(1))
	torch.Scope(func() {
		image := torch.Ones(torch.Shape{1, 8, 8})
		fmt.Println(erase.Forward(image).Min().Item())
	})
	// Output: 0
}
