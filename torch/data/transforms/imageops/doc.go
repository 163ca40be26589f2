// Package imageops has the functions of torchvision.transforms.functional on
// tensors, under their names in Go's case. package transforms has them as values
// that a list can hold, and draws their arguments at random.
//
//	small := imageops.Resize(image, 256)
//	middle := imageops.CenterCrop(small, 224)
//	x := imageops.Normalize(imageops.ConvertImageDType(middle, torch.Float32), mean, std)
//
// # Images
//
// An image is a tensor of shape (..., C, H, W): any number of batch dimensions, one
// channel (gray) or three (red, green, blue), rows and columns. Sizes and positions
// are in pixels, rows first: (height, width) and (top, left); points are (x, y).
// Values are bytes from 0 to 255 or floating-point numbers from 0 to 1; most functions
// take other integers too, from 0 to the largest. Results have the dtype and device of
// the image unless the function says otherwise. Gradients flow through floating-point
// images, but not through [AdjustHue] with libtorch 2.11.
//
// # Results
//
// Results are those of torchvision.transforms.v2 on tensors, the same operators in the
// same order. Every function returns a tensor of its own, owned by the innermost scope,
// else by the collector, and frees what it made on the way. Where nothing is to be done
// Python returns the image itself; here it is a new tensor that shares the image's
// memory, as crops and [Erase] with [Inplace] say they do. So image and result are
// always closed separately, in any order.
//
// # Errors
//
// All functions panic with ErrNil or ErrClosed for a tensor that is nil or closed,
// with ErrShape for one that is no image, with ErrDType for bools and complex numbers,
// and with ErrNil or ErrValue for an option that is nil or none of theirs.
package imageops
