package harness

import "path/filepath"

// pytorchPicturesTwins returns the pairs that create images, and the pair that predicts a
// time series.
func pytorchPicturesTwins() []Twin {
	return []Twin{
		{
			Name: "pytorch/vae", Args: []string{"--epochs", "1", "--steps", "50", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: fashionFolder,
			Original: 106,
		},
		{
			Name: "pytorch/time_sequence_prediction", Args: []string{
				"--waves", "16", "--length", "32", "--future",
				"20", "--steps", "20", "--threads", "1",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 88,
		},
		{
			Name: "pytorch/super_resolution", Args: []string{
				"--steps", "50", "--batch-size", "4", "--lr", "0.001",
				"--epochs", "4", "--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: picturePattern,
			Original: 204,
		},
		{
			Name: "pytorch/dcgan", Args: []string{
				"--ngf", "8", "--ndf", "8", "--batch-size", "16", "--steps", "50",
				"--threads", "2",
			},
			Numbers: "losses of both networks, summed", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			data:     fashionFolder,
			Original: 216,
		},
		{
			Name: "pytorch/fast_neural_style", Args: []string{
				"--width", "0.25", "--image-size", "64", "--batch-size",
				"2", "--steps", "50", "--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: picturePattern,
			Original: 341,
		},
	}
}

// picturePattern returns arguments with a pattern that matches two images of
// scikit-image.
func picturePattern(b *Toolbox) (both, own []string, err error) {
	files, _, err := pictures(b)
	if err != nil {
		return nil, nil, err
	}
	return []string{"--data", filepath.Join(filepath.Dir(files[0]), "motorcycle*.png")}, nil, nil
}
