// Package transforms has torchvision's transforms for images together with their bounding boxes,
// masks and key points. A transform that changes the geometry of the image changes all of them in
// the same way. Import the package as tv, because programs also need the image transforms of
// package torch/data/transforms:
//
//	import tv "github.com/gotorch/gotorch/vision/transforms"
//
//	train := tv.NewCompose(
//		tv.NewImageOnly(transforms.NewColorJitter(transforms.Brightness(0.2))),
//		tv.NewRandomIoUCrop(),
//		tv.NewRandomHorizontalFlip(),
//		tv.NewSanitizeBoundingBoxes(),
//	)
//	s := train.Forward(tv.Sample{
//		Image:  image, // (3, H, W)
//		Boxes:  tv.BoundingBoxes{Tensor: boxes, Format: tv.BoundingBoxFormatXYXY, CanvasSize: [2]int64{h, w}},
//		Labels: labels, // (N)
//	})
//
// Results equal those of torchvision.transforms.v2 on tensors, with the same random numbers after
// the same torch.ManualSeed. Rotated boxes and videos are not supported.
//
// # Ownership
//
// Forward returns new tensors, owned by the innermost scope or else by the garbage collector, and
// frees its temporaries. A tensor that does not change shares the memory of the argument's tensor:
// close both.
//
// # Goroutines and errors
//
// A transform keeps no state between calls, so any number of goroutines may use it. Constructors
// panic with ErrValue for arguments that are invalid for every sample, with ErrType for sizes of
// other types, and with ErrNil for nil options. Forward panics with ErrShape, ErrDType or ErrValue
// for a Sample whose parts are invalid, and with ErrShape if a transform needs the size of the image
// and the sizes of the parts differ.
package transforms
