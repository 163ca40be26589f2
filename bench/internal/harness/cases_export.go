package harness

// exports compares running exported programs in Go with running the same files in Python.
// Python exports the programs and writes the files, so it runs first.
func exports() Group {
	return Group{
		Measures: []Measure{
			{ID: "resnet_python", By: "python", Case: "export.resnet18.train", Iterations: 10},
			{ID: "resnet", By: Ours, Case: "export.resnet18.train", Iterations: 10},
			{ID: "gpt_python", By: "python", Case: "export.gpt.train", Iterations: 20},
			{ID: "gpt", By: Ours, Case: "export.gpt.train", Iterations: 20},
			{ID: "encoder_python", By: "python", Case: "export.encoder.infer", Iterations: 100},
			{ID: "encoder", By: Ours, Case: "export.encoder.infer", Iterations: 100},
		},
		Rows: []Row{
			{"export.resnet18.train.python", "ns", time("resnet"), time("resnet_python"), pythonName},
			{"export.gpt.train.python", "ns", time("gpt"), time("gpt_python"), pythonName},
			{"export.encoder.infer.python", "ns", time("encoder"), time("encoder_python"), pythonName},
		},
	}
}
