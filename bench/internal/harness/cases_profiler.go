package harness

// profiling measures the cost of profiling all operators of the training step of mlpStep,
// including a start and a stop every 50 steps.
func profiling() Group {
	const n = 1000
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "profiler.step", Iterations: n},
			{ID: "python", By: "python", Case: "profiler.step", Iterations: n},
		},
		Rows: []Row{
			{
				"profiler.step.python", "ns", named("ours", "added"), named("python", "added"),
				"what Python's profiler adds",
			},
		},
	}
}
