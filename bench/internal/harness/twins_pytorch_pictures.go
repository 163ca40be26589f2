package harness

// pytorchPicturesTwins are the pairs that make pictures, and a series that is shown as one.
func pytorchPicturesTwins() []Twin {
	return []Twin{
		{
			Name: "pytorch/vae", Args: []string{"--epochs", "1", "--steps", "50", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: fashionFolder,
		},
	}
}
