package harness

import "slices"

// pytorchTwins are the pairs of examples/pytorch, PyTorch's own examples, a file for each kind.
func pytorchTwins() []Twin {
	return slices.Concat(pytorchMNISTTwins(), pytorchTextTwins(), pytorchPicturesTwins(), pytorchVisionTwins())
}
