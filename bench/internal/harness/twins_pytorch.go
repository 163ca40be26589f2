package harness

import "slices"

// pytorchTwins returns the pairs of examples/pytorch, which are ports of PyTorch's own
// examples. Each kind of example has its own Go file here.
func pytorchTwins() []Twin {
	return slices.Concat(pytorchMNISTTwins(), pytorchTextTwins(), pytorchPicturesTwins(), pytorchVisionTwins())
}
