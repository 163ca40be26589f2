package harness

// profiling: what a profile of all operators adds to a training step, that of mlpStep, its
// start and stop once in 50 steps included.
func profiling() Group {
	const n = 1000
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "profiler.step", Iterations: n},
			{ID: "python", By: "python", Case: "profiler.step", Iterations: n},
		},
		Rows: []Row{
			{"profiler.step.python", "ns", named("ours", "added"), named("python", "added"), "what Python's profiler adds"},
		},
	}
}
