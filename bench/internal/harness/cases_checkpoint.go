package harness

// checkpoints measures the time to save a training run with 256 MiB of tensors to disk. It also
// compares the time that a save in the background takes from the training with a copy of
// the same tensors in memory. These two alternate in one process.
func checkpoints() Group {
	const n = 5
	return Group{
		Measures: []Measure{
			{ID: "save", By: Ours, Case: "checkpoint.save", Iterations: n},
			{ID: "save_python", By: "python", Case: "checkpoint.save", Iterations: n},
			{ID: "async", By: Ours, Case: "checkpoint.async", Iterations: n},
		},
		Rows: []Row{
			{"checkpoint.save.python", "ns", time("save"), time("save_python"), pythonName},
			{"checkpoint.async.stall", "ns", named("async", "stall"), named("async", "copy"), "a plain copy"},
		},
	}
}
