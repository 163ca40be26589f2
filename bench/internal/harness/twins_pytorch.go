package harness

import "slices"

// pytorchTwins are the pairs of examples/pytorch, PyTorch's own examples, one file per
// kind.
func pytorchTwins() []Twin {
	return slices.Concat(pytorchMNISTTwins(), pytorchTextTwins(), pytorchPicturesTwins(), pytorchVisionTwins())
}
