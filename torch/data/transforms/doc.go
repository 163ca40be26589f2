// Package transforms has torchvision's transforms for image tensors. A transform is a
// value with a method Forward; [NewCompose] chains transforms.
//
//	train := transforms.NewCompose(
//		transforms.NewRandomResizedCrop(224),
//		transforms.NewRandomHorizontalFlip(),
//		transforms.NewToTensor(),
//		transforms.NewNormalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}),
//	)
//	set, err := data.NewImageFolder(root, data.WithTransform(train))
//
// Package imageops, below this one, has the same operations as functions; its
// documentation says what an image is. Each Forward returns a new tensor, owned by the
// innermost scope or else by the garbage collector, and frees its temporaries. If there
// is nothing to do, the result shares the image's memory.
//
// # Random numbers
//
// Random transforms draw from PyTorch's default CPU generator in the same order as
// torchvision.transforms.v2, so with the same seed (torch.ManualSeed) they give the same
// results. They draw new numbers for each image, but only once for a batch, so all images
// of a batch are transformed in the same way.
//
// The transforms of torchvision.transforms (v1) draw the same numbers, with these
// exceptions. v1's RandomChoice and RandomOrder draw from Python's own generator. Its
// AutoAugment, RandAugment, TrivialAugmentWide and AugMix draw in a different order. Its
// RandomCrop draws both positions even if one side of the image is as long as the crop.
//
// # Goroutines
//
// A transform keeps no state between calls, so any number of goroutines may use it, each
// with its own images.
//
// # Errors
//
// Constructors panic with ErrValue for arguments that are invalid for every image. These
// include ranges whose first number is larger than the second, for which torchvision only
// warns. Forward panics as the functions of package imageops do.
package transforms
