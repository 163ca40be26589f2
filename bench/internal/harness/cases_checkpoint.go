package harness

// checkpoints measures how long saving 256 MiB of tensors to disk takes. A second row
// measures how long a background save stops the training, compared with a copy of the
// same tensors in memory. The saves and the copies alternate in one process.
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
