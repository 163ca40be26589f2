// Package imageops has the functions of torchvision.transforms.functional for tensors,
// with names in Go's style. Package transforms has the same operations as values, which
// can be chained and draw random arguments.
//
//	small := imageops.Resize(image, 256)
//	middle := imageops.CenterCrop(small, 224)
//	x := imageops.Normalize(imageops.ConvertImageDType(middle, torch.Float32), mean, std)
//
// # Images
//
// An image is a tensor of shape (..., C, H, W): any number of batch dimensions, one
// channel (gray) or three (red, green, blue), rows and columns. Sizes and positions are
// in pixels, rows first: (height, width) and (top, left); points are (x, y). Values are
// bytes from 0 to 255 or floating-point numbers from 0 to 1. Most functions also take
// other integers, from 0 to the dtype's largest value. Results have the dtype and device
// of the image unless the function says otherwise. Floating-point images support
// gradients, except through [AdjustHue] with libtorch 2.11.
//
// # Results
//
// Results equal those of torchvision.transforms.v2 on tensors: the same operators run in
// the same order. Every function returns a new tensor, owned by the innermost scope or
// else by the garbage collector, and frees its temporaries. If there is nothing to do,
// Python returns the image itself; here the result is a new tensor that shares the
// image's memory. Crops share the image's memory too. Image and result may be closed in
// any order. [Normalize] and [Erase] with [Inplace] change the image and return it.
//
// # Errors
//
// All functions panic with ErrNil or ErrClosed for a nil or closed tensor, with ErrShape
// for a tensor that is not an image, with ErrDType for bools and complex numbers, and
// with ErrNil or ErrValue for a nil or invalid option.
package imageops
