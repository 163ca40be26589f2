package harness

// pytorchVisionTwins returns the pairs that train models of package vision/models.
func pytorchVisionTwins() []Twin {
	return []Twin{
		{
			Name: "pytorch/imagenet",
			Args: []string{
				"--dummy", "--examples", "400", "--image-size", "64", "--batch-size", "8", "--lr", "0.01",
				"--workers", "0", "--epochs", "1", "--threads", "1",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, folder: "--save-dir",
			Original: 403,
		},
	}
}
