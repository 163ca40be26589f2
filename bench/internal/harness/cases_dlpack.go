package harness

// exchange compares converting a 1 KiB tensor to a DLPack struct and back with Python's
// torch.utils.dlpack.
func exchange() Group {
	const n = 100_000
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "dlpack", Iterations: n},
			{ID: "python", By: "python", Case: "dlpack", Iterations: n},
		},
		Rows: []Row{{"dlpack.roundtrip.python", "ns", time("ours"), time("python"), pythonName}},
	}
}
