package harness

// files: a safetensors file of a gibibyte, 64 tensors of float32, is loaded and each tensor
// summed, which reads every byte of it, beside Python's package. The file is in the
// system's cache, or with cold has to come from the disk. And the most resident memory that
// loading and reading adds in a fresh process, over the file's size. And the most that is
// allocated while a model's weights come from it, over the model and one tensor more.
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
