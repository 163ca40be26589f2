package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Apply either all transforms or none.
func ExampleRandomApply() {
	maybe := transforms.NewRandomApply([]transforms.Transform{transforms.NewRandomInvert(transforms.P(1))},
		transforms.P(1))
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 100, 255}, 1, 1, 3)
		fmt.Println(maybe.Forward(image).Flatten())
	})
	// Output: tensor([255, 155,   0], dtype=torch.uint8)
}

// Apply one of two transforms, chosen at random.
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

// Apply augmentations that were learned on ImageNet.
func ExampleAutoAugment() {
	augment := transforms.NewAutoAugment()
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Apply two random augmentations of the same strength, drawn again for each image.
func ExampleRandAugment() {
	augment := transforms.NewRandAugment(transforms.NumOps(2), transforms.Magnitude(9))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Apply one augmentation of random strength. There is no option to tune.
func ExampleTrivialAugmentWide() {
	augment := transforms.NewTrivialAugmentWide()
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Mix the image with the results of several augmentation chains.
func ExampleAugMix() {
	augment := transforms.NewAugMix(transforms.Severity(3))
	torch.Scope(func() {
		image := torch.Full(torch.Shape{3, 16, 16}, 100, torch.Uint8)
		fmt.Println(augment.Forward(image).Shape())
	})
	// Output: (3, 16, 16)
}

// Mix each image and its label with its neighbor in the batch.
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

// Replace a part of each image with the same part of its neighbor in the batch.
func ExampleCutMix() {
	mix := transforms.NewCutMix(transforms.NumClasses(3))
	torch.Scope(func() {
		images, labels := torch.Rand(torch.Shape{2, 1, 4, 4}), torch.FromSlice([]int64{0, 2})
		x, y := mix.Forward(images, labels)
		fmt.Println(x.Shape(), y.Shape())
	})
	// Output: (2, 1, 4, 4) (2, 3)
}
