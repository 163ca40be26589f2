package harness

// profiling measures how much longer mlpStep's training step takes if all operators are
// profiled. The profile is started and stopped every 50 steps, which is included.
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
