package harness

// infer compares graphs with torch.Optimize, one request at a time, with the faster of ONNX
// Runtime and OpenVINO (infer.NAME.best) and with eager PyTorch (infer.NAME.python). They compute
// in float32, or both in bfloat16 (infer.NAME.bf16.best), and use the default number of threads.
func infer() Group {
	ours, python := "infer_ours", "infer_python"
	g := Group{
		MaxRounds: 5,
		Measures:  []Measure{{ID: ours, By: ours, Program: true}, {ID: python, By: python, Program: true}},
	}
	for _, name := range []string{"resnet18", "resnet50", "mobilenetv3", "encoder", "cnn28", "mlp"} {
		g.Rows = append(g.Rows,
			Row{
				"infer." + name + ".best", "ns", named(ours, name), named(python, name+".best"),
				"the faster of ONNX Runtime and OpenVINO",
			},
			Row{"infer." + name + ".python", "ns", named(ours, name), named(python, name+".python"), pythonName})
	}
	for _, name := range []string{"resnet50.bf16", "encoder.bf16"} {
		g.Rows = append(g.Rows, Row{
			"infer." + name + ".best", "ns", named(ours, name), named(python, name+".best"), "OpenVINO in bfloat16",
		})
	}
	return g
}

func prepareInferOurs(b *Toolbox) (command, error) {
	binary, err := b.goBuild("infer", "vision", "./internal/bench/infer")
	return program(nil, binary), err
}

func prepareInferPython(b *Toolbox) (command, error) {
	python, err := b.Python()
	return program(nil, python, b.path("bench/python/infer.py")), err
}
