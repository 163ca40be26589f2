package harness

// pytorchTextTwins returns the pairs that learn from words or graphs, and the pair for
// reinforcement learning.
func pytorchTextTwins() []Twin {
	return []Twin{
		{
			Name: "pytorch/word_language_model",
			Args: []string{
				"--emsize", "32", "--nhid", "32", "--batch-size", "8", "--bptt", "20", "--steps", "50",
				"--generate", "20", "--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels, data: godocData,
			Original: 406,
		},
		{
			Name: "pytorch/gcn", Args: []string{"--steps", "50", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 133,
		},
		{
			Name: "pytorch/gat", Args: []string{"--papers", "400", "--steps", "50", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 179,
		},
		{
			Name: "pytorch/snli",
			Args: []string{
				"--examples", "2000", "--batch-size", "32", "--d-hidden", "64", "--d-proj", "64",
				"--steps", "50", "--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 225,
		},
		{
			Name: "pytorch/language_translation",
			Args: []string{
				"--examples", "2000", "--batch", "32", "--embed-size", "64", "--show", "2", "--steps",
				"50", "--threads", "2",
			},
			Numbers: "losses of steps", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 328,
		},
		{
			Name: "pytorch/reinforcement_learning", Args: []string{"--steps", "60", "--threads", "1"},
			Numbers: "losses of episodes", Tolerance: 1e-4, Relative: true, Reason: equalKernels,
			Original: 179,
		},
	}
}

func godocData(b *Toolbox) (both, own []string, err error) {
	text, err := b.godoc()
	return []string{"--data", text}, nil, err
}
