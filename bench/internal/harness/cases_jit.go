package harness

// scripts compares running TorchScript modules in Go with running the same files in
// Python: one image through a ResNet-18, and a batch through a small network. Python
// converts the modules to TorchScript, freezes them and writes the files, so it runs
// first.
func scripts() Group {
	return Group{
		Measures: []Measure{
			{ID: "resnet_python", By: "python", Case: "jit.resnet18", Iterations: 40},
			{ID: "resnet", By: Ours, Case: "jit.resnet18", Iterations: 40},
			{ID: "mlp_python", By: "python", Case: "jit.mlp", Iterations: 20_000},
			{ID: "mlp", By: Ours, Case: "jit.mlp", Iterations: 20_000},
		},
		Rows: []Row{
			{"jit.resnet18.python", "ns", time("resnet"), time("resnet_python"), pythonName},
			{"jit.mlp.python", "ns", time("mlp"), time("mlp_python"), pythonName},
		},
	}
}
