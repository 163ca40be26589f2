package harness

// equalKernels is the reason for a small tolerance for the losses of examples/pytorch.
const equalKernels = "both run the same kernels in the same order, and on one machine the losses are the same bits; " +
	"other processors round differently, and training amplifies the differences"

// pytorchMNISTTwins returns the pairs that learn MNIST digits or fit a polynomial.
func pytorchMNISTTwins() []Twin {
	return []Twin{
		{
			Name: "pytorch/regression", Args: []string{"--threads", "1", "--steps", "900"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 37,
		},
		{
			Name: "pytorch/mnist", Args: []string{"--epochs", "1", "--steps", "50", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: fashionFolder,
			Original: 119,
		},
		{
			Name: "pytorch/mnist_rnn", Args: []string{"--epochs", "1", "--steps", "50", "--threads", "1"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: fashionFolder,
			Original: 114,
		},
		{
			Name: "pytorch/mnist_forward_forward", Args: []string{
				"--epochs", "25", "--train-size", "2000",
				"--test-size", "1000", "--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: fashionFolder,
			Original: 152,
		},
		{
			Name: "pytorch/mnist_hogwild", Args: []string{
				"--epochs", "1", "--steps", "50", "--workers", "1",
				"--threads", "1",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, data: fashionFolder,
			Reason:   "with one worker, because the order of several workers is random: " + equalKernels,
			Original: 132,
		},
		{
			Name: "pytorch/siamese_network", Args: []string{
				"--epochs", "1", "--examples", "400", "--batch-size", "8",
				"--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 161,
		},
	}
}
