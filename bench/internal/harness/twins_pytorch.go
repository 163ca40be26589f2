package harness

import "slices"

// pytorchTwins are the pairs of examples/pytorch, PyTorch's own examples. Each kind of
// example has a file.
func pytorchTwins() []Twin {
	return slices.Concat(pytorchMNISTTwins(), pytorchTextTwins(), pytorchPicturesTwins(), pytorchVisionTwins())
}
