// Package transforms has the transforms of torchvision for images that are tensors:
// values with a Forward, which [NewCompose] puts one after the other.
//
//	train := transforms.NewCompose(
//		transforms.NewRandomResizedCrop(224),
//		transforms.NewRandomHorizontalFlip(),
//		transforms.NewToTensor(),
//		transforms.NewNormalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}),
//	)
//	set, err := data.NewImageFolder(root, data.WithTransform(train))
//
// Package functional, below, has what they do as functions; its page says what an image
// is, and whose the results are: each Forward returns a tensor of its own, owned by the
// innermost scope, else by the collector, and frees what it made on the way. Where
// nothing is to be done the result shares the image's memory.
//
// # Draws
//
// Transforms whose names begin with Random, and a few others, draw numbers from
// PyTorch's default generator of the CPU, in the order of torchvision.transforms.v2:
// after the same torch.ManualSeed they do the same. They do so for each image, and for a
// batch of images once, so that all its images are transformed alike. The transforms of
// torchvision.transforms (v1) draw the same numbers, with these exceptions: v1's
// RandomChoice and RandomOrder draw from Python's own generator, which is not here; its
// AutoAugment, RandAugment, TrivialAugmentWide and AugMix draw in another order; and its
// RandomCrop draws both positions where one side of the image has the size of the crop.
//
// # Goroutines
//
// A transform keeps nothing between calls, so any number of goroutines may use it, each
// with images of its own.
//
// # Errors
//
// Constructors panic with ErrValue for arguments that are wrong for every image, among
// them ranges whose first number is larger than the second, which torchvision warns
// of. Forward panics as the functions of package functional do.
package transforms
