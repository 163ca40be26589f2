package harness

// files compares loading a safetensors file with Python's package safetensors. The file
// has 1 GiB and contains 64 float32 tensors. Each tensor is summed, which reads every
// byte. The file is in the page cache or, in the rows named cold, only on disk. One row
// reports the resident memory that loading adds in a new process, relative to the file
// size. Another reports the peak allocated memory while a model loads the file, relative
// to the model's size plus one tensor.
func files() Group {
	const n = 5
	return Group{
		Measures: []Measure{
			{ID: "load", By: Ours, Case: "files.load", Iterations: n},
			{ID: "load_python", By: "python", Case: "files.load", Iterations: n},
			{ID: "cold", By: Ours, Case: "files.load", Iterations: 1, Args: []string{"cold=1"}},
			{ID: "cold_python", By: "python", Case: "files.load", Iterations: 1, Args: []string{"cold=1"}},
			{ID: "peak", By: Ours, Case: "files.peak", Iterations: 1, Fresh: true},
			{ID: "lazy", By: Ours, Case: "files.lazy", Iterations: 1, Fresh: true},
		},
		Rows: []Row{
			{"files.safetensors.load", "ns", time("load"), time("load_python"), pythonName},
			{"files.safetensors.load.cold", "ns", time("cold"), time("cold_python"), pythonName},
			{"files.safetensors.peak", "bytes", named("peak", "grown"), named("peak", "file"), "the file"},
			{"files.lazy.peak", "bytes", named("lazy", "peak"), named("lazy", "need"), "model and largest tensor"},
		},
	}
}
