package harness

// profiling measures how much longer mlpStep's training step takes when all operators are
// profiled. This includes starting and stopping the profile every 50 steps.
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
