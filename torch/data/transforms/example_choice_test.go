package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Apply all transforms, or none.
func ExampleRandomApply() {
	maybe := transforms.NewRandomApply([]transforms.Transform{transforms.NewRandomInvert(transforms.P(1))},
		transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 255}, 1, 1, 3)
		fmt.Println(maybe.Forward(image).Flatten())
	})
	// Output: tensor([255, 155,   0], dtype=torch.uint8)
}

// Apply one transform.
func ExampleRandomChoice() {
	torch.ManualSeed(0)
	either := transforms.NewRandomChoice([]transforms.Transform{
		transforms.NewRandomHorizontalFlip(transforms.P(1)),
		transforms.NewRandomInvert(transforms.P(1)),
	})
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 255}, 1, 1, 3)
		fmt.Println(either.Forward(image).Flatten())
	})
	// Output: tensor([255, 155,   0], dtype=torch.uint8)
}

// Apply all transforms in a random order.
func ExampleRandomOrder() {
	both := transforms.NewRandomOrder(
		transforms.NewRandomHorizontalFlip(transforms.P(1)),
		transforms.NewRandomInvert(transforms.P(1)),
	)
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 255}, 1, 1, 3)
		fmt.Println(both.Forward(image).Flatten())
	})
	// Output: tensor([  0, 155, 255], dtype=torch.uint8)
}

// Augmentations that were learned on ImageNet.
func ExampleAutoAugment() {
	augment := transforms.NewAutoAugment()
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Two augmentations of one strength, drawn for each image.
func ExampleRandAugment() {
	augment := transforms.NewRandAugment(transforms.NumOps(2), transforms.Magnitude(9))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// One augmentation of random strength; there is nothing to tune.
func ExampleTrivialAugmentWide() {
	augment := transforms.NewTrivialAugmentWide()
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Several chains of augmentations, mixed with the image.
func ExampleAugMix() {
	augment := transforms.NewAugMix(transforms.Severity(3))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Each image and its label are mixed with those of its neighbor in the batch.
func ExampleMixUp() {
	torch.ManualSeed(0)
	mix := transforms.NewMixUp(transforms.NumClasses(3))
	torch.Scope(func() {
		images, labels := torch.Rand(torch.Shape{2, 1, 4, 4}), torch.FromSlice([]int64{0, 2})
		x, y := mix.Forward(images, labels)
		fmt.Println(x.Shape(), y.Shape())
		fmt.Printf("%.1f\n", y.Sum(torch.Dim(1)).Float32s())
	})
	// Output:
	// (2, 1, 4, 4) (2, 3)
	// [1.0 1.0]
}

// A part of each image is replaced by that of its neighbor in the batch.
func ExampleCutMix() {
	mix := transforms.NewCutMix(transforms.NumClasses(3))
	torch.Scope(func() {
		images, labels := torch.Rand(torch.Shape{2, 1, 4, 4}), torch.FromSlice([]int64{0, 2})
		x, y := mix.Forward(images, labels)
		fmt.Println(x.Shape(), y.Shape())
	})
	// Output: (2, 1, 4, 4) (2, 3)
}
